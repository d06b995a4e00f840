"""Where figures come from, behind one small protocol."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from games.market import report
from games.models import Game
from games.rules.sessions import Session

from .demo import Demo
from .errors import MarketError
from .recorded import Recorded
from .tiingo import Tiingo
from .yahoo import Yahoo


class Source(Protocol):
    """A publisher of sales. `read` never raises for what the publisher does wrong: that is a report
    of the kind "later"."""

    @property
    def name(self) -> str:
        """As `Reading.source` has it."""
        ...

    @property
    def at_once(self) -> int:
        """How many stocks may be read at the same time, each in a thread of its own."""
        ...

    def read(self, symbol: str, session: Session, now: datetime) -> report.Report:
        """The sales of `symbol` (in capitals) in `session`. May take many seconds: never call it
        inside a database transaction."""
        ...


def source_for(game: Game) -> Source | None:
    """Return the source that the market reads by itself; None for the newspaper."""
    if game.market == Game.Market.NEWSPAPER:
        return None
    if game.market in PUBLISHERS:
        return _publisher(game.market)
    if game.market == Game.Market.RECORDED:
        return Recorded()
    if game.market == Game.Market.DEMO:
        return Demo()
    raise MarketError(f"“{game.market}” is no market that this service knows.")


#: Those who publish New York sales, each of whom may be asked beside the other
# (`Game.second_source`).
PUBLISHERS = {str(Game.Market.YAHOO): "Yahoo", str(Game.Market.TIINGO): "Tiingo"}


def second_source_for(game: Game) -> Source | None:
    """Who is asked besides; None for most games."""
    return _publisher(game.second_source) if game.second_source in PUBLISHERS else None


def _publisher(name: str) -> Source:
    if name == Game.Market.TIINGO:
        return Tiingo()

    return Yahoo()
