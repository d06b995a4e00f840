"""Scenarios: shown, typed in, tried and shared."""
