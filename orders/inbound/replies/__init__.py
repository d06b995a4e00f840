"""What the one answer to a message says."""
