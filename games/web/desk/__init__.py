"""Pages of a game's gamesmaster."""
