"""The order page."""
