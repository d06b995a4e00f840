"""When a figure is read, and which reading counts (rules.md 0.1, `rng.settle`; foundations.md 1.3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings

from games.models import Game, Phase
from games.rules.sessions import Session
from games.rules.settling import Policy, first_reading_time, span

from . import witnesses
from .sessions import DEMO, NEW_YORK


def policy_of(game: Game) -> Policy:
    """The reading policy of a game, from its market, its options `rng.*` and the hours in `settings.MARKET`."""
    hours = settings.MARKET
    retry = timedelta(minutes=hours["retry_minutes"])
    give_up = timedelta(hours=hours["give_up_hours"])
    if game.market == Game.Market.DEMO:
        return Policy(timedelta(0), None, timedelta(0), timedelta(seconds=5))
    if game.market == Game.Market.NEWSPAPER:
        return Policy(timedelta(0), None, None, retry)
    if game.options.get("rng.settle") == "first_reading":
        return Policy(timedelta(minutes=hours["telephone_minutes"]), None, give_up, retry)
    return Policy(timedelta(hours=hours["first_reading_hours"]), timedelta(hours=hours["agreement_hours"]), give_up, retry)


def fix_session(phase: Phase, session: Session) -> None:
    """Fixes the session that decides a phase, and with it when its sales are first read. The caller saves the phase."""
    phase.exchange, phase.session = session.exchange, session.label
    phase.session_opens, phase.session_closes = session.opens, session.closes
    phase.first_reading_at = phase.due_at = first_reading_time(policy_of(phase.game), session)
    phase.witness_at = witnesses.first(phase.game, session)


def in_words(policy: Policy, session: Session) -> str:
    """The reading rule as one sentence for letters, with the times of this session."""
    if session.exchange == DEMO:
        return (
            f"The sales of the {DEMO} exchange are made up; its session closes at {session.closes.astimezone(UTC):%H:%M:%S} UTC on "
            f"{_day(session.closes.astimezone(UTC))}, and the figure read then counts."
        )
    day = _day(session.opens.astimezone(NEW_YORK))
    if policy.give_up_after is None:
        return f"The gamesmaster types in the sales of {day} from the newspaper, and the first figure that he enters for a stock counts."
    first = first_reading_time(policy, session).astimezone(NEW_YORK)
    start = f"The sales of {day} are read from {first:%H:%M} New York time on {_day(first)}"
    end = f"a stock without such a figure {span(policy.give_up_after)} later has no usable report"
    if policy.agree_after is None:
        return f"{start}; the first figure read counts, provisional as it is, and {end}."
    return f"{start}; a figure counts once two readings at least {span(policy.agree_after)} apart agree, and {end}."


def _day(moment: datetime) -> str:
    return f"{moment:%A} {moment.day} {moment:%B %Y}"
