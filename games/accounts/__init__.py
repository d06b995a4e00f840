"""Who somebody is: login tokens, two-factor, rate limits, addresses, guests."""
