"""Execute a message item by item, and collect the content of its answer."""
