"""Find what only says which orders follow: “My placements for turn 3:”."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import Facts
from .lexer import Item
from .words import SILENT

#: Kinds of heading lines beside words that carry nothing: “My placements for turn 3:”.
_HEADINGS = frozenset(("PLACE", "MOVE", "ATTACK", "TAKE", "COLON", "TURN", "IN", "SEP"))


def heading_end(items: Sequence[Item], facts: Facts) -> int:
    """Return how many items at the start of a line only say what orders follow: “Turn 3:”."""
    end = 0
    for at, item in enumerate(items):
        turn = item.kind == "NUM" and at > 0 and items[at - 1].kind == "TURN"
        own = item.kind == "NAME" and item.value.nation == facts.nation
        if not (turn or own or item.kind in SILENT or item.kind in _HEADINGS):
            break
        if item.kind == "COLON":
            end = at + 1
    else:
        end = len(items) if end or any(item.kind == "HEAD" for item in items) else 0
    kinds = {item.kind for item in items[:end]}
    if "TURN" in kinds and not _says_which_turn(items[:end]):
        return 0
    if end == len(items):
        return end if kinds & {"HEAD", "TURN", "PLACE", "MOVE", "ATTACK"} else 0
    return end if kinds & {"HEAD", "TURN"} else 0


def _says_which_turn(items: Sequence[Item]) -> bool:
    """Return whether a heading has the number of its turn, or “my turn”; “the following turn” may
    be another than the present one."""
    around = zip((None, *items), items, (*items[1:], None), strict=False)
    return all(
        (after is not None and after.kind == "NUM")
        or before is None
        or before.kind in ("THE", "NAME")
        for before, item, after in around
        if item.kind == "TURN"
    )
