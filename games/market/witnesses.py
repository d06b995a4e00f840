"""When witness readings are due: what the publisher says later of figures that have settled. They
decide nothing.

They are taken 1, 24 and 72 hours after the regular close, and at the first reading time of stocks
whose figure the gamesmaster typed in. Restated sales (foundations.md 1.3) are seen this way.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from games.models import Figure, Game, Phase
from games.rules.digits import beacon_number
from games.rules.sessions import Session, session_on
from games.rules.settling import NEWSPAPER

from .sources import PUBLISHERS

AFTER_CLOSE = tuple(timedelta(hours=hours) for hours in (1, 24, 72))
#: How often one that fails is asked for one stock, by all games together.
EVERY = timedelta(hours=1)
#: A source that does not answer at the last of them is asked again for so long.
PATIENCE = timedelta(hours=24)


def first(game: Game, session: Session) -> datetime | None:
    """Return when a session's first witness reading is due; None without a publisher."""
    return times(session)[0] if game.market in PUBLISHERS else None


def times(session: Session, first_reading: datetime | None = None) -> list[datetime]:
    """All of them in order, counted from the regular close; an early close entered by hand makes
    none of them earlier."""
    regular = session_on(session.exchange, session.day)
    close = max(session.closes, regular.closes) if regular else session.closes
    found = {close + after for after in AFTER_CLOSE}
    if first_reading is not None and first_reading > min(found):
        found.add(first_reading)
    return sorted(found)


def latest(session: Session, first_reading: datetime | None, now: datetime) -> datetime | None:
    """Return the newest of them that is due, also after an outage; None before the first."""
    return next((time for time in reversed(times(session, first_reading)) if time <= now), None)


def following(
    session: Session, first_reading: datetime | None, now: datetime, *, answered: bool
) -> datetime | None:
    """When to look next: an hour later where the source has not answered for all, else the next
    time; None after the last."""
    due = times(session, first_reading)
    later = next((time for time in due if time > now), None)
    if answered:
        return later
    return min(later or due[-1] + PATIENCE, now + EVERY) if now < due[-1] + PATIENCE else None


def stocks(phase: Phase, since: datetime) -> list[str]:
    """The stocks of a phase of which a witness reading is due at that time.

    From the first reading time until the phase is resolved, the stocks that have not settled are
    left to its own readings: a witness decides nothing. At the first reading time only those typed
    in by the gamesmaster are read here.
    """
    typed = {
        figure.symbol: is_typed(figure) for figure in phase.figures.prefetch_related("readings")
    }
    if since == phase.first_reading_at:
        symbols = [symbol for symbol in typed if typed[symbol]]
    elif phase.status == Phase.Status.RESOLVED or (
        phase.first_reading_at and since < phase.first_reading_at
    ):
        symbols = list(dict.fromkeys([*phase.stocks, *typed]))
    else:
        symbols = list(typed)
    return [symbol for symbol in symbols if beacon_number(symbol) is None]


def is_typed(figure: Figure) -> bool:
    """Whether the gamesmaster typed a figure in, so that no reading of the source is behind it."""
    return any(reading.source == NEWSPAPER for reading in figure.readings.all())
