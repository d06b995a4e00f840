"""Check a game's record without a database (contract.md 5)."""
