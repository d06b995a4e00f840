"""Rows to send: who gets a letter, and one function per message."""
