"""What the record is made of: rows as values, entries and their hashes, the whole as one document."""
