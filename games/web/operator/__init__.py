"""Pages of whoever keeps the service running."""
