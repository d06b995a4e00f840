"""Scenarios: show, type in, try and share them."""
