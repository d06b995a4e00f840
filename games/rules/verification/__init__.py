"""Check a game's record without a database."""
