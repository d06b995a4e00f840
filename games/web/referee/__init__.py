"""Pages of a refereed game's gamesmaster."""
