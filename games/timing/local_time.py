"""Instants in a reader's own zone, with the zone's name beside them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from games.timing import schedule

UNIVERSAL = ("UTC", "Etc/UTC", "GMT", "Etc/GMT", "Universal", "Zulu")


@lru_cache(maxsize=2048)
def in_words(instant: datetime, zone: str, beside: str = "") -> str:
    """“Friday 4 December 2026, 15:00 Berlin time (09:00 New York)”.

    `zone` is the reader's, `beside` the game's; what is the same on both clocks is said once. A
    zone that the machine does not know is read as UTC: a letter with the wrong clock named beside
    the figure is better than no letter.
    """
    if instant >= schedule.STANDS:  # the clock stands while the game is paused
        return "a date to be announced, because the game is paused"
    own, name = _zone(zone)
    here = instant.astimezone(own)
    words = f"{here:%A} {here.day} {here:%B %Y}, {here:%H:%M} {name}" + (
        "" if name == "UTC" else " time"
    )
    if not beside:
        return words
    other, other_name = _zone(beside)
    there = instant.astimezone(other)
    if there.replace(tzinfo=None) == here.replace(tzinfo=None):
        return words
    day = "" if there.date() == here.date() else f"{there:%A} "
    return f"{words} ({day}{there:%H:%M} {other_name})"


def short(instant: datetime, zone: str) -> str:
    """Return “Fri 4 Dec, 15:00” on the reader's clock, for a subject."""
    if instant >= schedule.STANDS:
        return "a date to be announced"
    here = instant.astimezone(_zone(zone)[0])
    return f"{here:%a} {here.day} {here:%b}, {here:%H:%M}"


def _zone(name: str) -> tuple[ZoneInfo, str]:
    if name in UNIVERSAL:
        return ZoneInfo("UTC"), "UTC"
    try:
        return ZoneInfo(name), name.rsplit("/", 1)[-1].replace("_", " ")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC"), "UTC"


def zone_in_words(zone: str) -> str:
    """Return “New York time”, or “UTC”."""
    name = _zone(zone)[1]
    return name if name == "UTC" else f"{name} time"


def session(label: str) -> str:
    """Return “the session of Friday 4 December 2026”; the DEMO exchange's by its instant."""
    try:
        day = date.fromisoformat(label)
    except ValueError:
        return "the next session"
    return f"the session of {in_full(day)}"


def in_full(day: date) -> str:
    """“Friday 4 December 2026”."""
    return f"{day:%A} {day.day} {day:%B %Y}"


def parse(text: str) -> datetime:
    """An instant as `Letter.about` keeps it."""
    return datetime.fromisoformat(text).astimezone(UTC)
