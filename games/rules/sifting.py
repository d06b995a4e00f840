"""Lines of an order text read one by one: those that are refused, those that are accepted, and what
is said of their stocks.

What all games share in checking orders (contract 3); which lines a game refuses is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import Reading, Remark
from .digits import STOCKS
from .markets import market_of
from .names import all_of
from .orders import Line, Order, Unreadable, line_of, quote_line, unreadable_sentence

#: The lines that are orders, each with its order.
Accepted = list[tuple[Line, Order]]


def check_lines(
    written: Sequence[Line],
    read: Callable[[Line], Order],
    refusal: Callable[[Line, Order], Remark | None],
) -> tuple[Accepted, list[Remark]]:
    """Read each line by itself; refuse what cannot be read, then what `refusal` objects to."""
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
    """Return a text's orders, what they say in canonical words, and its remarks line by line."""
    remarks = [replace(remark, line=line_of(remark.line)) for remark in remarks]
    remarks.sort(key=lambda remark: remark.line)
    orders = tuple(order for _, order in accepted)
    return Reading(
        orders,
        tuple((line_of(order.line), order.words()) for order in orders),
        tuple(remarks),
        bool(written),
    )


def refuse(line: Line, code: str, said: str) -> Remark:
    return Remark(line.number, "error", code, f"{quote_line(line)} does nothing: {said}.")


def warning(line: Line, code: str, said: str) -> Remark:
    return Remark(line.number, "warning", code, f"{quote_line(line)} {said}.")


def note(line: Line, code: str, sentence: str) -> Remark:
    return Remark(line.number, "note", code, sentence)


def stock_warnings(
    line: Line,
    stocks: Sequence[str],
    earlier: Collection[str],
    reserves: Sequence[str],
    options: Mapping[str, Any],
) -> Iterator[Remark]:
    """Say which stocks of a line are passed over: those of `earlier` lines (rng.duplicate_stock),
    off the published list where it is known (rng.stock_choice = list_only), of another market."""
    again = [stock for stock in stocks if stock in earlier]
    if again and options["rng.duplicate_stock"] != "allow":
        said = "used by an earlier line: skipped here"
        yield warning(line, "same_stock", f"names {all_of(again)} again, {said}")
    off_list = [stock for stock in stocks if stock not in reserves]
    if off_list and reserves and options["rng.stock_choice"] == "list_only":
        said = f"names {all_of(off_list)}, not on the published list: skipped"
        yield warning(line, "off_list", said)
    market = market_of(options)
    foreign = [stock for stock in stocks if not market.has_symbol(stock)]
    if foreign and options["rng.source"] == STOCKS:
        said = f"but this game uses {market.place}, where {market.symbols}: skipped"
        yield warning(line, "elsewhere", f"names {all_of(foreign)}, {said}")
