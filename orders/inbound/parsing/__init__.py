"""Parse a message: parts, quotations, commands. Pure: no database."""
