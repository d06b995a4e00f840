"""What may be named: what is known of a symbol before an attack rests on it (foundations.md 2,
policy 3; rules.md 0.1, `rng.market`).

By the same rules as at the draw: a stock that the game's policy would not let count decides
nothing, and the receipt says so while the orders can still be changed. It refuses nothing, for what
is known can change until then. Nothing here says who named what: a listing belongs to no game, and
what it comes to is asked for each game.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from games.market.report import Report
from games.models import Game, Listing
from games.rules.markets import INSTRUMENTS, MARKETS, Market
from games.rules.settling import is_listed

from . import yahoo
from .demo import NO_REPORT
from .policy import policy_of
from .sources import PUBLISHERS

Verdict = Listing.Verdict

#: What is checked once is not asked for again within this time, whatever the settings say.
AT_LEAST = timedelta(days=1)
#: Markets whose figures come from somewhere that we cannot ask beforehand.
NOT_ASKED = (Game.Market.NEWSPAPER, Game.Market.RECORDED)
#: Yahoo's words for what is neither a stock nor a fund, as people say them.
PAPERS = {
    "INDEX": "an index",
    "CURRENCY": "a currency",
    "CRYPTOCURRENCY": "a cryptocurrency",
    "MUTUALFUND": "a fund without sales on an exchange",
    "FUTURE": "a future",
    "OPTION": "an option",
}
#: Cities that a time zone is not called after.
CITIES = {
    "Asia/Kolkata": "Mumbai",
    "Asia/Calcutta": "Mumbai",
    "Asia/Shanghai": "mainland China",
    "UTC": "",
}


class NoAnswer(Exception):
    """The market did not say what it knows of a symbol. `down`: nor would it of others."""

    def __init__(self, detail: str, down: bool) -> None:
        super().__init__(detail)
        self.down = down


def checks_stocks(game: Game) -> bool:
    """Whether a game's stocks are looked up: New York figures are read, and stocks decide."""
    return game.market not in (*NOT_ASKED, Game.Market.DEMO) and _by_stocks(game)


def known_listings(game: Game, symbols: Iterable[str], now: datetime) -> dict[str, Listing]:
    """What is known of these stocks now, without asking anybody; a stock of which nothing is known
    is left out.

    On the DEMO exchange everything is known: every stock exists but those of which it never has a
    report.
    """
    if game.market == Game.Market.DEMO and _by_stocks(game):
        verdicts = {
            symbol: Verdict.UNKNOWN if symbol.startswith(NO_REPORT) else Verdict.GOOD
            for symbol in symbols
        }
        return {
            symbol: Listing(symbol=symbol, source="demo", verdict=verdict, checked_at=now)
            for symbol, verdict in verdicts.items()
        }
    return fresh(symbols, now) if checks_stocks(game) else {}


def fresh(symbols: Iterable[str], now: datetime) -> dict[str, Listing]:
    """The newest listing of each of these stocks, where it is not too old to count."""
    since = now - max(AT_LEAST, timedelta(days=settings.MARKET["listing_days"]))
    wanted = set(symbols)
    if not wanted:
        return {}
    rows = Listing.objects.filter(symbol__in=wanted, checked_at__gt=since).order_by(
        "checked_at", "pk"
    )
    return {row.symbol: row for row in rows}


def look_up(symbol: str, now: datetime) -> Listing:
    """Asks the market about a symbol and keeps what it says. Raises `NoAnswer`.

    Asks a slow server: never in a web request, and never inside a transaction.
    """
    answer = yahoo.about(symbol, now)
    if isinstance(answer, Report):
        if answer.kind != "unknown":
            raise NoAnswer(answer.detail, answer.down)
        return Listing.objects.create(
            symbol=symbol,
            source=yahoo.Yahoo.name,
            verdict=Verdict.UNKNOWN,
            checked_at=now,
            raw={**answer.raw, "detail": answer.detail},
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
    """Return what a stock is worth in a game as known now: GOOD if its sales would count."""
    if listing.verdict == Verdict.UNKNOWN or listing.source == "demo":
        return Verdict(listing.verdict)
    if listing.instrument not in INSTRUMENTS:
        return Verdict.PAPER
    policy = policy_of(game)
    if policy.market and not is_listed(_facts(listing), policy.market):
        return Verdict.ABROAD
    return Verdict.THIN if (listing.median_volume or 0) < policy.floor_median else Verdict.GOOD


def fault(listing: Listing, game: Game) -> str:
    """What is wrong with a stock, as a sentence goes on that begins with it: "TCS.NS is listed in
    Mumbai, …". Empty where nothing is."""
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
            return _abroad(listing, MARKETS[policy_of(game).market])
        case Verdict.THIN:
            sold = (
                f"sells about {listing.median_volume:,} shares a day"
                if listing.median_volume
                else "was hardly sold at all last month"
            )
            return f"{sold}, and at least {policy_of(game).floor_median:,} are asked for"
    return ""


def in_words(listing: Listing, game: Game, then: str) -> str:
    """That a stock decides nothing, and what does instead, as a whole sentence."""
    return f"{listing.symbol} {fault(listing, game)}: it has no usable report, and {then}."


def _abroad(listing: Listing, market: Market) -> str:
    facts = _facts(listing)
    zone = str(facts["zone"] or "")
    there = next(
        (one.place for one in MARKETS.values() if facts["code"] in one.codes and zone == one.zone),
        None,
    )
    city = there or CITIES.get(zone, zone.rpartition("/")[2].replace("_", " "))
    if city and zone != market.zone:
        return f"is listed in {city}, not in {market.place}"
    return (
        f"{f'is listed at {listing.exchange}' if listing.exchange else 'is listed nowhere'}, and"
        f" only {market.title} counts"
    )


def _facts(listing: Listing) -> dict[str, Any]:
    """Where Yahoo said that a stock is listed, as the facts of a reading have it."""
    meta = listing.raw.get("meta") or {}
    return {
        "code": meta.get("exchangeName"),
        "zone": meta.get("exchangeTimezoneName"),
        "instrument": listing.instrument,
    }


def _by_stocks(game: Game) -> bool:
    return bool(game.options.get("rng.source", "stocks") == "stocks")
