"""Pages of the operator."""
