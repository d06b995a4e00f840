"""A tiny game, for the test that adds one: what a package must bring, and nothing else."""
