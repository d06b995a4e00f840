"""Face-down counters (Rules C.2, F9-F11; ow2.hidden = face_down): how they are laid, and who knows
what about them.

New PFs lie face down from their placement until the attacks of the same turn, as counters of 1, 3,
5 and 10, with up to 4 blanks among them. Everybody sees how many counters lie where; only their
nation knows their values. Pure values; nothing here judges a phase.

- Counters that do not add up to the number of an order make its line unreadable. Of a trimmed line
  (P6) the largest counters that fit are laid, the rest in the fewest.
- A placement tells the number of counters by nation and area, and what left home: nothing in an
  event depends on a value. PFs that nobody places lie at home face down; forfeited ones are told to
  their owner only, since anybody could otherwise subtract.
- An attack turns up all counters of the attacker, and of those listed who have anything there and
  are not immune, before any judging. An attack that is barred (I7), a second one in its area (K15),
  and one on immune or absent nations turn up nobody. An attacker with only blanks turns up only
  their own: blanks are no scouts.
- Below 1-1 such an attack is lost whatever the orders say (A, K11): neither ELSE nor MIN helps, or
  a look would cost nothing. It uses no digit, and at home it bars nothing (I12).
- Unattacked counters are turned up after the last attack, before nations place Understandings and
  CONTROL. A blank never bars CONTROL; one PF does.
- A ruling on the position covers open counters only. After a rollback to attacks the counters lie
  face down again: a ruling cannot make anybody forget.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .. import Json, RulesError
from ..boards import entries_by_place
from .card import Card

OFF, FACE_DOWN = "off", "face_down"
VALUES = (1, 3, 5, 10)
BLANK = 0
BLANKS_A_TURN = 4
#: The most counters accepted in one heap of a situation or record; no order could lay as many.
_MOST = 10_000

Place = tuple[str, str]  # area and nation
Counters = tuple[int, ...]


def fewest(pf: int) -> Counters:
    """Return these PFs as the fewest counters, the largest first: 9 is 5+3+1.

    The supply of counters is unlimited (F11).
    """
    counters: list[int] = []
    for value in reversed(VALUES):
        counters += [value] * (pf // value)
        pf %= value
    return tuple(counters)


def trim(asked: Sequence[int], pf: int) -> Counters:
    """Return the counters asked for, as far as `pf` PFs go.

    The largest that still fit are used, and the remaining PFs become the fewest counters.
    """
    counters: list[int] = []
    for value in sorted(asked, reverse=True):
        if value <= pf:
            counters.append(value)
            pf -= value
    return sort_counters([*counters, *fewest(pf)])


def sort_counters(counters: Iterable[int]) -> Counters:
    """Return the largest counters first and blanks last, so that the order as written reveals
    nothing."""
    return tuple(sorted(counters, reverse=True))


def to_text(counters: Iterable[int]) -> str:
    """Return the counters as an order writes them: “3+1”."""
    return "+".join(map(str, counters))


def describe_counters(counters: Sequence[int]) -> str:
    """Return the counters in words: “5, 3 and 2 blanks”."""
    blanks = sum(value == BLANK for value in counters)
    parts = [str(value) for value in counters if value != BLANK]
    if blanks:
        parts.append("a blank" if blanks == 1 else f"{blanks} blanks")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


class FaceDownCounters:
    """All face-down counters by area and nation. Immutable.

    Each heap has its counters, or only their number where the viewer may not know more.
    """

    __slots__ = ("_heaps",)

    def __init__(self, heaps: Mapping[Place, Counters | int] | None = None) -> None:
        self._heaps = {place: heap for place, heap in (heaps or {}).items() if heap}

    def __bool__(self) -> bool:
        return bool(self._heaps)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._heaps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FaceDownCounters) and self._heaps == other._heaps

    def __hash__(self) -> int:
        return hash(frozenset(self._heaps.items()))

    def __repr__(self) -> str:
        heaps = (
            f"{area}: {nation} {heap if isinstance(heap, int) else to_text(heap)}"
            for (area, nation), heap in self._heaps.items()
        )
        return f"<face down: {'; '.join(heaps)}>"

    def number(self, area: str, nation: str) -> int:
        """Return the number of counters there, which everybody may know."""
        heap = self._heaps.get((area, nation), ())
        return heap if isinstance(heap, int) else len(heap)

    def counters(self, area: str, nation: str) -> Counters | None:
        """Return the counters there; None where only their number is known."""
        heap = self._heaps.get((area, nation), ())
        return None if isinstance(heap, int) else heap

    def value(self, area: str, nation: str) -> int:
        """Return the total value of the counters there, as far as it is known."""
        return sum(self.counters(area, nation) or ())

    def unknown(self, area: str, nation: str) -> int:
        """Return the number of counters there whose values are unknown."""
        return self.number(area, nation) if self.counters(area, nation) is None else 0

    def lay(self, area: str, nation: str, more: Iterable[int]) -> FaceDownCounters:
        """Return a copy with more counters there. The heap must be known, because only its nation
        lays counters."""
        heap = self.counters(area, nation)
        assert heap is not None, "counters are laid on a heap that is known"
        return FaceDownCounters({**self._heaps, (area, nation): sort_counters([*heap, *more])})

    def with_number(self, area: str, nation: str, number: int) -> FaceDownCounters:
        """Return a copy with this number of unknown counters there."""
        return FaceDownCounters({**self._heaps, (area, nation): number})

    def remove(self, area: str, nation: str) -> FaceDownCounters:
        return FaceDownCounters(
            {place: heap for place, heap in self._heaps.items() if place != (area, nation)}
        )

    def view_for(self, nation: str | None) -> FaceDownCounters:
        """Return the view of a nation, or of the public (None): its own counters, and the number of
        all others."""
        return FaceDownCounters(
            {
                place: heap if place[1] == nation else self.number(*place)
                for place, heap in self._heaps.items()
            }
        )

    def as_json(self, card: Card) -> Json:
        """Return a map of area to nation to the list of counters, or to their number, in card
        order."""
        tree: Json = {}
        for area in card.areas:
            for nation in card.order:
                if heap := self._heaps.get((area, nation)):
                    written = heap if isinstance(heap, int) else list(heap)
                    tree.setdefault(area, {})[nation] = written
        return tree


def face_down_of(tree: object, card: Card) -> FaceDownCounters:
    """Return the heaps that `as_json` wrote. Raise `RulesError` naming the key at fault."""
    return FaceDownCounters(entries_by_place(tree, card.areas, card.order, "face_down", _heap))


def _heap(given: object, where: str) -> Counters | int:
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given <= _MOST:
        return given
    if (
        isinstance(given, list)
        and len(given) <= _MOST
        and all(_is_counter(counter) for counter in given)
    ):
        return sort_counters(given)
    raise RulesError(
        f"{where} must be a list of counters, each of 1, 3, 5 or 10 or 0 for a blank, or their"
        " number"
    )


def _is_counter(given: object) -> bool:
    return type(given) is int and given in (BLANK, *VALUES)
