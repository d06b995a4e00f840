"""Calendar entries, published, never asked to be answered (RFC 5545; RFC 5546, 3.2.1).

PURE: values in, text out. `entries` decides what an entry says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from icalendar import Alarm, Calendar, Event, vDuration

PRODUCT = "-//Gamesmaster//play by mail//EN"
#: What icalendar leaves in a text, and calendar programs take for the end of a line or choke on.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0085\u2028\u2029]+")


@dataclass(frozen=True)
class Entry:
    """An instant, or whole days up to and without `ends`. Of two entries with one `uid` the greater
    `sequence` holds.

    `stamp` is when it was last changed; `alarm` how long before it a calendar speaks up.
    """

    uid: str
    summary: str
    description: str
    begins: datetime | date
    stamp: datetime
    ends: date | None = None
    sequence: int = 0
    cancelled: bool = False
    link: str = ""
    alarm: timedelta | None = None


def calendar(
    entries: Iterable[Entry], *, organizer: str, name: str = "", refresh: timedelta | None = None
) -> str:
    """Return a whole calendar. `organizer` is an address that may stand after `mailto:`; `name`
    and `refresh` are those of a feed."""
    found = Calendar()
    found.add("version", "2.0")
    found.add("prodid", PRODUCT)
    found.add("calscale", "GREGORIAN")
    found.add("method", "PUBLISH")
    if name:
        found.add("name", _plain(name))  # RFC 7986
        found.add("x-wr-calname", _plain(name))  # what most programs read
    if refresh is not None:
        found.add("refresh-interval", refresh, parameters={"VALUE": "DURATION"})
        found.add("x-published-ttl", vDuration(refresh))
    for entry in entries:
        found.add_component(_event(entry, organizer))
    text: str = found.to_ical().decode()
    return text


def _event(entry: Entry, organizer: str) -> Event:
    event = Event()
    event.add("uid", entry.uid)
    event.add("dtstamp", entry.stamp.astimezone(UTC))
    event.add("sequence", entry.sequence)
    if isinstance(entry.begins, datetime):
        # In UTC, which needs no table of zones; with no end, so it lasts no time.
        event.add("dtstart", entry.begins.astimezone(UTC))
    else:
        event.add("dtstart", entry.begins)
        event.add("dtend", entry.ends or entry.begins + timedelta(days=1))
    event.add("summary", _plain(entry.summary))
    event.add("description", _plain(entry.description))
    if entry.link:
        event.add("url", entry.link)
    event.add("organizer", f"mailto:{organizer}")
    event.add("status", "CANCELLED" if entry.cancelled else "CONFIRMED")
    event.add("transp", "TRANSPARENT")  # nobody is busy because orders are due
    if entry.alarm is not None and not entry.cancelled:
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", _plain(entry.summary))
        alarm.add("trigger", -entry.alarm)
        event.add_component(alarm)
    return event


def _plain(text: str) -> str:
    return _CONTROL.sub(" ", text)
