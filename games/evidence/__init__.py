"""The parts of the record: rows as values, entries and hashes, and the whole document."""
