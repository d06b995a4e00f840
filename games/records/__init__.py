"""Import, proof, replay, debrief and the uniformity test of what games left."""
