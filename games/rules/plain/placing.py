"""Read placements of PFs in plain words.

"5 to Poland", "Poland 5, Austria 3 and Italy 4", "move 3 from home to Austria", "the rest in
Italy".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..names import any_of
from .facts import Draft, Facts, UnclearLine
from .lexer import Item

#: Kinds of words and punctuation that join a number to its area.
_LINKS = ("IN", "COLON", "BY")
_COUNTS = ("NUM", "REST")
_VERBS = {
    "PLACE": "PLACE",
    "REINFORCE": "PLACE",
    "KEEP": "PLACE",
    "MOVE": "MOVE",
    "TAKE": "MOVE",
}
_WHICH = "it does not say which PFs come from home, so write FROM HOME before each number"


@dataclass
class _Pair:
    """A number and an area.

    `marked` is where FROM HOME is: "before", "between" or "behind" them; "" for nowhere. `new`: its
    PFs are new ones.
    """

    number: int | None = None
    rest: bool = False
    area: str = ""
    marked: str = ""
    blanks: bool = False
    new: bool = False
    counters: str = ""
    number_first: bool = False

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
    """Return the placements of a clause. Raise `Unclear`."""
    if any(item.kind == "EACH" for item in items):
        return _read_each(items, facts)
    pairs, parted = _pairs(items, facts)
    if parted and len(pairs) > 1:
        raise UnclearLine
    verbs = {_VERBS[item.kind] for item in items if item.kind in _VERBS}
    if len(verbs) > 1:
        raise UnclearLine
    return _drafts(pairs, next(iter(verbs), ""), facts)


def _pairs(items: Sequence[Item], facts: Facts) -> tuple[list[_Pair], bool]:
    """Return numbers with their areas in order, and whether a comma separates two of a pair."""
    pairs, pair, parted = [], _Pair(), False
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        if item.kind in ("NUM", "REST", "NAME", "HOME") and pair.whole:
            if pair.marked == "behind":  # or before the next pair
                raise UnclearLine
            pairs.append(pair)
            pair = _Pair()
        if item.kind == "FROM":
            at = _read_source(items, at, pair, facts)
        elif item.kind in _COUNTS:
            _count(pair, item)
        elif item.kind in ("NAME", "HOME"):
            _name(pair, item, facts)
        elif item.kind == "BLANKS" and not pair.blanks:
            pair.blanks = True
        elif item.kind == "NEW" and pair.counted and not pair.marked:
            pair.new = True
        elif item.kind == "HOME_PF" and pair.counted and not (pair.marked or pair.new):
            pair.marked = "between"
        elif item.kind == "AS" and pair.whole:
            pair.counters = item.value
        elif item.kind == "SEP":
            parted = parted or not (pair.whole or pair.empty)
            if pair.whole:
                pairs.append(pair)
                pair = _Pair()
        elif item.kind == "WITH":  # reinforce Poland with 5
            if at == len(items) or items[at].kind not in _COUNTS:
                raise UnclearLine
        elif item.kind == "TO":
            raise UnclearLine("it does not say how many you add, so write PLACE and that number")
        elif item.kind == "REINFORCE" and not any(other.kind in ("WITH", "BY") for other in items):
            raise UnclearLine
        elif item.kind == "KEEP":
            _keep(items, at - 1)
        elif item.kind not in (*_LINKS, *_VERBS):
            raise UnclearLine
    if not pair.empty or pair.marked or pair.blanks:
        pairs.append(pair)
    if not pairs or not all(pair.whole for pair in pairs):
        raise _uneven_fault(pairs, joined=any(item.kind == "SEP" for item in items))
    return pairs, parted


def _uneven_fault(pairs: Sequence[_Pair], *, joined: bool) -> UnclearLine:
    """Return the fault of pairs that are not complete.

    “5 in Poland and Austria” may mean 5 together, or 5 each; “5 in Poland for France” (not
    `joined`) means neither.
    """
    areas = [pair.area for pair in pairs]
    if len(pairs) > 1 and pairs[0].whole and not any(pair.counted for pair in pairs[1:]):
        if not pairs[0].number_first:  # Russia: 5 in Poland
            return UnclearLine("it does not say in which area, so name one for each number")
        each = "; ".join(_draft(pairs[0], "PLACE").text.replace(areas[0], area) for area in areas)
        return UnclearLine(
            "it does not say how many go where, so write a number for each area",
            (each,) if pairs[0].number and joined else (),
        )
    return UnclearLine()


def _read_source(items: Sequence[Item], at: int, pair: _Pair, facts: Facts) -> int:
    """Read FROM and home, by that word or by its name; return where it ends."""
    source = items[at] if at < len(items) else None
    at_home = source is not None and (
        source.kind == "HOME"
        or (source.kind == "NAME" and facts.home is not None and source.value.area == facts.home)
    )
    if not at_home or pair.marked:
        raise UnclearLine
    pair.marked = "before" if pair.empty else "behind" if pair.whole else "between"
    return at + 1


def _keep(items: Sequence[Item], at: int) -> None:
    """Check “keep the rest at home” and “the rest stays at home”. Raise `Unclear`.

    PFs elsewhere stay anyway.
    """
    beside = [neighbor.kind for neighbor in (*items[max(0, at - 1) : at], *items[at + 1 : at + 2])]
    if "REST" not in beside or not any(item.kind == "HOME" for item in items[at:]):
        raise UnclearLine


def _count(pair: _Pair, item: Item) -> None:
    """Read a number, THE REST, or ALL 5, where 5 must be all that there are."""
    if pair.number is not None or (pair.rest and item.kind == "REST"):
        raise UnclearLine
    if item.kind == "REST":
        pair.rest = True
    else:
        pair.number = item.value


def _name(pair: _Pair, item: Item, facts: Facts) -> None:
    area = facts.home if item.kind == "HOME" else item.value.area
    if not area and item.kind == "NAME" and item.value.near:
        raise UnclearLine(f"“{item.text}” may be {any_of(item.value.near)}")
    if not area or pair.area:
        raise UnclearLine
    pair.area, pair.number_first = area, pair.counted


def _drafts(pairs: Sequence[_Pair], verb: str, facts: Facts) -> list[Draft]:
    if len({pair.blanks for pair in pairs}) > 1:  # “2 blanks in Italy and 2 in Austria”
        raise UnclearLine("it has PFs and blanks, so write these in lines of their own")
    if any(pair.blanks and (pair.marked or pair.counters) for pair in pairs):
        raise UnclearLine
    if verb == "MOVE" and "FROM" in facts.verbs and not all(pair.marked for pair in pairs):
        first = next(pair for pair in pairs if not pair.marked)
        readings = (
            ()
            if first.rest
            else tuple(_draft(first, source).text for source in ("FROM HOME", "PLACE"))
        )
        raise UnclearLine("it does not say whether these PFs are new or come from home", readings)
    if not verb and not _sources_are_clear(pairs):
        raise UnclearLine(_WHICH)
    if verb == "PLACE" and len({bool(pair.marked) for pair in pairs if not pair.new}) > 1:
        raise UnclearLine(_WHICH)
    return [_draft(pair, "FROM HOME" if pair.marked else "PLACE") for pair in pairs]


def _sources_are_clear(pairs: Sequence[_Pair]) -> bool:
    """Return whether it is clear for each order if its PFs come from home.

    FROM HOME before or within an order may apply to later orders, too, and FROM HOME behind an
    order to earlier ones.
    """
    marks = [pair.marked for pair in pairs]
    last = max((index for index, mark in enumerate(marks) if mark == "behind"), default=-1)
    applies = False
    for index, mark in enumerate(marks):
        if not mark and not pairs[index].new and (applies or index < last):
            return False
        applies = applies or mark in ("before", "between")
    return True


def _draft(pair: _Pair, verb: str) -> Draft:
    verb = "BLANKS" if pair.blanks else verb
    number = "{}" if pair.rest else str(pair.number)
    counters = f" AS {pair.counters}" if pair.counters else ""
    text = f"{verb} {number} {pair.area}{counters}"
    return Draft(text, verb, pair.number) if pair.rest else Draft(text)


def _read_each(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """Read “5 each in Poland and Austria, 4 to Turkey” and “Poland and Austria 5 each”."""
    at = next(index for index, item in enumerate(items) if item.kind == "EACH")
    behind = [index for index in range(at + 1, len(items)) if items[index].kind in _COUNTS]
    end = behind[0] if behind else len(items)
    numbers = [item.value for item in items[:at] if item.kind == "NUM"]
    areas = [item.value.area for item in items[:end] if item.kind == "NAME"]
    allowed = {"NUM", "NAME", "EACH", "SEP", "PLACE", *_LINKS}
    if len(numbers) != 1 or len(areas) < 2 or not all(areas):
        raise UnclearLine
    if any(item.kind not in allowed for item in items[:end]):
        raise UnclearLine
    return [
        *(Draft(f"PLACE {numbers[0]} {area}") for area in areas),
        *(read(items[end:], facts) if behind else ()),
    ]
