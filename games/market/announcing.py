"""Announce a draw in advance: when orders lock, which session's sales decide, and when the digit is
expected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from games.models import Game
from games.rules.markets import market_of
from games.rules.sessions import DEMO, Session
from games.rules.settling import first_reading_time
from games.timing import local_time

from .policy import policy_of
from .sessions import session_for, zone_of


@dataclass(frozen=True)
class Announced:
    """The expected draw of an attack phase, if its deadline does not move and the market opens as
    scheduled.

    `session` is None where sales do not decide (`rng.source`). `expected` is the earliest time when
    figures can have settled, None where the gamesmaster enters them.
    """

    session: Session | None
    sentence: str
    expected: datetime | None = None


def announcement(game: Game, deadline: datetime) -> Announced:
    """Return the announcement of a draw: “orders lock Tue 09:00 New York; Tuesday's sales decide;
    the digit is expected Wed 08:00”.

    The lock is assumed to be at the deadline plus hours of grace. Raise `MarketError` where no
    session is found.
    """
    lock = deadline + game.grace
    start = f"orders lock {_lock_in_words(game, lock)}"
    if (words := OTHER_SOURCES.get(game.options["rng.source"])) is not None:
        return Announced(None, f"{start}; {words}")
    session, policy = session_for(game, lock), policy_of(game)
    first = first_reading_time(policy, session)
    if session.exchange == DEMO:
        if not game.schedule.get("minutes"):
            return Announced(session, f"{start}; the {DEMO} session right after it decides", first)
        zone = ZoneInfo(game.zone)
        opens, closes = session.opens.astimezone(zone), session.closes.astimezone(zone)
        sentence = (
            f"{start}; the {DEMO} session of {opens:%H:%M:%S} decides; the digit is"
            f" expected {closes:%H:%M:%S}"
        )
        return Announced(session, sentence, first)
    market = market_of(game.options)
    zone = zone_of(market)
    opens, lock_there = session.opens.astimezone(zone), lock.astimezone(zone)
    within_a_week = opens.date() - lock_there.date() < timedelta(days=7)
    decides = (
        f"{opens:%A}'s sales decide"
        if within_a_week
        else f"the sales of {opens:%A} {opens.day} {opens:%B} decide"
    )
    if policy.give_up_after is None:
        return Announced(
            session, f"{start}; {decides}; the gamesmaster enters them from a newspaper"
        )
    expected = first + (policy.agree_after or timedelta(0))
    there = expected.astimezone(zone)
    own_clock = there.utcoffset() == there.astimezone(ZoneInfo(game.zone)).utcoffset()
    provisional = ", provisional as it is" if policy.agree_after is None else ""
    sentence = (
        f"{start}; {decides}; the digit is expected"
        f" {_short(there, lock_there)}{'' if own_clock else f' {market.place}'}{provisional}"
    )
    return Announced(session, sentence, expected)


#: What decides instead of sales, in words.
OTHER_SOURCES = {
    "gm_dice": "the gamesmaster's own rolls decide",
    "commit_reveal": "the seed whose hash was published when the phase opened decides, at once",
}


def _lock_in_words(game: Game, lock: datetime) -> str:
    """Return “Tue 09:00 New York”, or, for a game in another zone, “Tue 14:00 London (09:00 New
    York)”. The DEMO exchange has no place; a schedule in minutes needs seconds."""
    game_time = lock.astimezone(ZoneInfo(game.zone))
    name = game.zone.rsplit("/", 1)[-1].replace("_", " ")
    utc = local_time.utc_of_repeated(game_time)
    if game.market == Game.Market.DEMO:
        time = f"{game_time:{'%H:%M:%S' if game.schedule.get('minutes') else '%a %H:%M'}} {name}"
        return time + local_time.in_brackets(utc)
    market = market_of(game.options)
    market_time = lock.astimezone(zone_of(market))
    if game_time.replace(tzinfo=None) == market_time.replace(tzinfo=None):
        return f"{market_time:%a %H:%M} {market.place}{local_time.in_brackets(utc)}"
    there = f"{_short(market_time, game_time)} {market.place}"
    return f"{game_time:%a %H:%M} {name}{local_time.in_brackets(there, utc)}"


def _short(moment: datetime, beside: datetime) -> str:
    """Return “Wed 08:00”, without the day if it is the same, and with the date if it is a week or
    more away."""
    if moment.date() == beside.date():
        return f"{moment:%H:%M}"
    if abs(moment.date() - beside.date()) < timedelta(days=7):
        return f"{moment:%a %H:%M}"
    return f"{moment:%a} {moment.day} {moment:%b %H:%M}"
