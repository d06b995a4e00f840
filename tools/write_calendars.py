"""Write the table of trading sessions from the library exchange_calendars.

Run this by hand after an update of the library, or when an exchange announces a change:

    .venv/bin/python -m tools.write_calendars [--from DAY]

Days before `--from` stay unchanged in the table: earlier announcements and draws must still verify.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path

from games.rules import sessions
from games.rules.markets import MARKETS

TABLE = Path(sessions.__file__).parent / "calendars" / "sessions.txt"
HEAD = (
    "# Trading sessions, all times UTC, from the library exchange_calendars."
    " Written by tools/write_calendars.py.\n"
    "# hours: regular hours on weekdays from that day on; closed: weekdays without trading;"
    " special: days with other hours.\n"
    "# “<23:00-05:00” opens on the UTC day before.\n"
)

Hours = tuple[datetime, datetime] | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--from",
        dest="first",
        metavar="DAY",
        type=date.fromisoformat,
        help="leave the days before this one unchanged",
    )
    first: date | None = parser.parse_args().first
    lines = []
    for market in MARKETS.values():
        days = library_days(market.exchange)
        if first:
            shipped = shipped_days(market.exchange)
            days = {day: shipped[day] if day < first else hours for day, hours in days.items()}
        lines += year_lines(market.exchange, days)
    TABLE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{TABLE.name}: {len(MARKETS)} exchanges, {sessions.FIRST_YEAR} to {sessions.LAST_YEAR}.")


def library_days(exchange: str) -> dict[date, Hours]:
    """Return the library's opening and close of each day; None for a day without trading."""
    every_day = _every_day()
    with warnings.catch_warnings():
        # The library still uses features that pandas has deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        import exchange_calendars

        calendar = exchange_calendars.get_calendar(
            exchange, start=every_day[0].isoformat(), end=every_day[-1].isoformat()
        )
        schedule = calendar.schedule
    trading_days = {
        label.date(): (row.open.to_pydatetime(), row.close.to_pydatetime())
        for label, row in schedule.iterrows()
    }
    return {day: trading_days.get(day) for day in every_day}


def shipped_days(exchange: str) -> dict[date, Hours]:
    """Return the table's opening and close of each day; None for a day without trading."""
    return {
        day: (session.opens, session.closes) if session else None
        for day in _every_day()
        for session in [sessions.session_on(exchange, day)]
    }


def _every_day() -> list[date]:
    first, last = date(sessions.FIRST_YEAR, 1, 1), date(sessions.LAST_YEAR, 12, 31)
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def year_lines(exchange: str, days: dict[date, Hours]) -> list[str]:
    """Return the lines of an exchange in the table, one for each year."""
    by_year: dict[int, dict[date, str]] = defaultdict(dict)
    for day, hours in days.items():
        by_year[day.year][day] = _words(day, hours)
    return [_year_line(exchange, year, of_year) for year, of_year in by_year.items()]


def _words(day: date, hours: Hours) -> str:
    if hours is None:
        return ""
    prefix = "<" if hours[0].date() < day else ""
    return f"{prefix}{hours[0]:%H:%M}-{hours[1]:%H:%M}"


def _year_line(exchange: str, year: int, days: dict[date, str]) -> str:
    """Return a year's line. Hours of five sessions in a row are regular; others are special."""
    weekdays = [day for day in days if day.weekday() < 5]
    trading = [day for day in weekdays if days[day]]
    regular: list[tuple[date, str]] = []
    for place, day in enumerate(trading):
        ahead = [days[later] for later in trading[place : place + 5]]
        steady = len(ahead) == 5 and len(set(ahead)) == 1
        if (not regular and steady) or (regular and steady and days[day] != regular[-1][1]):
            regular.append((day, days[day]))
    regular[0] = (date(year, 1, 1), regular[0][1])

    def usual(day: date) -> str:
        return next(hours for first, hours in reversed(regular) if first <= day)

    closed = [f"{day:%m-%d}" for day in weekdays if not days[day]]
    special = [
        f"{day:%m-%d} {hours}"
        for day, hours in days.items()
        if hours and (day.weekday() > 4 or hours != usual(day))
    ]
    hours = [f"{day:%m-%d} {hours}" for day, hours in regular]
    return " ".join([exchange, str(year), "hours", *hours, "closed", *closed, "special", *special])


if __name__ == "__main__":
    main()
