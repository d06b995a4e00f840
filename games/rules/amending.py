"""Order texts changed line by line: later orders laid over earlier ones, and one order written into
a text.

What a player typed himself stays as it is: other lines, comments, blank lines. A game says by
`read` what a line is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .orders import Line, Order, Unreadable, lines, was_sent

_LINE_END = re.compile(r"\r\n|\r|\n")  # as `orders.lines` counts them
_PASS = ("PASS",)
#: Reads a line as the phase does that it is for, or raises `Unreadable`.
Read = Callable[[Line], Order]


def merge(earlier: str, later: str, read: Read) -> str:
    """orders.amend = merge_lines: later lines are added and take the place of earlier ones about
    the same thing.

    PASS alone takes everything back, for what else could it mean after orders; and orders take back
    an earlier PASS.
    """
    if not was_sent(later):
        return earlier
    new = about(later, read)
    if set(new) == {_PASS} and len(new) == len(lines(later)):
        return later
    replaced = {
        number
        for one, numbers in about(earlier, read).items()
        if one in new or one == _PASS
        for number in numbers
    }
    kept = [line.written for line in lines(earlier) if line.number not in replaced]
    return "\n".join([*kept, later.strip("\r\n")])


def revise(text: str, order: Order, drop: bool, read: Read) -> str:
    """The text with this order in place of whatever it says about the same thing, or with that
    taken out. A new one comes last.

    A comment behind the line that is replaced is kept. PASS goes when something is ordered, for it
    was meant for nothing else.
    """
    said = about(text, read)
    replaced = said.get(order.about, [])
    passes = [] if drop or order.about == _PASS else said.get(_PASS, [])
    kept: list[str] = []
    for number, raw in enumerate(_LINE_END.split(text), start=1):
        if replaced and number == replaced[0] and not drop:
            comment = raw.partition("#")[2].strip()
            kept.append(order.words() + (f"  # {comment}" if comment else ""))
        elif number not in replaced and number not in passes:
            kept.append(raw)
    written = "\n".join(kept)
    if drop or replaced:
        return written
    return f"{written.rstrip()}\n{order.words()}\n" if written.strip() else f"{order.words()}\n"


def about(text: str, read: Read) -> dict[tuple[str, ...], list[int]]:
    """What the readable lines are about, with their numbers."""
    found: dict[tuple[str, ...], list[int]] = {}
    for line in lines(text):
        try:
            order = read(line)
        except Unreadable:
            continue
        found.setdefault(order.about, []).append(line.number)
    return found
