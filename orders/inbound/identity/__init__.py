"""Who wrote a message, and what proves it."""
