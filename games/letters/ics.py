"""Calendar entries as mail programs and calendars read them (RFC 5545), published, never asked to
be answered (RFC 5546, 3.2.1).

PURE: values in, text out. What an entry says is decided in `entries`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

PRODUCT = "-//Gamesmaster//play by mail//EN"
LONGEST = 75  # octets of a line, its end not counted (RFC 5545, 3.1)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u0085\u2028\u2029]+")


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
    """A whole calendar. `organizer` is an address that may stand after `mailto:`; `name` and
    `refresh` are those of a feed."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:{PRODUCT}",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
    ]
    if name:
        lines += [
            f"NAME:{text(name)}",
            f"X-WR-CALNAME:{text(name)}",
        ]  # the first of RFC 7986, the second what most programs read
    if refresh is not None:
        lines += [
            f"REFRESH-INTERVAL;VALUE=DURATION:{duration(refresh)}",
            f"X-PUBLISHED-TTL:{duration(refresh)}",
        ]
    for entry in entries:
        lines += _event(entry, organizer)
    return "".join(f"{folded(line)}\r\n" for line in [*lines, "END:VCALENDAR"])


def _event(entry: Entry, organizer: str) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:{text(entry.uid)}"
    yield f"DTSTAMP:{instant(entry.stamp)}"
    yield f"SEQUENCE:{entry.sequence}"
    if isinstance(entry.begins, datetime):
        yield f"DTSTART:{instant(entry.begins)}"  # with no end: it lasts no time (RFC 5545, 3.6.1)
    else:
        yield f"DTSTART;VALUE=DATE:{entry.begins:%Y%m%d}"
        yield f"DTEND;VALUE=DATE:{entry.ends or entry.begins + timedelta(days=1):%Y%m%d}"
    yield f"SUMMARY:{text(entry.summary)}"
    yield f"DESCRIPTION:{text(entry.description)}"
    if entry.link:
        yield f"URL:{_CONTROL.sub('', entry.link)}"
    yield f"ORGANIZER:mailto:{_CONTROL.sub('', organizer)}"
    yield f"STATUS:{'CANCELLED' if entry.cancelled else 'CONFIRMED'}"
    yield "TRANSP:TRANSPARENT"  # nobody is busy because orders are due
    if entry.alarm is not None and not entry.cancelled:
        yield from (
            "BEGIN:VALARM",
            "ACTION:DISPLAY",
            f"DESCRIPTION:{text(entry.summary)}",
            f"TRIGGER:-{duration(entry.alarm)}",
            "END:VALARM",
        )
    yield "END:VEVENT"


def text(value: str) -> str:
    """A value of type TEXT (RFC 5545, 3.3.11): what somebody wrote can begin no line and end no
    property."""
    plain = _CONTROL.sub(" ", value.replace("\r\n", "\n").replace("\t", " "))
    return plain.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def instant(at: datetime) -> str:
    """In UTC: no table of zones is needed, and every program shows it in its reader's own."""
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def duration(span: timedelta) -> str:
    """`P2D`, `PT12H30M`, `PT45S` (RFC 5545, 3.3.6)."""
    seconds = int(span.total_seconds())
    days, rest = divmod(seconds, 86400)
    parts = [(rest // 3600, "H"), (rest % 3600 // 60, "M"), (rest % 60, "S")]
    clock = "".join(f"{number}{unit}" for number, unit in parts if number)
    if not days and not clock:
        return "PT0S"
    return "P" + (f"{days}D" if days else "") + (f"T{clock}" if clock else "")


def folded(line: str) -> str:
    """In pieces of at most 75 octets, none of which splits a sign."""
    if len(line) <= LONGEST // 4:
        return line
    if line.isascii():
        first, rest = line[:LONGEST], line[LONGEST:]
        return "\r\n ".join(
            [
                first,
                *(rest[start : start + LONGEST - 1] for start in range(0, len(rest), LONGEST - 1)),
            ]
        )
    octets, pieces, start, room = line.encode(), [], 0, LONGEST
    while len(octets) - start > room:
        end = start + room
        while octets[end] & 0xC0 == 0x80:  # in the middle of a sign
            end -= 1
        pieces.append(octets[start:end].decode())
        start, room = end, LONGEST - 1  # a blank stands before what goes on
    return "\r\n ".join([*pieces, octets[start:].decode()])
