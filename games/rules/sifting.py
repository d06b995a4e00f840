"""Lines of an order text read one by one: those that are refused, those that are accepted, and what
is said of their stocks.

What all games share in checking orders (contract 3); which lines a game refuses is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import Reading, Remark
from .digits import STOCKS
from .markets import market_of
from .names import all_of
from .orders import Line, Order, Unreadable, line_of, quoted, unreadable_sentence

#: The lines that are orders, each with its order.
Accepted = list[tuple[Line, Order]]


def sifted(
    written: Sequence[Line],
    read: Callable[[Line], Order],
    refusal: Callable[[Line, Order], Remark | None],
) -> tuple[Accepted, list[Remark]]:
    """Each line by itself: what cannot be read is refused, then what `refusal` says must be."""
    remarks: list[Remark] = []
    accepted: Accepted = []
    for line in written:
        try:
            order = read(line)
        except Unreadable as fault:
            remarks.append(
                Remark(line.number, "error", "unreadable", unreadable_sentence(line, fault))
            )
            continue
        refused = refusal(line, order)
        if refused:
            remarks.append(refused)
        else:
            accepted.append((line, order))
    return accepted, remarks


def reading(written: Sequence[Line], accepted: Accepted, remarks: list[Remark]) -> Reading:
    """What came of a text: its orders, what they say in canonical words, and the remarks line by
    line."""
    remarks = [replace(remark, line=line_of(remark.line)) for remark in remarks]
    remarks.sort(key=lambda remark: remark.line)
    orders = tuple(order for _, order in accepted)
    return Reading(
        orders,
        tuple((line_of(order.line), order.words()) for order in orders),
        tuple(remarks),
        bool(written),
    )


def refused(line: Line, code: str, said: str) -> Remark:
    return Remark(line.number, "error", code, f"{quoted(line)} does nothing: {said}.")


def warning(line: Line, code: str, said: str) -> Remark:
    return Remark(line.number, "warning", code, f"{quoted(line)} {said}.")


def named_again(
    line: Line, stocks: Sequence[str], earlier: set[str], options: Mapping[str, Any]
) -> list[Remark]:
    """Stocks that an earlier line of the nation names (rng.duplicate_stock)."""
    again = [stock for stock in stocks if stock in earlier]
    if not again or options["rng.duplicate_stock"] == "allow":
        return []
    return [
        warning(
            line,
            "same_stock",
            f"names {all_of(again)} again, which an earlier line has; it is passed over here",
        )
    ]


def off_the_list(
    line: Line, stocks: Sequence[str], reserves: Sequence[str], options: Mapping[str, Any]
) -> list[Remark]:
    """Stocks that the published list does not have (rng.stock_choice = list_only). Nothing is said
    where the list is not known."""
    off_list = [stock for stock in stocks if stock not in reserves]
    if not off_list or not reserves or options["rng.stock_choice"] != "list_only":
        return []
    return [
        warning(
            line, "off_list", f"names {all_of(off_list)}, not on the published list; passed over"
        )
    ]


def elsewhere(line: Line, stocks: Sequence[str], options: Mapping[str, Any]) -> list[Remark]:
    """Stocks that the game's market cannot have (rng.market): the line counts, and they are passed
    over."""
    market = market_of(options)
    foreign = [stock for stock in stocks if not market.has_symbol(stock)]
    if not foreign or options["rng.source"] != STOCKS:
        return []
    said = (
        f"names {all_of(foreign)}, but this game draws on {market.place}, where {market.symbols};"
        " passed over"
    )
    return [warning(line, "elsewhere", said)]
