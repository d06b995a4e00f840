"""Errors of the market, with messages for people."""

from __future__ import annotations

from games.rules import UnknownFigure


class MarketError(Exception):
    """Raised where the market has no answer, or refuses a figure. `str()` is one sentence."""


class Unsettled(UnknownFigure):
    """Raised where a stock has not settled: call `observe_all`, then judge the phase again."""

    def __init__(self, symbol: str) -> None:
        super().__init__(f"the sales of {symbol} have not settled yet")
        self.symbol = symbol


class SessionChanged(Exception):
    """Raised where the session of a phase was changed while its sales were being read, so that the
    readings no longer apply."""
