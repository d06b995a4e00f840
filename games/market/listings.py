"""What may be named: what is known of a symbol before an attack rests on it (foundations.md 2, policy 3).

Only a warning: whether a stock decides is settled at the draw by whether there is a usable report of its sales. Nothing here says
who named what: a listing belongs to no game.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings

from games.models import Game, Listing

from .sources import Report

if TYPE_CHECKING:
    from .yahoo import Paper

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


class NoAnswer(Exception):
    """The market did not say what it knows of a symbol. `down`: nor would it say anything of others now."""

    def __init__(self, detail: str, down: bool) -> None:
        super().__init__(detail)
        self.down = down


def is_asked(game: Game) -> bool:
    """Whether the stocks of a game are looked up: where figures are read from New York, and stocks decide."""
    return game.market not in (*NOT_ASKED, Game.Market.DEMO) and _by_stocks(game)


def known(game: Game, symbols: Iterable[str], now: datetime) -> dict[str, Listing]:
    """What is known of these stocks now, without asking anybody; a stock of which nothing is known is left out.

    On the DEMO exchange everything is known: every stock exists but those of which it never has a report.
    """
    from .demo import NO_REPORT

    if game.market == Game.Market.DEMO and _by_stocks(game):
        verdicts = {symbol: Verdict.UNKNOWN if symbol.startswith(NO_REPORT) else Verdict.GOOD for symbol in symbols}
        return {symbol: Listing(symbol=symbol, source="demo", verdict=verdict, checked_at=now) for symbol, verdict in verdicts.items()}
    return fresh(symbols, now) if is_asked(game) else {}


def fresh(symbols: Iterable[str], now: datetime) -> dict[str, Listing]:
    """The newest listing of each of these stocks, where it is not too old to count."""
    since = now - max(AT_LEAST, timedelta(days=settings.MARKET["listing_days"]))
    wanted = set(symbols)
    if not wanted:
        return {}
    rows = Listing.objects.filter(symbol__in=wanted, checked_at__gt=since).order_by("checked_at", "pk")
    return {row.symbol: row for row in rows}


def look_up(symbol: str, now: datetime) -> Listing:
    """Asks the market about a symbol and keeps what it says. Raises `NoAnswer`.

    Asks a slow server: never in a web request, and never inside a transaction.
    """
    from . import yahoo

    answer = yahoo.about(symbol, now)
    if isinstance(answer, Report):
        if answer.kind != "unknown":
            raise NoAnswer(answer.detail, answer.down)
        return Listing.objects.create(
            symbol=symbol, source=yahoo.Yahoo.name, verdict=Verdict.UNKNOWN, checked_at=now, raw={**answer.raw, "detail": answer.detail}
        )
    volumes = answer.volumes[-settings.MARKET["listing_sessions"] :]
    median = round(statistics.median(volumes)) if volumes else None
    return Listing.objects.create(
        symbol=symbol,
        source=yahoo.Yahoo.name,
        verdict=_verdict(answer, median),
        exchange=answer.exchange[:60] or answer.code[:60],
        instrument=answer.instrument[:20],
        currency=answer.currency[:8],
        median_volume=median,
        sessions=len(volumes),
        checked_at=now,
        raw=answer.raw,
    )


def fault(listing: Listing) -> str:
    """What is wrong with a stock, as the end of a sentence that names it: "names VOD.L, …". Empty where nothing is."""
    match listing.verdict:
        case Verdict.UNKNOWN if listing.source == "demo":
            return "of which the DEMO exchange never has a report"
        case Verdict.UNKNOWN:
            return "and no such stock is known"
        case Verdict.PAPER:
            return f"which is {PAPERS.get(listing.instrument, 'neither a stock nor a fund')}, not a stock or a fund that is traded"
        case Verdict.ABROAD:
            where = f"is listed at {listing.exchange}" if listing.exchange else "has no exchange of its own"
            return f"which {where}, not at NYSE, Nasdaq, NYSE American or NYSE Arca"
        case Verdict.THIN if not listing.median_volume:
            return "which was hardly sold at all last month: its digits are not fair"
        case Verdict.THIN:
            return f"which sells about {listing.median_volume:,} shares a day: the digits of so thin a stock are not fair"
    return ""


def _verdict(paper: Paper, median: int | None) -> Verdict:
    limits = settings.MARKET
    if paper.instrument and paper.instrument not in limits["listing_papers"]:
        return Verdict.PAPER
    if paper.code and paper.code not in limits["listing_exchanges"]:
        return Verdict.ABROAD
    if median is None or median < limits["listing_shares"]:
        return Verdict.THIN
    return Verdict.GOOD


def _by_stocks(game: Game) -> bool:
    return bool(game.options.get("rng.source", "stocks") == "stocks")
