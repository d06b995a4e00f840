"""What comes by mail. Parsing (`parsing`) needs no database."""
