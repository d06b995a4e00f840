"""Determine when figures are read and which reading counts (`rng.settle`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings

from games.models import Game, Phase
from games.rules.markets import MARKETS, market_of, market_of_exchange
from games.rules.sessions import DEMO, Session
from games.rules.settling import PUBLISHERS, Policy, first_reading_time, span
from games.timing import local_time

from . import witnesses
from .errors import MarketError
from .sessions import zone_of


def policy_of(game: Game) -> Policy:
    """Return the reading policy of a game, from its market, its options `rng.*` and the hours in
    `settings.MARKET`.

    Where the source has no data on symbols, the policy does not check their listing.
    """
    hours, options = settings.MARKET, game.options
    retry = timedelta(minutes=hours["retry_minutes"])
    give_up = timedelta(hours=hours["give_up_hours"])
    if game.market == Game.Market.DEMO:
        policy = Policy(timedelta(0), None, timedelta(0), timedelta(seconds=5))
    elif game.market == Game.Market.NEWSPAPER:
        policy = Policy(timedelta(0), None, None, retry)
    elif options.get("rng.settle") == "first_reading":
        policy = Policy(timedelta(minutes=hours["telephone_minutes"]), None, give_up, retry)
    else:
        policy = Policy(
            timedelta(hours=hours["first_reading_hours"]),
            timedelta(hours=hours["agreement_hours"]),
            give_up,
            retry,
        )
    policy = replace(policy, floor=options.get("rng.floor", 0))
    if game.market not in PUBLISHERS:
        return policy
    return replace(
        policy, market=market_of(options).id, floor_median=options.get("rng.floor_median", 0)
    )


def policy_for(phase: Phase) -> Policy:
    """Return the policy of a phase: the one stored at its lock, before that its game's."""
    return policy_of(phase.game) if phase.policy is None else Policy.from_record(phase.policy)


def fix_session(phase: Phase, session: Session) -> None:
    """Set the session that decides a phase, its policy, and the first reading times. The caller
    saves the phase.

    If the phase already has a session, the policy of its lock stays.
    """
    policy = policy_for(phase) if phase.session else policy_of(phase.game)
    if not phase.session:
        phase.policy = policy.as_record()
    phase.exchange, phase.session = session.exchange, session.label
    phase.session_opens, phase.session_closes = session.opens, session.closes
    phase.first_reading_at = first_reading_time(policy, session)
    phase.witness_at = witnesses.first(phase.game, session)


def limits_in_words(policy: Policy) -> list[str]:
    """Return sentences on which stocks' sales count (`rng.market`, `rng.floor`)."""
    sentences = []
    if policy.market:
        title = MARKETS[policy.market].title
        sentences.append(
            f"Only ordinary shares and funds that the source lists on this market count: {title}."
            " Any other stock has no usable report."
        )
    least = [f"with fewer than {policy.floor:,} shares sold"] if policy.floor else []
    if policy.floor_median:
        least.append(
            f"{'a median' if least else 'with a median'} below {policy.floor_median:,} over the 20"
            " sessions before"
        )
    if least:
        sentences.append(
            f"A stock {', or '.join(least)}{',' if len(least) > 1 else ''} has no usable report."
        )
    return sentences


def describe_policy(policy: Policy, session: Session, describe: Callable[[datetime], str]) -> str:
    """Return the policy as one sentence, with the times of this session as `describe` puts them
    into words for a reader, in their zone."""
    if session.exchange == DEMO:
        return (
            f"The sales of the {DEMO} exchange are made up; its session closes"
            f" {describe(session.closes)}, and the figure read then counts."
        )
    market = market_of_exchange(session.exchange)
    assert market is not None, f"{session.exchange} has sessions, so that it is a market"
    opens = session.opens.astimezone(zone_of(market))
    day = local_time.short_day(opens.date(), opens)
    if policy.give_up_after is None:
        return (
            f"The gamesmaster types in the sales of {day} from the newspaper, and the first figure"
            " entered for a stock counts."
        )
    start = f"The sales of {day} are read from {describe(first_reading_time(policy, session))}"
    end = f"a stock without such a figure {span(policy.give_up_after)} later has no usable report"
    if policy.agree_after is None:
        return f"{start}; the first figure read counts, provisional as it is, and {end}."
    return (
        f"{start}; a figure counts once two readings at least {span(policy.agree_after)} apart"
        f" agree, and {end}."
    )


def session_of(phase: Phase) -> Session:
    """Return the session that was set for a phase at its lock. Raise `MarketError` without one."""
    if not phase.session or phase.session_opens is None or phase.session_closes is None:
        raise MarketError(f"{phase} has no trading session yet: it gets one when its orders lock.")
    return Session(phase.exchange, phase.session, phase.session_opens, phase.session_closes)
