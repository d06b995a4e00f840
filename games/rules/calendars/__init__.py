"""When exchanges trade, as data: `sessions.txt`, written by `tools/write_calendars.py`."""
