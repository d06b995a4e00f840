"""Messages between players, and questions to the gamesmaster."""
