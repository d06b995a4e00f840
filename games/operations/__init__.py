"""Run the service: backup, restore hold, metrics, personal data."""
