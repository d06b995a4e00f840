"""What is said of the draw before anybody knows it: when orders lock, whose sales decide, and when
the digit is expected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from games.models import Game
from games.rules.markets import market_of
from games.rules.sessions import Session
from games.rules.settling import first_reading_time

from .policy import policy_of
from .sessions import DEMO, session_for, zone_of


@dataclass(frozen=True)
class Announced:
    """The draw of a phase of attacks as it will be if its deadline stands and the market opens as
    it should.

    Without a session and times where no sales decide (`rng.source`). `first_reading` is the first
    that counts, `expected` when the figures can have settled; None where that waits for the
    gamesmaster.
    """

    session: Session | None
    first_reading: datetime | None
    sentence: str
    expected: datetime | None = None


def announcement(game: Game, deadline: datetime) -> Announced:
    """What pages say beforehand: “orders lock Tue 09:00 New York; Tuesday's sales decide; the digit
    is expected Wed 08:00”.

    The lock is taken to come at the deadline, hours of grace included. Raises `MarketError` where
    no session can be found.
    """
    lock = deadline + game.grace
    start = f"orders lock {_lock_in_words(game, lock)}"
    if (words := OTHER_SOURCES.get(game.options["rng.source"])) is not None:
        return Announced(None, None, f"{start}; {words}")
    session, policy = session_for(game, lock), policy_of(game)
    first = first_reading_time(policy, session)
    if session.exchange == DEMO:
        closes = session.closes.astimezone(UTC)
        sentence = (
            f"{start}; the {DEMO} session of {session.opens:%H:%M:%S} UTC decides; the digit is"
            f" expected {closes:%H:%M:%S}"
        )
        return Announced(session, first, sentence, first)
    zone = zone_of(market_of(game.options))
    opens, here = session.opens.astimezone(zone), lock.astimezone(zone)
    near = opens.date() - here.date() < timedelta(days=7)
    decides = (
        f"{opens:%A}'s sales decide"
        if near
        else f"the sales of {opens:%A} {opens.day} {opens:%B} decide"
    )
    if policy.give_up_after is None:
        return Announced(
            session, first, f"{start}; {decides}; the gamesmaster enters them from a newspaper"
        )
    expected = first + (policy.agree_after or timedelta(0))
    provisional = ", provisional as it is" if policy.agree_after is None else ""
    sentence = (
        f"{start}; {decides}; the digit is expected"
        f" {_short(expected.astimezone(zone), here)}{provisional}"
    )
    return Announced(session, first, sentence, expected)


#: What decides where it is not the sales, in words.
OTHER_SOURCES = {
    "gm_dice": "the gamesmaster's own rolls decide",
    "commit_reveal": "the seed whose hash was published when the phase opened decides, at once",
}


def _lock_in_words(game: Game, lock: datetime) -> str:
    """Write “Tue 09:00 New York”, or with the game's clock: “Tue 14:00 London (09:00 New York)”."""
    if game.market == Game.Market.DEMO:
        return f"{lock.astimezone(UTC):%H:%M:%S} UTC"
    market = market_of(game.options)
    there, own = lock.astimezone(zone_of(market)), lock.astimezone(ZoneInfo(game.zone))
    if own.replace(tzinfo=None) == there.replace(tzinfo=None):
        return f"{there:%a %H:%M} {market.place}"
    name = game.zone.rsplit("/", 1)[-1].replace("_", " ")
    return f"{own:%a %H:%M} {name} ({_short(there, own)} {market.place})"


def _short(moment: datetime, beside: datetime) -> str:
    """“Wed 08:00”; the day is left out where both are the same and named in full where the weekday
    could mistake the week."""
    if moment.date() == beside.date():
        return f"{moment:%H:%M}"
    if abs(moment.date() - beside.date()) < timedelta(days=7):
        return f"{moment:%a %H:%M}"
    return f"{moment:%a} {moment.day} {moment:%b %H:%M}"
