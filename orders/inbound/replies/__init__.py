"""Write the content of the answer to a message."""
