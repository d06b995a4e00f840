"""Compute the times of witness readings, which show later reports of settled figures and decide
nothing.

They are taken 1, 24 and 72 hours after the regular close, and at the first reading time of stocks
whose figure the gamesmaster typed in. They detect restated sales.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from games.models import Figure, Game, Phase
from games.rules.sessions import Session, session_on
from games.rules.settling import NEWSPAPER, PUBLISHERS

AFTER_CLOSE = tuple(timedelta(hours=hours) for hours in (1, 24, 72))
#: How often a failed witness reading of a stock is retried, for all games together.
EVERY = timedelta(hours=1)
#: How long to retry if the source does not answer at the last time.
PATIENCE = timedelta(hours=24)


def first(game: Game, session: Session) -> datetime | None:
    """Return when a session's first witness reading is due; None without a publisher."""
    return times(session)[0] if game.market in PUBLISHERS else None


def times(session: Session, first_reading: datetime | None = None) -> list[datetime]:
    """Return all times in order, counted from the regular close, even if an earlier close was
    entered by hand."""
    regular = session_on(session.exchange, session.day)
    close = max(session.closes, regular.closes) if regular else session.closes
    instants = {close + after for after in AFTER_CLOSE}
    if first_reading is not None and first_reading > min(instants):
        instants.add(first_reading)
    return sorted(instants)


def latest(session: Session, first_reading: datetime | None, now: datetime) -> datetime | None:
    """Return the newest time that is due, also after an outage; None before the first."""
    return next((time for time in reversed(times(session, first_reading)) if time <= now), None)


def following(
    session: Session, first_reading: datetime | None, now: datetime, *, answered: bool
) -> datetime | None:
    """Return when to read next: in an hour if the source has not answered for all stocks, else at
    the next time; None after the last."""
    due = times(session, first_reading)
    later = next((time for time in due if time > now), None)
    if answered:
        return later
    return min(later or due[-1] + PATIENCE, now + EVERY) if now < due[-1] + PATIENCE else None


def stocks(phase: Phase, since: datetime) -> list[str]:
    """Return the stocks of a phase that need a witness reading at the time `since`.

    From the first reading time until the phase is resolved, stocks that have not settled are left
    out, because the phase's own readings cover them. At the first reading time, only stocks typed
    in by the gamesmaster need one.
    """
    typed = {
        figure.symbol: is_typed(figure) for figure in phase.figures.prefetch_related("readings")
    }
    if since == phase.first_reading_at:
        return [symbol for symbol in typed if typed[symbol]]
    if phase.status == Phase.Status.RESOLVED or (
        phase.first_reading_at and since < phase.first_reading_at
    ):
        return list(dict.fromkeys([*phase.stocks, *typed]))
    return list(typed)


def is_typed(figure: Figure) -> bool:
    """Return whether the gamesmaster typed a figure in, so that it rests on no source's reading."""
    return any(reading.source == NEWSPAPER for reading in figure.readings.all())
