"""Who sits where: teams, seat pairs, days off. Queries only."""
