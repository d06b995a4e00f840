"""When exchanges trade, as data: `sessions.txt`, written by `manage.py writecalendars`."""
