"""The only source of the current time.

Every operation asks once and passes the instant on, so that everything it does happens at one
instant. Rehearsals and tests move the clock of all processes at once through a file
(`GAMESMASTER_CLOCK`) with the number of seconds to add to the machine's own time.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings


def now() -> datetime:
    """Return the current instant, aware, in UTC."""
    return datetime.now(UTC) + _offset()


def _offset() -> timedelta:
    if not settings.CLOCK_FILE:
        return timedelta(0)
    try:
        # A raw read: leases ask before each letter, and a file object takes four times as long.
        file = os.open(settings.CLOCK_FILE, os.O_RDONLY)
    except FileNotFoundError:
        return timedelta(0)
    try:
        return timedelta(seconds=float(os.read(file, 100).strip() or 0))
    finally:
        os.close(file)


def move(seconds: float) -> None:
    """Set the clock file to `seconds` ahead of the machine's time, in one step."""
    path = Path(settings.CLOCK_FILE)
    fresh = path.with_suffix(".new")
    fresh.write_text(str(seconds))
    fresh.replace(path)
