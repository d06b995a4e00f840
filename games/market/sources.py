"""Where figures come from, behind one small protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from games.models import Game
from games.rules.sessions import Session

from .errors import MarketError


@dataclass(frozen=True)
class Report:
    """What a source says about one stock in one session: one of the five kinds of `games.models.Reading.Kind`.

    `volume` is in shares, above zero, and only with the kind "ok". `raw` is the evidence. `down` says that the source as a whole did
    not answer, so that asking it for other stocks now is no use. `flag` (`Reading.Flag`) is why a person must look at the figure first.
    """

    kind: str
    volume: int | None = None
    detail: str = ""
    raw: dict[str, Any] = field(default_factory=dict)
    down: bool = False
    flag: str = ""

    def __post_init__(self) -> None:
        if (self.kind == "ok") != (self.volume is not None and self.volume > 0) or (self.kind != "ok" and self.volume is not None):
            raise ValueError(f"a report of kind {self.kind!r} with the volume {self.volume!r}")


class Source(Protocol):
    """A publisher of sales. `read` never raises for what the publisher does wrong: that is a report of the kind "later"."""

    @property
    def name(self) -> str:
        """As `Reading.source` has it."""
        ...

    def read(self, symbol: str, session: Session, now: datetime) -> Report:
        """The sales of `symbol` (in capitals) in `session`. May take many seconds: never call it inside a database transaction."""
        ...


def source_for(game: Game) -> Source | None:
    """The source that the game's market reads by itself; None for the newspaper, which only the gamesmaster reads."""
    if game.market == Game.Market.NEWSPAPER:
        return None
    if game.market in PUBLISHERS:
        return _publisher(game.market)
    if game.market == Game.Market.RECORDED:
        from .recorded import Recorded

        return Recorded()
    if game.market == Game.Market.DEMO:
        from .demo import Demo

        return Demo()
    raise MarketError(f"“{game.market}” is no market that this service knows.")


#: Those who publish New York sales, each of whom may be asked beside the other (`Game.second_source`).
PUBLISHERS = {str(Game.Market.YAHOO): "Yahoo", str(Game.Market.TIINGO): "Tiingo"}


def second_source_for(game: Game) -> Source | None:
    """Who is asked besides; None for most games."""
    return _publisher(game.second_source) if game.second_source in PUBLISHERS else None


def _publisher(name: str) -> Source:
    if name == Game.Market.TIINGO:
        from .tiingo import Tiingo

        return Tiingo()
    from .yahoo import Yahoo

    return Yahoo()


def stale(row: Mapping[str, Any], before: Mapping[str, Any] | None) -> bool:
    """Whether a day's row is but the row of the session before once more: four prices and the sales, all the same.

    A publisher that has no figure yet has been seen to repeat the last one it has; no two days of a stock that trades are so alike.
    """
    if before is None:
        return False
    values = [row.get(key) for key in ROW]
    return None not in values and len(set(values[:4])) > 1 and values == [before.get(key) for key in ROW]


#: What a row must have for that comparison.
ROW = ("open", "high", "low", "close", "volume")


def not_over(session: Session, now: datetime) -> Report | None:
    """The answer of every source before the close: what is known of a running session is not its sales."""
    return Report("later", detail="The session is not over yet.") if now < session.closes else None
