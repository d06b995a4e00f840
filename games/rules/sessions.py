"""Trading sessions: which one decides a phase, when it opens and closes.

The calendars ship with the rules (`calendars/sessions.txt`, all times UTC, 2016 to 2035), so that
the service and the stand-alone checker read the same table and need no time zone data.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from importlib import resources

from . import RulesError
from .markets import Market

#: Longer than any exchange was ever closed.
LOOK_AHEAD_DAYS = 200
FIRST_YEAR, LAST_YEAR = 2016, 2035

NO_DAYS: frozenset[date] = frozenset()

#: The exchange with made-up sales: a session of 2 seconds every 6 seconds, so that nobody waits.
DEMO = "DEMO"
_DEMO_EVERY, _DEMO_LASTS = 6, timedelta(seconds=2)


@dataclass(frozen=True)
class Session:
    """One session of an exchange.

    `opens` and `closes` are aware instants. `label` is its day ("2026-11-24"), or its opening on
    the demonstration exchange ("2026-11-24T10:05:30Z").
    """

    exchange: str
    label: str
    opens: datetime
    closes: datetime

    @property
    def day(self) -> date:
        return date.fromisoformat(self.label[:10])


class NoSession(RulesError):
    """Raised where there is no session. `str()` is one sentence."""


def demo_session_after(moment: datetime) -> Session:
    """Return the first session of the demonstration exchange that opens after an instant."""
    opens = datetime.fromtimestamp((int(moment.timestamp()) // _DEMO_EVERY + 1) * _DEMO_EVERY, UTC)
    return Session(DEMO, f"{opens:%Y-%m-%dT%H:%M:%SZ}", opens, opens + _DEMO_LASTS)


def session_on(exchange: str, day: date) -> Session | None:
    """Return the regular session of a day; None for a day without one.

    Raise `NoSession` for an unknown exchange and for a year outside the calendar.
    """
    year = _calendar(exchange).get(day.year)
    if year is None:
        raise NoSession(
            f"The calendar of {exchange} has the years {FIRST_YEAR} to {LAST_YEAR}, not {day.year}."
        )
    hours = year.hours(day)
    if hours is None:
        return None
    midnight = datetime.combine(day, datetime.min.time(), UTC)
    return Session(exchange, day.isoformat(), midnight + hours[0], midnight + hours[1])


def session_after(
    market: Market,
    moment: datetime,
    *,
    strict_evening: bool = False,
    closed: Collection[date] = NO_DAYS,
) -> Session:
    """Return the first session that opens strictly after an instant (`rng.quote_session`).

    `strict_evening`: its overnight trading must begin after that instant, too. `closed` are days on
    which the exchange did not open, although its calendar says so. Raise `NoSession` where there is
    none.
    """
    first = moment.astimezone(UTC).date() - timedelta(days=1)
    for ahead in range(LOOK_AHEAD_DAYS):
        day = first + timedelta(days=ahead)
        session = None if day in closed else session_on(market.exchange, day)
        if (
            session
            and session.opens - (market.overnight if strict_evening else timedelta(0)) > moment
        ):
            return session
    raise NoSession(
        f"No session of {market.exchange} opens in the {LOOK_AHEAD_DAYS} days after"
        f" {moment:%Y-%m-%d %H:%M} UTC."
    )


def sessions_before(exchange: str, day: date, count: int) -> list[Session]:
    """Return the `count` regular sessions before a day, in order.

    There are fewer at the start of the calendar.
    """
    sessions: list[Session] = []
    while len(sessions) < count:
        day -= timedelta(days=1)
        if day.year < FIRST_YEAR:
            break
        if session := session_on(exchange, day):
            sessions.append(session)
    return sessions[::-1]


# --- the table ---

Hours = tuple[timedelta, timedelta]


@dataclass(frozen=True)
class _Year:
    regular: tuple[tuple[date, Hours], ...]  # first day and hours, in order
    closed: frozenset[date]
    special: dict[date, Hours]

    def hours(self, day: date) -> Hours | None:
        if day in self.special:
            return self.special[day]
        if day.weekday() > 4 or day in self.closed:
            return None
        return next(hours for first, hours in reversed(self.regular) if first <= day)


@lru_cache(maxsize=32)
def _calendar(exchange: str) -> dict[int, _Year]:
    text = (
        resources.files(__package__).joinpath("calendars/sessions.txt").read_text(encoding="utf-8")
    )
    years = dict(_read(line) for line in text.splitlines() if line.startswith(f"{exchange} "))
    if not years:
        raise NoSession(f"“{exchange}” is not an exchange with a calendar here.")
    return years


def _read(line: str) -> tuple[int, _Year]:
    """Return the year and its sessions from a line of the table:

    `XNYS 2026 hours 01-01 14:30-21:00 ... closed 01-01 ... special 11-27 14:30-18:00`
    """
    _, number, *words = line.split()
    parts: dict[str, list[str]] = {"hours": [], "closed": [], "special": []}
    part = parts["hours"]
    for word in words:
        if word in parts:
            part = parts[word]
        else:
            part.append(word)

    def day(word: str) -> date:
        return date.fromisoformat(f"{number}-{word}")

    def pairs(part: list[str]) -> list[tuple[date, Hours]]:
        return [
            (day(when), _hours(hours)) for when, hours in zip(part[::2], part[1::2], strict=True)
        ]

    year = _Year(
        tuple(pairs(parts["hours"])),
        frozenset(map(day, parts["closed"])),
        dict(pairs(parts["special"])),
    )
    return int(number), year


def _hours(word: str) -> Hours:
    """Return “14:30-21:00” (UTC) as times after midnight; a “<” opens on the UTC day before."""
    opens, closes = word.removeprefix("<").split("-")
    back = timedelta(days=1) if word.startswith("<") else timedelta(0)
    return _time(opens) - back, _time(closes)


def _time(word: str) -> timedelta:
    hours, minutes = word.split(":")
    return timedelta(hours=int(hours), minutes=int(minutes))
