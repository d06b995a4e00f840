"""Import, proof, replay, debrief, and the uniformity test of drawn digits."""
