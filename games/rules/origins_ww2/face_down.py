"""Counters that lie face down (Rules C.2, F9-F11; ow2.hidden = face_down): how they are laid, what
anybody knows of them.

New PFs lie face down from their placement until the attacks of the same turn: as counters of 1, 3,
5 and 10, with up to four blanks among them. Everybody sees how many lie where; what they are worth
only their nation knows. Pure values; nothing here judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .. import Json, RulesError
from ..boards import by_place
from .card import Card

OFF, FACE_DOWN, UNTIL_PLACED = "off", "face_down", "until_placed"
VALUES = (1, 3, 5, 10)
BLANK = 0
BLANKS_A_TURN = 4
#: More counters in one heap than any order could lay: a slip in a situation or a record.
_MOST = 10_000

Place = tuple[str, str]  # area and nation
Counters = tuple[int, ...]


def fewest(pf: int) -> Counters:
    """So many PFs as the fewest counters (F11: there is change without end), the largest first: 9
    are 5+3+1."""
    found: list[int] = []
    for value in reversed(VALUES):
        found += [value] * (pf // value)
        pf %= value
    return tuple(found)


def trim(asked: Sequence[int], pf: int) -> Counters:
    """The counters asked for, as far as `pf` PFs go: the largest that still fit, and what is left
    over in the fewest."""
    found: list[int] = []
    for value in sorted(asked, reverse=True):
        if value <= pf:
            found.append(value)
            pf -= value
    return in_order([*found, *fewest(pf)])


def in_order(counters: Iterable[int]) -> Counters:
    """The largest first and blanks last: the order in which they were written says nothing."""
    return tuple(sorted(counters, reverse=True))


def to_text(counters: Iterable[int]) -> str:
    """As an order writes them: “3+1”."""
    return "+".join(map(str, counters))


def in_words(counters: Sequence[int]) -> str:
    """For people: “5, 3 and two blanks”."""
    blanks = sum(value == BLANK for value in counters)
    said = [str(value) for value in counters if value != BLANK]
    if blanks:
        number = dict(enumerate(("a blank", "two blanks", "three blanks", "four blanks"), 1))
        said.append(number.get(blanks, f"{blanks} blanks"))
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)


def count_in_words(number: int) -> str:
    return f"{number} counter{'' if number == 1 else 's'}"


class FaceDown:
    """What lies face down, by area and nation: the counters, or their number alone for whoever may
    not know them. Never changed."""

    __slots__ = ("_heaps",)

    def __init__(self, heaps: Mapping[Place, Counters | int] | None = None) -> None:
        self._heaps = {place: heap for place, heap in (heaps or {}).items() if heap}

    def __bool__(self) -> bool:
        return bool(self._heaps)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._heaps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FaceDown) and self._heaps == other._heaps

    def __hash__(self) -> int:
        return hash(frozenset(self._heaps.items()))

    def __repr__(self) -> str:
        said = (
            f"{area}: {nation} {heap if isinstance(heap, int) else to_text(heap)}"
            for (area, nation), heap in self._heaps.items()
        )
        return f"<face down: {'; '.join(said)}>"

    def number(self, area: str, nation: str) -> int:
        """How many counters lie there, which anybody may know."""
        heap = self._heaps.get((area, nation), ())
        return heap if isinstance(heap, int) else len(heap)

    def counters(self, area: str, nation: str) -> Counters | None:
        """Which they are; None where only their number is known."""
        heap = self._heaps.get((area, nation), ())
        return None if isinstance(heap, int) else heap

    def value(self, area: str, nation: str) -> int:
        """What they are worth, as far as it is known."""
        return sum(self.counters(area, nation) or ())

    def unknown(self, area: str, nation: str) -> int:
        """How many of them are not known."""
        return self.number(area, nation) if self.counters(area, nation) is None else 0

    def lay(self, area: str, nation: str, more: Iterable[int]) -> FaceDown:
        """With more counters there. Their nation's heap must be known: only it lays them."""
        heap = self.counters(area, nation)
        assert heap is not None, "counters are laid upon a heap that is known"
        return FaceDown({**self._heaps, (area, nation): in_order([*heap, *more])})

    def with_number(self, area: str, nation: str, number: int) -> FaceDown:
        """Return the heaps with so many counters there of which nothing else is known."""
        return FaceDown({**self._heaps, (area, nation): number})

    def without(self, area: str, nation: str) -> FaceDown:
        return FaceDown(
            {place: heap for place, heap in self._heaps.items() if place != (area, nation)}
        )

    def view_for(self, nation: str | None) -> FaceDown:
        """As a nation sees it, or the public (None): its own counters, of all others the number."""
        return FaceDown(
            {
                place: heap if place[1] == nation else self.number(*place)
                for place, heap in self._heaps.items()
            }
        )

    def as_json(self, card: Card) -> Json:
        """Area to nation to a list of counters, or to their number; in the order of the card."""
        tree: Json = {}
        for area in card.areas:
            for nation in card.order:
                if heap := self._heaps.get((area, nation)):
                    written = heap if isinstance(heap, int) else list(heap)
                    tree.setdefault(area, {})[nation] = written
        return tree


def face_down_of(tree: object, card: Card) -> FaceDown:
    """What `as_json` wrote. Raises `RulesError` naming the key at fault."""
    return FaceDown(by_place(tree, card.areas, card.order, "face_down", _heap))


def _heap(given: object, where: str) -> Counters | int:
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= _MOST:
        return given
    if isinstance(given, list) and len(given) <= _MOST and all(_is_counter(one) for one in given):
        return in_order(given)
    raise RulesError(
        f"{where} must be a list of counters, each of 1, 3, 5 or 10 or 0 for a blank, or their"
        " number"
    )


def _is_counter(given: object) -> bool:
    return type(given) is int and given in (BLANK, *VALUES)
