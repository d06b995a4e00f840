"""A tiny game for the test that adds one: only what a package must contain."""
