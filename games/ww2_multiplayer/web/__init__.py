"""The pages of a gamesmaster who plays out the map, and the score sheets."""
