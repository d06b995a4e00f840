"""PFs: "5 to Poland", "Poland 5, Austria 3 and Italy 4", "move 3 from home to Austria", "the rest
in Italy"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..names import any_of
from .facts import Draft, Facts, Unclear
from .lexer import Item

#: Signs and words that join a number to its area.
_LINKS = ("IN", "COLON")
_VERBS = ("PLACE", "MOVE")
_WHICH = "it does not say which PFs come from home"


@dataclass
class _Pair:
    """A number and an area. `marked`: where FROM HOME stands: before, between, behind; "" for
    nowhere."""

    number: int | None = None
    rest: bool = False
    area: str = ""
    marked: str = ""
    blanks: bool = False
    counters: str = ""

    @property
    def counted(self) -> bool:
        return self.number is not None or self.rest

    @property
    def whole(self) -> bool:
        return bool(self.area) and self.counted

    @property
    def empty(self) -> bool:
        return not (self.area or self.counted)


def read(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """The placements of a clause. Raises `Unclear`."""
    if any(item.kind == "EACH" for item in items):
        return _each(items, facts)
    pairs, parted = _pairs(items, facts)
    if parted and len(pairs) > 1:
        raise Unclear
    verbs = {item.kind for item in items if item.kind in _VERBS}
    if len(verbs) > 1:
        raise Unclear
    return _drafts(pairs, next(iter(verbs), ""), facts)


def _pairs(items: Sequence[Item], facts: Facts) -> tuple[list[_Pair], bool]:
    """Numbers with their areas, in the order in which they stand; and whether a comma parts one
    from the other."""
    pairs, pair, parted = [], _Pair(), False
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        if item.kind in ("NUM", "REST", "NAME", "HOME") and pair.whole:
            if pair.marked == "behind":  # or before what follows
                raise Unclear
            pairs.append(pair)
            pair = _Pair()
        if item.kind == "FROM":
            at = _from(items, at, pair, facts)
        elif item.kind in ("NUM", "REST"):
            _count(pair, item)
        elif item.kind in ("NAME", "HOME"):
            _name(pair, item, facts)
        elif item.kind == "BLANKS" and not pair.blanks:
            pair.blanks = True
        elif item.kind == "AS" and pair.whole:
            pair.counters = item.value
        elif item.kind == "SEP":
            parted = parted or not (pair.whole or pair.empty)
            if pair.whole:
                pairs.append(pair)
                pair = _Pair()
        elif item.kind not in (*_LINKS, *_VERBS):
            raise Unclear
    if not pair.empty or pair.marked or pair.blanks:
        pairs.append(pair)
    if not pairs or not all(pair.whole for pair in pairs):
        raise _uneven(pairs)
    return pairs, parted


def _uneven(pairs: Sequence[_Pair]) -> Unclear:
    """5 in Poland and Austria: together, or each?"""
    areas = [pair.area for pair in pairs]
    if len(pairs) > 1 and pairs[0].whole and not any(pair.counted for pair in pairs[1:]):
        each = "; ".join(_draft(pairs[0], "PLACE").text.replace(areas[0], one) for one in areas)
        return Unclear("it does not say how many go where", (each,) if pairs[0].number else ())
    return Unclear()


def _from(items: Sequence[Item], at: int, pair: _Pair, facts: Facts) -> int:
    """FROM and home, by that word or by its name."""
    source = items[at] if at < len(items) else None
    at_home = source is not None and (
        source.kind == "HOME"
        or (source.kind == "NAME" and facts.home is not None and source.value.area == facts.home)
    )
    if not at_home or pair.marked:
        raise Unclear
    pair.marked = "before" if pair.empty else "behind" if pair.whole else "between"
    return at + 1


def _count(pair: _Pair, item: Item) -> None:
    """A number, THE REST, or ALL 5, which must be all there are."""
    if pair.number is not None or (pair.rest and item.kind == "REST"):
        raise Unclear
    if pair.rest:  # all 5: whether these are all, nobody need find out
        raise Unclear
    if item.kind == "REST":
        pair.rest = True
    else:
        pair.number = item.value


def _name(pair: _Pair, item: Item, facts: Facts) -> None:
    area = facts.home if item.kind == "HOME" else item.value.area
    if not area and item.kind == "NAME" and item.value.near:
        raise Unclear(f"“{item.text}” may be {any_of(item.value.near)}")
    if not area or pair.area:
        raise Unclear
    pair.area = area


def _drafts(pairs: Sequence[_Pair], verb: str, facts: Facts) -> list[Draft]:
    if len({pair.blanks for pair in pairs}) > 1 or any(
        pair.blanks and (pair.marked or pair.counters) for pair in pairs
    ):
        raise Unclear
    if verb == "MOVE" and "FROM" in facts.verbs and not all(pair.marked for pair in pairs):
        first = next(pair for pair in pairs if not pair.marked)
        readings = (
            ()
            if first.rest
            else tuple(_draft(first, source).text for source in ("FROM HOME", "PLACE"))
        )
        raise Unclear("it does not say whether these PFs are new or come from home", readings)
    if not verb and not _sources_are_clear(pairs):
        raise Unclear(_WHICH)
    if verb == "PLACE" and len({bool(pair.marked) for pair in pairs}) > 1:
        raise Unclear(_WHICH)
    return [_draft(pair, "FROM HOME" if pair.marked else "PLACE") for pair in pairs]


def _sources_are_clear(pairs: Sequence[_Pair]) -> bool:
    """FROM HOME before or within an order may hold for those that follow, and behind one for those
    that stand before."""
    marks = [pair.marked for pair in pairs]
    last = max((place for place, mark in enumerate(marks) if mark == "behind"), default=-1)
    held = False
    for place, mark in enumerate(marks):
        if not mark and (held or place < last):
            return False
        held = held or mark in ("before", "between")
    return True


def _draft(pair: _Pair, verb: str) -> Draft:
    verb = "BLANKS" if pair.blanks else verb
    number = "{}" if pair.rest else str(pair.number)
    counters = f" AS {pair.counters}" if pair.counters else ""
    return Draft(f"{verb} {number} {pair.area}{counters}", verb if pair.rest else "")


def _each(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """5 each in Poland and Austria."""
    numbers = [item.value for item in items if item.kind == "NUM"]
    names = [item.value.area for item in items if item.kind == "NAME"]
    allowed = {"NUM", "NAME", "EACH", "SEP", "PLACE", *_LINKS}
    if len(numbers) != 1 or len(names) < 2 or not all(names):
        raise Unclear
    if any(item.kind not in allowed for item in items):
        raise Unclear
    return [Draft(f"PLACE {numbers[0]} {area}") for area in names]
