"""Rules for deadlines, and instants in a reader's time zone. Pure."""
