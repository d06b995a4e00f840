"""Show instants in a reader's own zone, with the zone's name.

In the hour that clocks repeat when they are set back, UTC is added: both hours read the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from games.timing import schedule

#: An instant in text of the record, such as the reason why a figure settled.
_KEPT = re.compile(
    r"\b(?:at )?(\d{4}-\d\d-\d\d \d\d:\d\d)( UTC\b|(?= to \d{4}-\d\d-\d\d \d\d:\d\d UTC\b))"
)
UNIVERSAL = ("UTC", "Etc/UTC", "GMT", "Etc/GMT", "Universal", "Zulu")


@lru_cache(maxsize=2048)
def in_words(instant: datetime, zone: str, beside: str = "") -> str:
    """Return “Friday 4 December 2026, 15:00 Berlin time (09:00 New York)”.

    `zone` is the reader's, `beside` the game's, left out if both clocks show the same. A zone that
    the machine does not know is read as UTC, because a letter that says UTC is better than no
    letter.
    """
    if instant >= schedule.STANDS:  # the game is paused
        return "a date to be announced, because the game is paused"
    own_zone, name = _zone(zone)
    own_time = instant.astimezone(own_zone)
    words = f"{own_time:%A} {own_time.day} {own_time:%B %Y}, {own_time:%H:%M} {name}" + (
        "" if name == "UTC" else " time"
    )
    utc = utc_of_repeated(own_time)
    if not beside:
        return words + in_brackets(utc)
    other_zone, other_name = _zone(beside)
    other_time = instant.astimezone(other_zone)
    if other_time.replace(tzinfo=None) == own_time.replace(tzinfo=None):
        return words + in_brackets(utc)
    other_words = f"{_day_beside(other_time, own_time)}{other_time:%H:%M} {other_name}"
    return words + in_brackets(other_words, "" if other_words == utc else utc)


def elsewhere(instant: datetime, zone: str, others: Iterable[str]) -> list[str]:
    """Return “18:00 in Berlin” for each of the other zones whose clock differs from the zone's.

    With the weekday if that differs. UTC and unknown zones are left out: they name no place. Empty
    while the game is paused.
    """
    if instant >= schedule.STANDS:
        return []
    here = instant.astimezone(_zone(zone)[0])
    clocks = {here.replace(tzinfo=None)}
    words = []
    for other in others:
        info, name = _zone(other)
        there = instant.astimezone(info)
        if name != "UTC" and there.replace(tzinfo=None) not in clocks:
            clocks.add(there.replace(tzinfo=None))
            utc = in_brackets(utc_of_repeated(there))
            words.append(f"{_day_beside(there, here)}{there:%H:%M} in {name}{utc}")
    return words


def utc_of_repeated(local: datetime) -> str:
    """Return “05:30 UTC” for a local time that comes twice; "" for one that comes once."""
    if local.replace(fold=0).utcoffset() == local.replace(fold=1).utcoffset():
        return ""
    universal = local.astimezone(UTC)
    return f"{_day_beside(universal, local)}{universal:%H:%M} UTC"


def in_brackets(*words: str) -> str:
    """Return “ (09:00 New York, 05:30 UTC)”, without what is empty; "" if all is."""
    given = ", ".join(filter(None, words))
    return given and f" ({given})"


def _day_beside(time: datetime, beside: datetime) -> str:
    return "" if time.date() == beside.date() else f"{time:%A} "


def short(instant: datetime, zone: str) -> str:
    """Return “Fri 4 Dec, 15:00” on the reader's clock, for a subject."""
    if instant >= schedule.STANDS:
        return "a date to be announced"
    here = instant.astimezone(_zone(zone)[0])
    return f"{here:%a} {here.day} {here:%b}, {_clock(here)}"


def brief(instant: datetime, zone: str, beside: datetime) -> str:
    """Return “Fri 4 Dec, 15:00 Berlin time” on the reader's clock, for a letter; with the year if
    it is not that of the instant `beside`, when the letter was written."""
    if instant >= schedule.STANDS:
        return in_words(instant, zone)
    own_zone, name = _zone(zone)
    here = instant.astimezone(own_zone)
    words = f"{short_day(here, beside.astimezone(own_zone))}, {here:%H:%M} {name}"
    return words + ("" if name == "UTC" else " time") + in_brackets(utc_of_repeated(here))


def time_of_day(instant: datetime, zone: str) -> str:
    """Return “15:00” on the reader's clock."""
    return _clock(instant.astimezone(_zone(zone)[0]))


def _clock(local: datetime) -> str:
    return f"{local:%H:%M}{in_brackets(utc_of_repeated(local))}"


def localize(text: str, zone: str) -> str:
    """Return text of the record with its instants in a zone.

    “the first reading, at 2026-12-11 14:00 UTC” becomes “the first reading, 11 Dec, 09:00 New York
    time”.
    """

    def local(match: re.Match[str]) -> str:
        here = datetime.fromisoformat(f"{match[1]}+00:00").astimezone(_zone(zone)[0])
        time = f"{here.day} {here:%b}, {here:%H:%M} {zone_in_words(zone)}"
        return time + in_brackets(utc_of_repeated(here))

    return _KEPT.sub(local, text)


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


def session(label: str, beside: datetime) -> str:
    """Return “the session of Fri 4 Dec”, or “the next session”.

    The DEMO exchange labels its sessions by an instant instead of a date.
    """
    try:
        day = date.fromisoformat(label)
    except ValueError:
        return "the next session"
    return f"the session of {short_day(day, beside)}"


def short_day(day: date, beside: datetime) -> str:
    """Return “Fri 4 Dec”; with the year if it is not that of the instant `beside`."""
    return f"{day:%a} {day.day} {day:%b}" + ("" if day.year == beside.year else f" {day.year}")


def parse(text: str) -> datetime:
    """Return an instant from the text that `Letter.about` stores."""
    return datetime.fromisoformat(text).astimezone(UTC)
