"""Enter a figure from the gamesmaster's newspaper, or that the newspaper has none."""

from __future__ import annotations

from datetime import datetime

from games.market.report import MOST_SHARES
from games.models import Figure, Person, Phase, Reading
from games.rules.settling import NEWSPAPER

from .errors import MarketError
from .policy import policy_for, session_of


def enter_figure(
    phase: Phase, symbol: str, volume: int, by: Person, now: datetime, note: str = ""
) -> None:
    """Store the gamesmaster's figure for a stock, in shares, from their newspaper. It settles the
    stock at the next `observe_all`.

    Raise `MarketError` for anything but a whole number of at least the game's floor, for a session
    that is not over, and for a stock that has settled.
    """
    if not isinstance(volume, int) or isinstance(volume, bool) or volume <= 0:
        raise MarketError(
            f"Sales are a whole number of shares above zero, not {volume!r}; a stock without a"
            " figure has no usable report."
        )
    if volume >= MOST_SHARES:
        raise MarketError(
            f"{volume:,} shares are more than were ever sold in a day; please look again."
        )
    if volume < (floor := policy_for(phase).floor):
        stock = symbol.strip().upper()
        raise MarketError(
            f"{volume:,} shares are fewer than {floor:,}, this game's floor. Enter “no report” for"
            f" {stock} instead."
        )
    _enter(phase, symbol, Reading.Kind.OK, volume, by, now, note)


def enter_no_report(phase: Phase, symbol: str, by: Person, now: datetime, note: str = "") -> None:
    """Store that the gamesmaster's newspaper has no usable figure for a stock. The rules then use
    the next stock.

    A game by newspaper needs this to continue, because it never gives up on a stock by itself.
    Raise `MarketError` as `enter_figure` does.
    """
    _enter(phase, symbol, Reading.Kind.NO_BAR, None, by, now, note)


def _enter(
    phase: Phase, symbol: str, kind: str, volume: int | None, by: Person, now: datetime, note: str
) -> None:
    symbol = symbol.strip().upper()
    session = session_of(phase)
    if not symbol or len(symbol) > 8:
        raise MarketError(f"“{symbol}” is not a stock symbol.")
    if now < session.closes:
        raise MarketError(
            f"The session {session.label} is not over: nobody can know its sales before"
            f" {session.closes:%Y-%m-%d %H:%M} UTC."
        )
    if figure := Figure.objects.filter(phase=phase, symbol=symbol).first():
        raise MarketError(
            f"{figure} has already settled ({figure.reason}). Only a ruling can change it."
        )
    raw = {"note": note} if note else {}
    Reading.objects.create(
        game=phase.game,
        source=NEWSPAPER,
        exchange=session.exchange,
        session=session.label,
        symbol=symbol,
        kind=kind,
        volume=volume,
        read_at=now,
        detail=note,
        raw=raw,
        entered_by=by,
    )
