"""Find who wrote a message, and whether that is proven."""
