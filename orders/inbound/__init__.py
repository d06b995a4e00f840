"""Incoming mail. Parsing (`parsing`) needs no database."""
