"""Seats and the people in them: teams, seat pairs, days off. Queries only."""
