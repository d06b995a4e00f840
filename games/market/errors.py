"""What can go wrong with the market, in sentences for people."""

from __future__ import annotations

from games.rules import NotKnown


class MarketError(Exception):
    """A question that the market cannot answer, or a refused figure. `str()` is one sentence."""


class Unsettled(NotKnown):
    """A stock's sales have not settled: ask for them with `observe`, then judge the phase again."""

    def __init__(self, symbol: str) -> None:
        super().__init__(f"the sales of {symbol} have not settled yet")
        self.symbol = symbol


class SessionChanged(Exception):
    """The session of the phase was fixed anew while its sales were being read: what was read is no
    matter of it any more."""
