"""The table of trading sessions and the program that writes it (foundations.md 3)."""

from __future__ import annotations

from datetime import date

import pytest

from games.rules.markets import MARKETS
from tests.support.examples import sample
from tools import write_calendars

EXCHANGES = [market.exchange for market in MARKETS.values()]


@pytest.mark.parametrize("exchange", sample(EXCHANGES, 4))
def test_shipped_sessions_match_the_installed_library(exchange: str) -> None:
    """When an exchange announces a change, write the table again: tools/write_calendars.py."""
    assert write_calendars.shipped_days(exchange) == write_calendars.library_days(exchange)


def test_writing_the_shipped_sessions_gives_the_same_table() -> None:
    """foundations.md 3: days that are kept stay as they were announced, to the letter."""
    lines = [
        line
        for exchange in EXCHANGES
        for line in write_calendars.year_lines(exchange, write_calendars.shipped_days(exchange))
    ]
    written = write_calendars.HEAD + "\n".join(lines) + "\n"
    assert written == write_calendars.TABLE.read_text(encoding="utf-8")


def test_day_with_other_hours_and_weekday_without_trading_are_listed() -> None:
    """calendars/sessions.txt: regular hours, then days off, then days with other hours."""
    days = write_calendars.shipped_days("XNYS")
    year = {day: hours for day, hours in days.items() if day.year == 2026}
    [usual] = write_calendars.year_lines("XNYS", year)
    holiday = date(2026, 12, 1)
    [changed] = write_calendars.year_lines("XNYS", {**year, holiday: None})
    early = date(2026, 12, 2)
    hours = year[early]
    assert hours is not None
    [shortened] = write_calendars.year_lines(
        "XNYS", {**year, early: (hours[0], hours[1].replace(hour=18, minute=0))}
    )
    assert changed == usual.replace(" 12-25 special", " 12-01 12-25 special")
    assert "12-02 14:30-18:00" in shortened.partition(" special ")[2]
