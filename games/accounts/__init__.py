"""Accounts of people: login tokens, two-factor, rate limits, addresses, guests."""
