"""Order lines in the verbs of `choices`, so that a page can show which of them a text has chosen,
and take them out again."""

from __future__ import annotations

from ..orders import Line, lines
from ..plan import Ordered
from .card import Card
from .orders import Order, Unclear, read_line

#: What a choice says in whole words, with nothing to be named: GRANT SUPPLY TO USA, MED ON, COLUMN
# PRINTED.
_WHOLE = ("GRANT", "REVOKE", "MED", "COLUMN", "PASS")


def ordered(order: Order) -> Ordered:
    if order.verb in _WHOLE:
        return Ordered(order.text, line=order.line)
    if order.verb == "ALLY":
        return Ordered(order.verb, nations=(order.to,), line=order.line)
    if order.verb == "DECLARE":
        return Ordered("DECLARE WAR ON", order.to, line=order.line)
    if order.verb == "BLEND":
        return Ordered(order.verb, f"{order.country} {order.to}", line=order.line)
    return Ordered(
        order.verb, order.country or order.to or None, order.sp or 0, order.powers, line=order.line
    )


def without(text: str, card: Card, wanted: Ordered) -> str:
    """The text without the line of that number; where none is named, without the lines that say
    what `wanted` says."""
    dropped = (
        {wanted.line}
        if wanted.line
        else {line.number for line in lines(text) if _says(line, card, wanted)}
    )
    return "\n".join(
        line for number, line in enumerate(text.splitlines(), start=1) if number not in dropped
    )


def _says(line: Line, card: Card, wanted: Ordered) -> bool:
    try:
        found = ordered(read_line(line, card))
    except Unclear:
        return False
    return (found.verb, found.area, found.nations) == (wanted.verb, wanted.area, wanted.nations)
