"""Where figures come from, behind one small protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from games.models import Game

from .errors import MarketError
from .sessions import Session


@dataclass(frozen=True)
class Report:
    """What a source says about one stock in one session: one of the five kinds of `games.models.Reading.Kind`.

    `volume` is in shares, above zero, and only with the kind "ok". `raw` is the evidence. `down` says that the source as a whole did
    not answer, so that asking it for other stocks now is no use.
    """

    kind: str
    volume: int | None = None
    detail: str = ""
    raw: dict[str, Any] = field(default_factory=dict)
    down: bool = False

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
    if game.market == Game.Market.YAHOO:
        from .yahoo import Yahoo

        return Yahoo()
    if game.market == Game.Market.RECORDED:
        from .recorded import Recorded

        return Recorded()
    if game.market == Game.Market.DEMO:
        from .demo import Demo

        return Demo()
    raise MarketError(f"“{game.market}” is no market that this service knows.")


def not_over(session: Session, now: datetime) -> Report | None:
    """The answer of every source before the close: what is known of a running session is not its sales."""
    return Report("later", detail="The session is not over yet.") if now < session.closes else None
