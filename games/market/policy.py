"""When a figure is read, and which reading counts (rules.md 0.1, `rng.settle`; foundations.md 1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings

from games.models import Game, Phase

from .sessions import DEMO, NEW_YORK, Session

#: The source of a figure that a person typed in.
NEWSPAPER = "newspaper"


@dataclass(frozen=True)
class Policy:
    """How the figures of a game are read. All times count from the true close of the session, early closes included.

    A reading before `first_after_close` does not count. Two readings that agree must be `agree_after` apart; None: the first one
    counts. After `give_up_after`, counted from the first reading time, a stock without a figure has no usable report; None: never, the
    phase waits for the gamesmaster. A source that had nothing is asked again after `retry`.
    """

    first_after_close: timedelta
    agree_after: timedelta | None
    give_up_after: timedelta | None
    retry: timedelta


def policy_of(game: Game) -> Policy:
    """The reading policy of a game, from its market, its option `rng.settle` and the hours in `settings.MARKET`."""
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


def first_reading_time(policy: Policy, session: Session) -> datetime:
    """The first instant at which a reading counts."""
    return session.closes + policy.first_after_close


def fix_session(phase: Phase, session: Session) -> None:
    """Fixes the session that decides a phase, and with it when its sales are first read. The caller saves the phase."""
    phase.exchange, phase.session = session.exchange, session.label
    phase.session_opens, phase.session_closes = session.opens, session.closes
    phase.first_reading_at = phase.due_at = first_reading_time(policy_of(phase.game), session)


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


def span(time: timedelta) -> str:
    """A length of time in words: "14 hours", "90 minutes", "1 hour"."""
    seconds = time.total_seconds()
    for unit, size in (("hour", 3600), ("minute", 60), ("second", 1)):
        number = seconds / size
        if number == int(number) or size == 1:
            return f"{number:g} {unit}" + ("" if number == 1 else "s")
    raise AssertionError("seconds are the last unit")


def _day(moment: datetime) -> str:
    return f"{moment:%A} {moment.day} {moment:%B %Y}"
