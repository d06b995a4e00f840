"""Order texts changed line by line: later orders laid over earlier ones, and one order written into
a text.

What a player typed himself stays as it is: other lines, comments, blank lines. A game says by
`read` what a line is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .orders import Line, Order, has_content, line_of, lines

_LINE_END = re.compile(r"\r\n|\r|\n")  # as `orders.lines` counts them
_PASS = ("PASS",)
#: Orders, each with the line that was read as it.
Parts = Sequence[tuple[Line, Order]]
#: Reads a text as the phase does that it is for.
Read = Callable[[str], Parts]


def merge(earlier: str, later: str, read: Read) -> str:
    """orders.amend = merge_lines: later lines are added and take the place of earlier ones about
    the same thing.

    PASS alone takes everything back, for what else could it mean after orders; and orders take back
    an earlier PASS.
    """
    if not has_content(later):
        return earlier
    added = read(later)
    new = {order.about for _, order in added}
    if new == {_PASS} and len(added) == len(lines(later)):
        return later
    kept = []
    for line, parts in _by_line(earlier, read(earlier)):
        standing = [part for part in parts if part[1].about not in (*new, _PASS)]
        if parts == standing and not _is_plain(line, parts):
            kept.append(line.written)
        else:
            kept += [order.words() for _, order in standing]
    return "\n".join([*kept, _canonical(later, added)])


def _canonical(text: str, orders: Parts) -> str:
    """The text, with plain lines in canonical words: what they mean may rest on the others."""
    plain = [(line, parts) for line, parts in _by_line(text, orders) if _is_plain(line, parts)]
    if not plain:
        return text.strip("\r\n")
    found = _LINE_END.split(text)
    for line, parts in plain:
        found[line.number - 1] = "\n".join(order.words() for _, order in parts)
    return "\n".join(found).strip("\n")


def _is_plain(line: Line, parts: Parts) -> bool:
    """Whether a line was read in plain words: what was read is not what was written."""
    return any(part.text != line.text for part, _ in parts)


def revise(text: str, order: Order, drop: bool, read: Read) -> str:
    """The text with this order in place of whatever it says about the same thing, or with that
    taken out. A new one comes last.

    A comment behind the line that is replaced is kept. PASS goes when something is ordered, for it
    was meant for nothing else.
    """
    passes = () if drop or order.about == _PASS else (_PASS,)
    touched = {
        line.number: [one for _, one in parts]
        for line, parts in _by_line(text, read(text))
        if any(one.about in (order.about, *passes) for _, one in parts)
    }
    placed = drop
    kept: list[str] = []
    for number, raw in enumerate(_LINE_END.split(text), start=1):
        if number not in touched:
            kept.append(raw)
            continue
        now = [one.words() for one in touched[number] if one.about not in (order.about, *passes)]
        if not placed and any(one.about == order.about for one in touched[number]):
            now.append(order.words())
            placed = True
        comment = raw.partition("#")[2].strip()
        if now and comment:
            now[-1] += f"  # {comment}"
        kept += now
    written = "\n".join(kept)
    if not _LINE_END.match(text):  # what is taken out of the first line leaves no blank one
        written = written.lstrip("\r\n")
    if placed:
        return written
    return f"{written.rstrip()}\n{order.words()}\n" if written.strip() else f"{order.words()}\n"


def _by_line(text: str, orders: Parts) -> list[tuple[Line, Parts]]:
    """The lines of a text, each with its orders."""
    found: dict[int, list[tuple[Line, Order]]] = {}
    for part, order in orders:
        found.setdefault(line_of(part.number), []).append((part, order))
    return [(line, found.get(line.number, [])) for line in lines(text)]
