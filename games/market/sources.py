"""The protocol of sources of figures, and the sources of each game."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from games.market import report
from games.models import Game
from games.rules.sessions import Session
from games.rules.settling import NEWSPAPER, PUBLISHERS

from .demo import Demo
from .errors import MarketError
from .recorded import Recorded
from .tiingo import Tiingo
from .yahoo import Yahoo


class Source(Protocol):
    """A publisher of sales. `read` never raises for a publisher's failure: it returns a report of
    the kind "later"."""

    @property
    def name(self) -> str:
        """The value of `Reading.source`."""
        ...

    @property
    def at_once(self) -> int:
        """How many stocks may be read at the same time, each in its own thread."""
        ...

    def read(self, symbol: str, session: Session, now: datetime) -> report.Report:
        """Return the sales of `symbol` (in capitals) in `session`. This may take many seconds:
        never call it inside a database transaction."""
        ...


#: The source of each market but the newspaper.
SOURCES: dict[str, type[Source]] = {
    Yahoo.name: Yahoo,
    Tiingo.name: Tiingo,
    Recorded.name: Recorded,
    Demo.name: Demo,
}


def source_for(game: Game) -> Source | None:
    """Return the source that the service reads for a game; None for the newspaper. Raise
    `MarketError` for an unknown market."""
    if game.market == NEWSPAPER:
        return None
    if game.market in SOURCES:
        return SOURCES[game.market]()
    raise MarketError(f"“{game.market}” is not a market of this service.")


def second_source_for(game: Game) -> Source | None:
    """Return the game's second source; None for most games."""
    return SOURCES[game.second_source]() if game.second_source in PUBLISHERS else None
