"""Check a stock before an attack depends on it (`rng.market`).

The same rules apply as at the draw: a stock that the game's policy does not accept decides nothing,
and the receipt says so while the orders can still be changed. Orders are not rejected for it,
because the facts may change until the draw. Nothing here records who named a stock: a listing
belongs to no game, and its verdict is computed for each game.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from games.base.text import storable
from games.market.report import Report
from games.models import Game, Listing
from games.rules.markets import INSTRUMENTS, MARKETS, Market
from games.rules.sessions import Session
from games.rules.settling import PUBLISHERS, is_listed

from . import yahoo
from .demo import NO_REPORT
from .policy import policy_of

Verdict = Listing.Verdict

#: The least time between two look-ups of a stock, whatever the settings say.
AT_LEAST = timedelta(days=1)
#: How long a listing shows that a symbol existed. Longer than a phase is open with orders that name
#: it: they are looked up when they arrive, not again before the session.
REMEMBERED = timedelta(days=60)
#: Markets whose source cannot be queried in advance.
NOT_ASKED = (Game.Market.NEWSPAPER, Game.Market.RECORDED)
#: Yahoo's types of securities that are not shares or traded funds, in words.
PAPERS = {
    "INDEX": "an index",
    "CURRENCY": "a currency",
    "CRYPTOCURRENCY": "a cryptocurrency",
    "MUTUALFUND": "a fund without sales on an exchange",
    "FUTURE": "a future",
    "OPTION": "an option",
}
#: Places for time zones whose name does not contain them.
CITIES = {
    "Asia/Kolkata": "Mumbai",
    "Asia/Calcutta": "Mumbai",
    "Asia/Shanghai": "mainland China",
    "UTC": "",
}


class NoAnswer(Exception):
    """Raised where the market did not answer about a symbol. `down`: it does not answer at all."""

    def __init__(self, detail: str, down: bool) -> None:
        super().__init__(detail)
        self.down = down


def checks_stocks(game: Game) -> bool:
    """Return whether a game's stocks are looked up: a publisher's figures are read, and stocks
    decide."""
    return game.market not in (*NOT_ASKED, Game.Market.DEMO) and _stocks_decide(game)


def known_listings(game: Game, symbols: Iterable[str], now: datetime) -> dict[str, Listing]:
    """Return the current listings of these stocks from the database; stocks without one are left
    out.

    On the DEMO exchange every stock is known: it exists, unless the exchange never has a report for
    it.
    """
    if game.market == Game.Market.DEMO and _stocks_decide(game):
        verdicts = {
            symbol: Verdict.UNKNOWN if symbol.startswith(NO_REPORT) else Verdict.GOOD
            for symbol in symbols
        }
        return {
            symbol: Listing(symbol=symbol, source="demo", verdict=verdict, checked_at=now)
            for symbol, verdict in verdicts.items()
        }
    return fresh_listings(symbols, now) if checks_stocks(game) else {}


def fresh_listings(symbols: Iterable[str], now: datetime) -> dict[str, Listing]:
    """Return the newest listing of each of these stocks, unless it is too old."""
    since = now - max(AT_LEAST, timedelta(days=settings.MARKET["listing_days"]))
    symbol_set = set(symbols)
    if not symbol_set:
        return {}
    rows = Listing.objects.filter(symbol__in=symbol_set, checked_at__gt=since).order_by(
        "checked_at", "pk"
    )
    return {row.symbol: row for row in rows}


def listed_before(symbol: str, session: Session) -> dict[str, Any]:
    """Return where the service had found a share or fund before a session; empty if nowhere.

    The newest listing counts. It is one from before the opening, so that nothing done once sales
    can be known decides how long the source is asked for them (`settling.settle`).
    """
    since = session.opens - REMEMBERED
    rows = Listing.objects.filter(symbol=symbol, checked_at__gt=since, checked_at__lt=session.opens)
    newest = rows.order_by("checked_at", "pk").last()
    return _facts(newest) if newest is not None and newest.verdict == Verdict.GOOD else {}


def look_up(symbol: str, now: datetime) -> Listing:
    """Ask the market about a symbol and store its answer. Raise `NoAnswer`.

    This calls a slow server: never use it in a web request or inside a transaction.
    """
    answer = yahoo.symbol_data(symbol, now)
    if isinstance(answer, Report):
        if answer.kind != "unknown":
            raise NoAnswer(answer.detail, answer.down)
        return Listing.objects.create(
            symbol=symbol,
            source=yahoo.Yahoo.name,
            verdict=Verdict.UNKNOWN,
            checked_at=now,
            raw=storable({**answer.raw, "detail": answer.detail}),
        )
    return Listing.objects.create(
        symbol=symbol,
        source=yahoo.Yahoo.name,
        verdict=Verdict.GOOD if answer.facts["instrument"] in INSTRUMENTS else Verdict.PAPER,
        exchange=answer.exchange[:60] or answer.facts["code"][:60],
        instrument=answer.facts["instrument"][:20],
        currency=answer.currency[:8],
        median_volume=answer.facts.get("median"),
        sessions=len(answer.raw.get("volumes", ())),
        checked_at=now,
        raw=answer.raw,
    )


def verdict_for(listing: Listing, game: Game) -> Verdict:
    """Return the current verdict on a stock for a game: GOOD if its sales would count."""
    if listing.verdict == Verdict.UNKNOWN or listing.source == "demo":
        return Verdict(listing.verdict)
    if listing.instrument not in INSTRUMENTS:
        return Verdict.PAPER
    policy = policy_of(game)
    if policy.market and not is_listed(_facts(listing), policy.market):
        return Verdict.ABROAD
    return Verdict.THIN if (listing.median_volume or 0) < policy.floor_median else Verdict.GOOD


def fault(listing: Listing, game: Game) -> str:
    """Return the problem with a stock, as the rest of a sentence that begins with the symbol:
    "TCS.NS is listed in Mumbai, …"; "" if there is none."""
    match verdict_for(listing, game):
        case Verdict.UNKNOWN if listing.source == "demo":
            return "never has a report on the DEMO exchange"
        case Verdict.UNKNOWN:
            return f"is not a stock that {PUBLISHERS.get(listing.source, listing.source)} knows"
        case Verdict.PAPER:
            return (
                f"is {PAPERS.get(listing.instrument, 'neither a share nor a fund')}, not a share or"
                " a fund that is traded"
            )
        case Verdict.ABROAD:
            return _foreign_fault(listing, MARKETS[policy_of(game).market])
        case Verdict.THIN:
            sales = (
                f"sells about {listing.median_volume:,} shares a day"
                if listing.median_volume
                else "was hardly traded last month"
            )
            return f"{sales}, and at least {policy_of(game).floor_median:,} are asked for"
    return ""


def fault_sentence(listing: Listing, game: Game, then: str) -> str:
    """Return a sentence on why a stock decides nothing. `then` says what happens instead."""
    return f"{listing.symbol} {fault(listing, game)}: it has no usable report, and {then}."


def _foreign_fault(listing: Listing, market: Market) -> str:
    facts = _facts(listing)
    zone = str(facts["zone"] or "")
    place = next(
        (
            other.place
            for other in MARKETS.values()
            if facts["code"] in other.codes and zone == other.zone
        ),
        None,
    )
    city = place or CITIES.get(zone, zone.rpartition("/")[2].replace("_", " "))
    if city and zone != market.zone:
        return f"is listed in {city}, not in {market.place}"
    return (
        f"{f'is listed at {listing.exchange}' if listing.exchange else 'is listed nowhere'}, and"
        f" only {market.title} counts"
    )


def _facts(listing: Listing) -> dict[str, Any]:
    """Return where a stock is listed according to Yahoo, in the form of a reading's facts."""
    meta = listing.raw.get("meta") or {}
    return {
        "code": meta.get("exchangeName"),
        "zone": meta.get("exchangeTimezoneName"),
        "instrument": listing.instrument,
    }


def _stocks_decide(game: Game) -> bool:
    return bool(game.options.get("rng.source", "stocks") == "stocks")
