"""Pages of a person: login, two-factor, addresses, calendar, personal data."""
