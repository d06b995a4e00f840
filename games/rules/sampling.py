"""Order lines that could be sent as they stand, for letters and pages that show how orders are
written.

Each is possible now, is taken without a warning beside the others, and binds nobody for good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from . import Choice, Reading

MOST = 3
#: A pass needs no teaching; alliances, wars and standing orders are nothing to be sent by way of
#: trying.
NOT_SHOWN = (
    "PASS", "STANDING", "LOSE", "ALLY", "LEAVE", "UNALLY", "DECLARE", "REVOKE", "MED", "COLUMN",
    "BLEND", "INVADE", "PEACE",
)  # fmt: skip


def samples(
    choices: Sequence[Choice], read: Callable[[str], Reading], stocks: Sequence[str]
) -> tuple[str, ...]:
    """Up to three lines for three areas: one of each verb first, then more of the same. Each attack
    names a stock of its own out of `stocks`, while there are any."""
    by_verb: dict[str, list[Choice]] = {}
    for choice in choices:
        if not choice.verb.startswith(NOT_SHOWN):
            by_verb.setdefault(choice.verb.partition(" ")[0], []).append(choice)
    found: dict[str, list[str]] = {verb: [] for verb in by_verb}
    areas: set[str | None] = set()
    waiting = {
        verb: _lines(offered, MOST // len(by_verb) + (place < MOST % len(by_verb)), stocks)
        for place, (verb, offered) in enumerate(by_verb.items())
    }
    while waiting and len(areas) < MOST:
        for verb in list(waiting):
            before = [line for lines in found.values() for line in lines]
            for area, line in waiting[verb]:
                if area not in areas and _is_sound(read("\n".join([*before, line]))):
                    found[verb].append(line)
                    areas.add(area)
                    break
            else:
                del waiting[verb]
            if len(areas) == MOST:
                break
    return tuple(line for lines in found.values() for line in lines)


def _is_sound(reading: Reading) -> bool:
    return all(remark.severity == "note" for remark in reading.remarks)


def _lines(
    offered: Sequence[Choice], wanted: int, stocks: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Lines of one verb with their areas, of which about so many are wanted. From the middle on:
    the first would be the same well-worn area in every game."""
    middle = len(offered) // 2
    for place, choice in enumerate([*offered[middle:], *offered[:middle]]):
        number = max(1, (choice.most or 1) // max(1, wanted))
        for nation in choice.nations or ("",):
            if nation not in choice.barred:
                # The first that may say which counters it lays does so; the others show that it
                # need not be said.
                counters = _counters(choice, number) if not place else ()
                named = stocks[place % len(stocks) :][:1] if choice.stock and stocks else ()
                line = choice.line(number, [nation] if nation else (), named, counters)
                yield choice.area or line, line


def _counters(choice: Choice, number: int) -> list[int]:
    """The number in counters that are less than the whole of it: 5 as 3+1+1."""
    found: list[int] = []
    for value in sorted(choice.counters, reverse=True):
        while value <= number - sum(found) and (value < number or number == 1):
            found.append(value)
    return found
