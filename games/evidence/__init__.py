"""What the record is made of: rows as values, entries and hashes, the whole as one document."""
