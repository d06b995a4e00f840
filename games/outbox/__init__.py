"""Rows of letters to send: who gets a letter, and one function per message."""
