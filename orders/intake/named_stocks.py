"""Find the stocks that orders name, and warn about those that cannot decide.

A remark here says that a stock decides nothing. It rejects no line,
and `resolve` never sees it. Stocks about which nothing is known yet are left to
`orders.intake.stock_checks`, which looks them up once the orders are in the ledger and writes to
the sender.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from games.market import listings
from games.market.rolls import sales_decide
from games.models import Game, Listing, Phase, Seat
from games.rules import Reading, Remark
from games.rules.orders import lines, quote_line
from orders.models import StockCheck, Submission

#: More stocks than any nation has attacks; further ones are not looked up.
MOST_A_TEXT = 60
PARTS = re.compile(r"[\s/]+")


@dataclass(frozen=True)
class ReviewedOrders:
    """Parsed orders with remarks on their stocks, and the stocks not known yet."""

    reading: Reading
    unknown: tuple[str, ...] = ()


def review(
    reading: Reading, text: str, seat: Seat, phase: Phase, state: Any, now: datetime
) -> ReviewedOrders:
    """Add remarks on the stocks that parsed orders name, as far as they are known now.

    Reads the database once, and never asks a market source.
    """
    game = phase.game
    if phase.status != Phase.Status.OPEN or not phase.draws:
        return ReviewedOrders(reading)
    line_by_symbol = first_lines(game, seat.nation, state, text, reading.understood)
    if not sales_decide(game):
        return ReviewedOrders(_note_ignored_stocks(reading, text, dict(line_by_symbol.values())))
    withheld = _stocks_of_others(seat, line_by_symbol) if listings.checks_stocks(game) else set()
    listing_by_symbol = listings.known_listings(
        game, [symbol for symbol in line_by_symbol if symbol not in withheld], now
    )
    quotes = {line.number: quote_line(line) for line in lines(text)}
    doubts = []
    for symbol, listing in listing_by_symbol.items():
        line, words = line_by_symbol[symbol]
        last = game.rules.stocks(state, {seat.nation: words})[-1]
        if listings.fault(listing, game):
            doubts.append(remark(listing, game, line, quotes[line], followed=symbol != last))
    remarks = sorted((*reading.remarks, *doubts), key=lambda note: note.line)
    unknown = (
        tuple(symbol for symbol in line_by_symbol if symbol not in listing_by_symbol)
        if listings.checks_stocks(game)
        else ()
    )
    return ReviewedOrders(replace(reading, remarks=tuple(remarks)), unknown)


def _note_ignored_stocks(reading: Reading, text: str, named: Mapping[int, str]) -> Reading:
    """Note on each line that names a stock that it is ignored in this game.

    For games in which no sales decide.
    """
    sentence = "its stock is ignored, because sales do not decide in this game."
    quotes = {line.number: quote_line(line) for line in lines(text)}
    notes = [Remark(line, "note", "stock_unused", f"{quotes[line]}: {sentence}") for line in named]
    remarks = sorted((*reading.remarks, *notes), key=lambda note: note.line)
    return replace(reading, remarks=tuple(remarks))


def first_lines(
    game: Game, nation: str, state: Any, text: str, understood: Iterable[tuple[int, str]]
) -> dict[str, tuple[int, str]]:
    """Return the stocks that a text may need, each with the first line that names it and its order.

    Stocks off a binding list are not included.
    """
    symbols = game.rules.stocks(state, {nation: text})
    if game.options["rng.stock_choice"] == "list_only":
        symbols = tuple(symbol for symbol in symbols if symbol in game.reserves)
    line_by_symbol: dict[str, tuple[int, str]] = {}
    for symbol in symbols[:MOST_A_TEXT]:
        for number, words in understood:
            # A word may be spelled like a stock without being one; the rules tell which it is.
            if symbol in PARTS.split(words) and symbol in game.rules.stocks(state, {nation: words}):
                line_by_symbol[symbol] = number, words
                break
    return line_by_symbol


def remark(listing: Listing, game: Game, line: int, written: str, *, followed: bool) -> Remark:
    """Return the warning for a line that names a stock that decides nothing.

    `followed`: the line names another stock after it.
    """
    void = game.options.get("rng.no_stock") == "attack_void"
    consequence = (
        "the next stock on the line decides"
        if followed
        else "the attack is void"
        if void
        else "the reserve list decides"
    )
    code = f"stock_{listings.verdict_for(listing, game)}"
    sentence = listings.fault_sentence(listing, game, consequence)
    wasted = void and not followed
    return Remark(line, "warning", code, f"{written}: {sentence}", wasted)


def ask(submission: Submission, unknown: Iterable[str], now: datetime) -> None:
    """Queue unknown stocks for lookup, in the transaction that writes the submission."""
    StockCheck.objects.bulk_create(
        StockCheck(submission=submission, symbol=symbol, due_at=now) for symbol in unknown
    )


def _stocks_of_others(seat: Seat, symbols: Iterable[str]) -> set[str]:
    """Return stocks that were looked up because another nation of this game named them first.

    What is known about them is withheld until the seat's own orders have asked for it. Otherwise an
    immediate remark, where a lookup would take a while, would tell one player what another has
    named (design 8).
    """
    checks = StockCheck.objects.filter(
        submission__game=seat.game_id, symbol__in=list(symbols)
    ).values_list("symbol", "submission__seat")
    own_symbols = {symbol for symbol, seat_id in checks if seat_id == seat.pk}
    return {symbol for symbol, _ in checks} - own_symbols
