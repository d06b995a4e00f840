"""Check the lines of an order text one by one, in all games.

Lines are refused or accepted, with remarks about their stocks. Each game decides which lines it
refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from . import Doubt, Reading, Remark
from .digits import STOCKS
from .markets import market_of
from .names import all_of
from .orders import Line, Order, UnreadableLine, line_of, quote_line, unreadable_sentence

#: Accepted lines, each with its order.
Accepted = list[tuple[Line, Order]]


class Sifted(NamedTuple):
    """The accepted lines of a text, and remarks about the others.

    With a `doubt` no line counts before the sender says so; a page may still edit them.
    """

    accepted: Accepted
    remarks: list[Remark]
    doubt: Doubt | None = None


def check_lines(
    written: Sequence[Line],
    read: Callable[[Line], Order],
    refusal: Callable[[Line, Order], Remark | None],
) -> Sifted:
    """Return the accepted lines, and remarks about the others.

    Each line is read by itself. Refused are lines that cannot be read, then those that `refusal`
    objects to.
    """
    remarks: list[Remark] = []
    accepted: Accepted = []
    for line in written:
        try:
            order = read(line)
        except UnreadableLine as fault:
            remarks.append(
                Remark(line.number, "error", "unreadable", unreadable_sentence(line, fault))
            )
            continue
        objection = refusal(line, order)
        if objection:
            remarks.append(objection)
        else:
            accepted.append((line, order))
    return Sifted(accepted, remarks)


def reading(
    written: Sequence[Line],
    accepted: Accepted,
    remarks: list[Remark],
    doubt: Doubt | None = None,
) -> Reading:
    """Return a text's orders, their canonical words, and the remarks in order of lines."""
    remarks = [replace(remark, line=line_of(remark.line)) for remark in remarks]
    remarks.sort(key=lambda remark: remark.line)
    orders = tuple(order for _, order in accepted)
    return Reading(
        orders,
        tuple((line_of(order.line), order.words()) for order in orders),
        tuple(remarks),
        bool(written),
        doubt,
    )


def refuse(line: Line, code: str, message: str) -> Remark:
    return Remark(line.number, "error", code, f"{quote_line(line)} does nothing: {message}.")


def warning(line: Line, code: str, message: str, wasted: bool = False) -> Remark:
    return Remark(line.number, "warning", code, f"{quote_line(line)} {message}.", wasted)


def note(line: Line, code: str, sentence: str, wasted: bool = False) -> Remark:
    return Remark(line.number, "note", code, sentence, wasted)


def stock_warnings(
    line: Line,
    stocks: Sequence[str],
    earlier: Collection[str],
    reserves: Sequence[str],
    options: Mapping[str, Any],
) -> Iterator[Remark]:
    """Yield a warning for stocks of a line that will be passed over.

    These are stocks of `earlier` lines (rng.duplicate_stock), stocks off the published list if that
    is known (rng.stock_choice = list_only), and stocks of another market.
    """
    repeated = [stock for stock in stocks if stock in earlier]
    if repeated and options["rng.duplicate_stock"] != "allow":
        sentence = "used by an earlier line: skipped here"
        yield warning(line, "same_stock", f"names {all_of(repeated)} again, {sentence}")
    off_list = [stock for stock in stocks if stock not in reserves]
    if off_list and reserves and options["rng.stock_choice"] == "list_only":
        sentence = f"names {all_of(off_list)}, not on the published list: skipped"
        yield warning(line, "off_list", sentence)
    market = market_of(options)
    foreign = [stock for stock in stocks if not market.has_symbol(stock)]
    if foreign and options["rng.source"] == STOCKS:
        sentence = f"but this game uses {market.place}, where {market.symbols}: skipped"
        yield warning(line, "elsewhere", f"names {all_of(foreign)}, {sentence}")
