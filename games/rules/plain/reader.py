"""A text of orders, line by line: in canonical words where a line has them, else in plain ones
(contract 3a).

The canonical parser reads whatever becomes an order, so that a line has one meaning however it is
written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .. import Remark
from ..orders import (
    PART,
    Line,
    Order,
    Unreadable,
    line_of,
    quote_line,
    shorten,
    unreadable_sentence,
)
from ..sifting import Accepted, check_lines
from .facts import OPTION, PLAIN, Facts, Unclear
from .grammar import drafts
from .stocks import exchange

Read = Callable[[Line], Order]
Refusal = Callable[[Line, Order], Remark | None]


class _Part(NamedTuple):
    """One order of a line; `rest`: the verb of which it takes what is left."""

    line: Line
    order: Order | None
    rest: str = ""


def read_orders(
    written: Sequence[Line],
    read: Read,
    refusal: Refusal,
    options: Mapping[str, Any],
    facts: Callable[[], Facts],
) -> tuple[Accepted, list[Remark]]:
    """The orders of a text in the language of its game (orders.language), and what is to be said of
    lines that are refused or corrected."""
    if not written:  # as of every nation, where a letter says what becomes of one that sends none
        return [], []
    if options[OPTION] == PLAIN:
        return read_text(written, read, refusal, facts())
    return check_lines(written, read, refusal)


def read_text(
    written: Sequence[Line], read: Read, refusal: Refusal, facts: Facts
) -> tuple[Accepted, list[Remark]]:
    parts: list[_Part] = []
    remarks: list[Remark] = []
    for line in written:
        try:
            parts.append(_Part(line, _with_companies(read(line), line, facts)))
        except Unreadable as fault:
            found, said = _plainly(line, fault, read, facts)
            parts += found
            remarks += said
    return _settled(parts, remarks, read, refusal, facts)


def _with_companies(order: Order, line: Line, facts: Facts) -> Order:
    """Stocks of a canonical line by the company that they name: STOCK Ford."""
    stocks: tuple[str, ...] = getattr(order, "stocks", ())
    if not stocks:
        return order
    meant = tuple(exchange(facts.market).meant(stock, line.text) for stock in stocks)
    return order if meant == stocks else replace(order, stocks=meant)  # type: ignore[call-arg]


def _plainly(
    line: Line, fault: Unreadable, read: Read, facts: Facts
) -> tuple[list[_Part], list[Remark]]:
    """A line that is no canonical one: its orders, or why it has none."""
    try:
        found, slips = drafts(line.text, facts)
        parts = []
        for place, draft in enumerate(found):
            part = Line(line.number + place * PART, line.written, draft.text)
            parts.append(_Part(part, None if draft.rest else read(part), draft.rest))
    except Unclear as unclear:
        return [], [_unreadable(line, _sentence(line, fault, unclear, facts))]
    except Unreadable as another:
        return [], [_unreadable(line, unreadable_sentence(line, another))]
    return parts, [
        Remark(
            line.number,
            "note",
            "corrected",
            f"{quote_line(line)}: “{shorten(typed)}” is read as {name}.",
        )
        for typed, name in slips
    ]


def _unreadable(line: Line, message: str) -> Remark:
    return Remark(line.number, "error", "unreadable", message)


def _sentence(line: Line, fault: Unreadable, unclear: Unclear, facts: Facts) -> str:
    """Why a line is refused, with the readings that it may have."""
    vague = unclear.stray and not unclear.readings and not fault.verbless
    if str(unclear) and not vague:
        said = f"{quote_line(line)}: {unclear}."
        meant = " or ".join(f"“{shorten(one)}”" for one in unclear.readings)
        return f"{said} Did you mean {meant}?" if meant else said
    if not fault.verbless:
        return unreadable_sentence(line, fault)
    return f"{quote_line(line)}: this is not an order. Example: “{facts.example}”."


def _settled(
    parts: Sequence[_Part], remarks: Sequence[Remark], read: Read, refusal: Refusal, facts: Facts
) -> tuple[Accepted, list[Remark]]:
    """The orders that are not refused, with numbers for THE REST. A line of which that cannot be
    known does nothing at all, and then nobody knows what is left for another."""
    accepted: Accepted = []
    remarks = list(remarks)
    known = not any(remark.severity == "error" for remark in remarks)
    counts = any(part.rest for part in parts)
    last = {
        verb: place
        for place, part in enumerate(parts if counts else ())
        if (verb := part.rest or _placed(part.order)[0])
    }
    left = dict(facts.left)
    for place, part in enumerate(parts):
        order = part.order
        if order is None:
            try:
                order = _rest(part, left, read, known and last[part.rest] == place)
            except Unreadable as fault:
                line = line_of(part.line.number)
                said = _unreadable(part.line, f"{quote_line(part.line)}: {fault}.")
                others = [one for one in parts if line_of(one.line.number) != line]
                return _settled(others, [*remarks, said], read, refusal, facts)
        verb, number = _placed(order) if counts else ("", 0)
        if refused := refusal(part.line, order):
            remarks.append(refused)
            known = known and not verb
        else:
            accepted.append((part.line, order))
            left[verb] = left.get(verb, 0) - number
    return accepted, remarks


def _rest(part: _Part, left: dict[str, int], read: Read, known: bool) -> Order:
    """The order for what is left. Raises `Unreadable` where that cannot be known, or is nothing."""
    if not known or part.rest not in left:
        raise Unreadable("it is unclear how many are left, so write a number")
    if left[part.rest] < 1:
        raise Unreadable("nothing is left to place")
    return read(part.line._replace(text=part.line.text.replace("{}", str(left[part.rest]), 1)))


def _placed(order: Order | None) -> tuple[str, int]:
    """The verb and number of PLACE 5 Poland, FROM HOME 3 Austria; none of another order."""
    words = order.words().split() if order is not None else []
    if words[:1] == ["PLACE"]:
        return "PLACE", int(words[1])
    if words[:2] == ["FROM", "HOME"]:
        return "FROM HOME", int(words[2])
    return "", 0
