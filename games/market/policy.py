"""When a figure is read, and which reading counts (rules.md 0.1, `rng.settle`; foundations.md
1.3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.conf import settings

from games.models import Game, Phase
from games.rules.markets import MARKETS, by_exchange, market_of
from games.rules.sessions import Session
from games.rules.settling import Policy, first_reading_time, span

from . import witnesses
from .sessions import DEMO, zone_of

#: Markets whose publisher says of each symbol what it is and where it is listed.
PUBLISHED = (Game.Market.YAHOO, Game.Market.TIINGO)


def policy_of(game: Game) -> Policy:
    """The reading policy of a game, from its market, its options `rng.*` and the hours in
    `settings.MARKET`.

    Games from before `rng.floor` have none. A source that says nothing of its symbols is not asked
    where they are listed.
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
    if game.market not in PUBLISHED:
        return policy
    return replace(
        policy, market=market_of(options).id, floor_median=options.get("rng.floor_median", 0)
    )


def policy_for(phase: Phase) -> Policy:
    """The policy that was stored at the lock of a phase. One that was locked before policies were
    stored asks for neither market nor floor: the readings that it waits for, or has, may not tell.
    """
    if phase.policy is not None:
        return Policy.of_record(phase.policy)
    return replace(policy_of(phase.game), market="", floor=0, floor_median=0)


def fix_session(phase: Phase, session: Session) -> None:
    """Fixes the session that decides a phase, how its sales are read, and when first. The caller
    saves the phase.

    Another session for the same phase leaves the policy of its lock.
    """
    policy = policy_for(phase) if phase.session else policy_of(phase.game)
    if not phase.session:
        phase.policy = policy.as_record()
    phase.exchange, phase.session = session.exchange, session.label
    phase.session_opens, phase.session_closes = session.opens, session.closes
    phase.first_reading_at = first_reading_time(policy, session)
    phase.witness_at = witnesses.first(phase.game, session)


def limits_in_words(policy: Policy) -> list[str]:
    """What a stock must be, and how much of it must be sold, for its sales to count (`rng.market`,
    `rng.floor`), a sentence each."""
    said = []
    if policy.market:
        title = MARKETS[policy.market].title
        said.append(
            f"Only an ordinary share or fund counts that the source lists on this market: {title}."
            " Any other has no usable report."
        )
    few = [f"with fewer than {policy.floor:,} shares sold"] if policy.floor else []
    if policy.floor_median:
        few.append(
            f"{'a median' if few else 'with a median'} below {policy.floor_median:,} over the 20"
            " sessions before"
        )
    if few:
        said.append(
            f"A stock {', or '.join(few)}{',' if len(few) > 1 else ''} has no usable report."
        )
    return said


def in_words(policy: Policy, session: Session) -> str:
    """The reading rule as one sentence for letters, with the times of this session."""
    if session.exchange == DEMO:
        return (
            f"The sales of the {DEMO} exchange are made up; its session closes at"
            f" {session.closes.astimezone(UTC):%H:%M:%S} UTC on"
            f" {_day(session.closes.astimezone(UTC))}, and the figure read then counts."
        )
    market = by_exchange(session.exchange)
    assert market is not None, f"{session.exchange} has sessions, so that it is a market"
    zone = zone_of(market)
    day = _day(session.opens.astimezone(zone))
    if policy.give_up_after is None:
        return (
            f"The gamesmaster types in the sales of {day} from the newspaper, and the first figure"
            " entered for a stock counts."
        )
    first = first_reading_time(policy, session).astimezone(zone)
    start = f"The sales of {day} are read from {first:%H:%M} {market.place} time on {_day(first)}"
    end = f"a stock without such a figure {span(policy.give_up_after)} later has no usable report"
    if policy.agree_after is None:
        return f"{start}; the first figure read counts, provisional as it is, and {end}."
    return (
        f"{start}; a figure counts once two readings at least {span(policy.agree_after)} apart"
        f" agree, and {end}."
    )


def _day(moment: datetime) -> str:
    return f"{moment:%A} {moment.day} {moment:%B %Y}"
