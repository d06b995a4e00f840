"""A source's answer about one stock and session, and checks of its volume."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from games.rules.sessions import Session, sessions_before


@dataclass(frozen=True)
class Report:
    """A source's answer about one stock in one session, of one of the 5 kinds in
    `games.models.Reading.Kind`.

    `volume` is in shares, above 0, and only set for the kind "ok". `raw` is the evidence. `down`
    means that the source as a whole did not answer, so that asking it for other stocks now is
    pointless. `flag` (`Reading.Flag`) is the reason why a person must check the figure first.
    `facts` is the source's data on the symbol, which the game's policy checks
    (`games.rules.settling`).
    """

    kind: str
    volume: int | None = None
    detail: str = ""
    raw: dict[str, Any] = field(default_factory=dict)
    down: bool = False
    flag: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.kind == "ok") != (self.volume is not None and self.volume > 0) or (
            self.kind != "ok" and self.volume is not None
        ):
            raise ValueError(f"a report of kind {self.kind!r} with the volume {self.volume!r}")


def fault_of_volume(volume: Any) -> str:
    """Return why a volume from JSON is invalid, as the end of a sentence; "" if it is a whole
    number in range.

    `true` equals 1 in Python, and a library may turn 1 into 1.0: neither is a count of shares.
    """
    if not isinstance(volume, int) or isinstance(volume, bool):
        return "are not a whole number"
    return (
        "" if volume < MOST_SHARES else f"are {volume:,} shares, more than were ever sold in a day"
    )


#: More shares than were ever sold of a stock in a day: a typing error, or a company's market value.
MOST_SHARES = 10**12


def is_stale(row: Mapping[str, Any], before: Mapping[str, Any] | None) -> bool:
    """Return whether a day's row only repeats the sales of the session before.

    A publisher without a figure has been seen to repeat its last one. For a stock that hardly
    trades, two days may be equal by chance: below `ALIKE` shares all 4 prices must be equal to
    those of the day before, and not all the same price.
    """
    if before is None or row.get("volume") is None or row["volume"] != before.get("volume"):
        return False
    prices = [row.get(key) for key in PRICES]
    return row["volume"] >= ALIKE or (
        len(set(prices)) > 1 and prices == [before.get(key) for key in PRICES]
    )


#: Stocks that every publisher of New York sales has. They are requested where a publisher does not
#: know another stock.
LEADING_NEW_YORK = ("KO", "GE")


def median_before(session: Session, volumes: Mapping[date, int]) -> int:
    """Return the median of shares over the 20 sessions before; a session without an entry counts as
    0 (rng.floor)."""
    return round(
        statistics.median(volumes.get(day, 0) for day in days_before(session.exchange, session.day))
    )


def days_before(exchange: str, day: date) -> list[date]:
    """Return the days of the 20 regular sessions before a day, earliest first."""
    return [session.day for session in sessions_before(exchange, day, 20)]


def not_over(session: Session, now: datetime) -> Report | None:
    """Return the report "later" before the close, when figures are not yet the session's sales;
    None after it."""
    return Report("later", detail="The session is not over yet.") if now < session.closes else None


PRICES = ("open", "high", "low", "close")


#: With at least this many shares, two days are not equal by chance.
ALIKE = 10_000
