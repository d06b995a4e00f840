"""What orders say of stocks: which they name, and what is known of these at once (foundations.md 2,
policy 3).

A remark here says that a stock decides nothing, but it refuses no line, and `resolve` never sees
it. What is not known yet is left to `orders.stock_checks`, which looks it up once the orders are in
the ledger and writes to their sender.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from games.market import listings
from games.market.rolls import by_sales
from games.models import Game, Listing, Phase, Seat
from games.rules import Reading, Remark
from games.rules.orders import lines, quote_line

from .models import StockCheck, Submission

#: More stocks than any nation has attacks for: what is named beyond them is not looked up.
MOST_A_TEXT = 60
PARTS = re.compile(r"[\s/]+")


@dataclass(frozen=True)
class Reviewed:
    """A reading with what is known of its stocks said beside each line, and the stocks of which
    nothing is known yet."""

    reading: Reading
    unknown: tuple[str, ...] = ()


def review(
    reading: Reading, text: str, seat: Seat, phase: Phase, state: Any, now: datetime
) -> Reviewed:
    """Adds to a reading what is known now of the stocks that it names. Asks the database once, and
    nobody else."""
    game = phase.game
    if phase.status != Phase.Status.OPEN or not phase.draws:
        return Reviewed(reading)
    named = first_lines(game, seat.nation, state, text, reading.understood)
    if not by_sales(game):
        return Reviewed(_without_stocks(reading, text, dict(named.values())))
    kept_back = _stocks_of_others(seat, named) if listings.checks_stocks(game) else set()
    known = listings.known_listings(
        game, [symbol for symbol in named if symbol not in kept_back], now
    )
    written = {line.number: quote_line(line) for line in lines(text)}
    doubts = []
    for symbol, listing in known.items():
        line, words = named[symbol]
        last = game.rules.stocks(state, {seat.nation: words})[-1]
        if listings.fault(listing, game):
            doubts.append(remark(listing, game, line, written[line], followed=symbol != last))
    remarks = sorted((*reading.remarks, *doubts), key=lambda one: one.line)
    unknown = (
        tuple(symbol for symbol in named if symbol not in known)
        if listings.checks_stocks(game)
        else ()
    )
    return Reviewed(replace(reading, remarks=tuple(remarks)), unknown)


def _without_stocks(reading: Reading, text: str, named: Mapping[int, str]) -> Reading:
    """The reading of a game in which no sales decide, with that said beside lines that name a
    stock."""
    said = "its stock counts for nothing, for no sales decide in this game."
    written = {line.number: quote_line(line) for line in lines(text)}
    notes = [Remark(line, "note", "stock_unused", f"{written[line]}: {said}") for line in named]
    remarks = sorted((*reading.remarks, *notes), key=lambda one: one.line)
    return replace(reading, remarks=tuple(remarks))


def first_lines(
    game: Game, nation: str, state: Any, text: str, understood: Iterable[tuple[int, str]]
) -> dict[str, tuple[int, str]]:
    """The stocks that a text may come to ask for, each with the first line that names it and the
    order in it. Those off a binding list never are."""
    symbols = game.rules.stocks(state, {nation: text})
    if game.options["rng.stock_choice"] == "list_only":
        symbols = tuple(symbol for symbol in symbols if symbol in game.reserves)
    found: dict[str, tuple[int, str]] = {}
    for symbol in symbols[:MOST_A_TEXT]:
        for number, words in understood:
            # A word may be spelled like a stock without being one: the rules say which it is.
            if symbol in PARTS.split(words) and symbol in game.rules.stocks(state, {nation: words}):
                found[symbol] = number, words
                break
    return found


def remark(listing: Listing, game: Game, line: int, written: str, *, followed: bool) -> Remark:
    """What is said beside the line that names a stock that decides nothing; `followed`: it names
    another after it."""
    void = game.options.get("rng.no_stock") == "attack_void"
    then = (
        "the next stock on the line decides"
        if followed
        else "the attack is void"
        if void
        else "the reserve list decides"
    )
    code = f"stock_{listings.verdict_for(listing, game)}"
    return Remark(line, "warning", code, f"{written}: {listings.in_words(listing, game, then)}")


def ask(submission: Submission, unknown: Iterable[str], now: datetime) -> None:
    """Puts stocks of which nothing is known into the queue, in the transaction that writes the
    submission."""
    StockCheck.objects.bulk_create(
        StockCheck(submission=submission, symbol=symbol, due_at=now) for symbol in unknown
    )


def _stocks_of_others(seat: Seat, symbols: Iterable[str]) -> set[str]:
    """Stocks that were looked up because another nation of this game named them, and this one did
    not.

    What was found is kept back until the seat's own orders have asked for it: a remark that comes
    at once, where it would otherwise take a lookup, would tell one player what another has named
    (design 8).
    """
    asked = StockCheck.objects.filter(
        submission__game=seat.game_id, symbol__in=list(symbols)
    ).values_list("symbol", "submission__seat")
    own = {symbol for symbol, asking in asked if asking == seat.pk}
    return {symbol for symbol, _ in asked} - own
