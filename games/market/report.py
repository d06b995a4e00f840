"""A publisher's answer about one stock and session, and what is wrong with it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from games.rules.sessions import Session, sessions_before


@dataclass(frozen=True)
class Report:
    """What a source says about one stock in one session: one of the five kinds of
    `games.models.Reading.Kind`.

    `volume` is in shares, above zero, and only with the kind "ok". `raw` is the evidence. `down`
    says that the source as a whole did not answer, so that asking it for other stocks now is no
    use. `flag` (`Reading.Flag`) is why a person must look at the figure first. `facts` are what the
    source says of the symbol, by which the game's policy judges it (`games.rules.settling`).
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
    """Why a volume as it stands in the JSON is not one, as the end of a sentence; "" where it is a
    whole number in range.

    Python's `true` is 1, and a library may make 1.0 of 1: neither is a count of shares.
    """
    if not isinstance(volume, int) or isinstance(volume, bool):
        return "are not a whole number"
    return (
        "" if volume < MOST_SHARES else f"are {volume:,} shares, more than were ever sold in a day"
    )


#: More than was ever sold of one stock in a day: a slip of the key, or the price of the whole
# company.
MOST_SHARES = 10**12


def stale(row: Mapping[str, Any], before: Mapping[str, Any] | None) -> bool:
    """Whether a day's row only repeats the sales of the session before.

    A publisher that has no figure yet has been seen to repeat the last one it has. Of a stock that
    hardly trades two days can be alike by chance: below `ALIKE` shares the prices must be the same
    too, and not all four one price.
    """
    if before is None or row.get("volume") is None or row["volume"] != before.get("volume"):
        return False
    prices = [row.get(key) for key in PRICES]
    return row["volume"] >= ALIKE or (
        len(set(prices)) > 1 and prices == [before.get(key) for key in PRICES]
    )


#: Stocks that a publisher of New York sales knows as long as it knows any: asked for where it says
# that it does not know another.
LEADING_NEW_YORK = ("KO", "GE")


def median_before(session: Session, volumes: Mapping[date, int]) -> int:
    """Return the median shares of the 20 sessions before; 0 for one without entry (rng.floor)."""
    return round(
        statistics.median(volumes.get(day, 0) for day in days_before(session.exchange, session.day))
    )


def days_before(exchange: str, day: date) -> list[date]:
    """The days of the 20 regular sessions before a day, the earliest first."""
    return [session.day for session in sessions_before(exchange, day, 20)]


def not_over(session: Session, now: datetime) -> Report | None:
    """Return every source's answer before the close: figures until then are not its sales."""
    return Report("later", detail="The session is not over yet.") if now < session.closes else None


PRICES = ("open", "high", "low", "close")


#: From so many shares on no two days are alike by chance.
ALIKE = 10_000
