"""Change order texts line by line: merge later orders into earlier ones, or revise one order.

Everything else that a player typed stays as it is: other lines, comments, blank lines. A game's
`read` function says what each line is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .orders import LINE_END, PASS, Line, Order, has_content, line_of, lines
from .plain.editions import NOTHING_BEFORE, Understood, canonical_text
from .sifting import Sifted

_PASS = (PASS,)
#: Orders, each with the line that it was read from.
Parts = Sequence[tuple[Line, Order]]
#: A function that reads a text as its phase does.
Read = Callable[[str], Parts]


def merge(
    orders_of: Callable[[Any, str, str], Sifted],
    earlier: str,
    later: str,
    nation: str,
    state: Any,
    before: Mapping[str, Understood] = NOTHING_BEFORE,
) -> str:
    """Return `earlier` with the orders of `later` merged in (orders.amend = merge_lines).

    `orders_of` reads a nation's text in a state. Rulesets give it; the rest is `Ruleset.merge`.
    `before`: what another edition of the reader understood, by text; those are not read again.
    Later lines are added and replace earlier ones about the same thing. PASS alone takes back
    everything, since it can mean nothing else after orders; orders take back an earlier PASS.
    """

    def read(text: str) -> Parts:
        return orders_of(state, nation, text)[0]

    if not has_content(later):
        return earlier
    added = _read_before(later, read, before)
    new = {order.about for _, order in added}
    if new == {_PASS} and len(added) == len(lines(later)):
        return later
    kept = [
        (line, parts, [part for part in parts if part[1].about not in (*new, _PASS)])
        for line, parts in _orders_by_line(earlier, _read_before(earlier, read, before))
    ]
    kept += [(line, parts, list(parts)) for line, parts in _orders_by_line(later, added)]
    merged: list[str] = []
    for line, parts, remaining in kept:
        # What a plain line means may depend on the other lines. Lines without orders are left out,
        # because beside others they would leave these in doubt.
        if remaining == parts and not _is_plain(line, parts):
            merged += [line.written] if parts else []
        else:
            merged += [order.words() for _, order in remaining]
    return "\n".join(merged)


def _read_before(text: str, read: Read, before: Mapping[str, Understood]) -> Parts:
    """Return the orders of a text, as another edition understood them where one did.

    Lines that it refused are read now: merging keeps them.
    """
    parts = read(text)
    if text not in before:
        return parts
    written = {line.number: line.text for line in lines(text)}
    kept = read(canonical_text(before[text]))
    understood = {line_of(part.number) for part, _ in kept}
    # A line that is canonical as written is so in every edition.
    direct = {
        line_of(part.number) for part, _ in parts if part.text == written[line_of(part.number)]
    }
    return [
        *(
            (part._replace(text=written[number]) if number in direct else part, order)
            for part, order in kept
            for number in [line_of(part.number)]
        ),
        *(item for item in parts if line_of(item[0].number) not in understood),
    ]


def _is_plain(line: Line, parts: Parts) -> bool:
    """Return whether a line was read in plain words: its orders differ from the text written."""
    return any(part.text != line.text for part, _ in parts)


def revise(text: str, order: Order, drop: bool, read: Read) -> str:
    """Return the text with this order in place of those about the same thing.

    `drop`: only remove them. A new order comes last. A comment behind a replaced line is kept. Any
    order removes PASS, since PASS only meant that nothing was ordered.
    """
    passes = () if drop or order.about == _PASS else (_PASS,)
    touched = {
        line.number: [earlier for _, earlier in parts]
        for line, parts in _orders_by_line(text, read(text))
        if any(earlier.about in (order.about, *passes) for _, earlier in parts)
    }
    placed = drop
    revised: list[str] = []
    for number, raw in enumerate(LINE_END.split(text), start=1):
        if number not in touched:
            revised.append(raw)
            continue
        replacement = [
            earlier.words()
            for earlier in touched[number]
            if earlier.about not in (order.about, *passes)
        ]
        if not placed and any(earlier.about == order.about for earlier in touched[number]):
            replacement.append(order.words())
            placed = True
        comment = raw.partition("#")[2].strip()
        if replacement and comment:
            replacement[-1] += f"  # {comment}"
        revised += replacement
    joined = "\n".join(revised)
    if not LINE_END.match(text):  # do not leave a blank line where the first one was removed
        joined = joined.lstrip("\r\n")
    if placed:
        return joined
    return f"{joined.rstrip()}\n{order.words()}\n" if joined.strip() else f"{order.words()}\n"


def _orders_by_line(text: str, orders: Parts) -> list[tuple[Line, Parts]]:
    """Return the lines of a text, each with its orders."""
    orders_by_line: dict[int, list[tuple[Line, Order]]] = {}
    for part, order in orders:
        orders_by_line.setdefault(line_of(part.number), []).append((part, order))
    return [(line, orders_by_line.get(line.number, [])) for line in lines(text)]
