"""Order lines that could be sent as they are, for letters and pages that show how to write orders.

Each is possible now, is accepted without a warning beside the others, and commits the nation to
nothing lasting.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from . import Choice, Reading
from .verbs import Verbs

MOST = 3


def samples(
    verbs: Verbs, choices: Sequence[Choice], read: Callable[[str], Reading], stocks: Sequence[str]
) -> tuple[str, ...]:
    """Return up to three lines for three areas: one of each verb first, then more of the same.

    Each attack names a different stock of `stocks`, while there are any.
    """
    by_verb: dict[str, list[Choice]] = {}
    for choice in choices:
        if verbs[choice.verb].sample:
            by_verb.setdefault(choice.verb.partition(" ")[0], []).append(choice)
    wanted = {
        verb: MOST // len(by_verb) + (index < MOST % len(by_verb))
        for index, verb in enumerate(by_verb)
    }
    refused: set[str] = set()
    while True:
        lines = {verb: _lines(by_verb[verb], wanted[verb], stocks) for verb in by_verb}
        picked = _pick(lines, refused)
        reading = read("\n".join(line for _, line in picked))
        unsound = [remark.line for remark in reading.remarks if remark.severity != "note"]
        if not unsound:
            break
        refused.add(picked[min(unsound) - 1][1])
    return tuple(line for verb in by_verb for of_verb, line in picked if of_verb == verb)


def _pick(
    lines: Mapping[str, Iterator[tuple[str, str]]], refused: Container[str]
) -> list[tuple[str, str]]:
    """Return lines that are not refused, for different areas, taking the verbs in turn."""
    picked: list[tuple[str, str]] = []
    areas: set[str] = set()
    waiting = dict(lines)
    while waiting and len(picked) < MOST:
        for verb in list(waiting):
            for area, line in waiting[verb]:
                if area not in areas and line not in refused:
                    picked.append((verb, line))
                    areas.add(area)
                    break
            else:
                del waiting[verb]
            if len(picked) == MOST:
                break
    return picked


def _lines(
    offered: Sequence[Choice], wanted: int, stocks: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield lines of one verb with their areas, of which the caller needs about `wanted`.

    They start in the middle of the list, because the first would be the same area in every game.
    """
    middle = len(offered) // 2
    for index, choice in enumerate([*offered[middle:], *offered[:middle]]):
        number = max(1, (choice.most or 1) // max(1, wanted))
        for nation in choice.nations or ("",):
            if nation not in choice.barred:
                # Only the first line names its counters; the others show that it is optional.
                counters = _counters(choice, number) if not index else ()
                examples = stocks[index % len(stocks) :][:1] if choice.stock and stocks else ()
                line = choice.line(number, [nation] if nation else (), examples, counters)
                yield choice.area or line, line


def _counters(choice: Choice, number: int) -> list[int]:
    """Return the number as counters that are smaller than it: 5 as 3+1+1."""
    counters: list[int] = []
    for value in sorted(choice.counters, reverse=True):
        while value <= number - sum(counters) and (value < number or number == 1):
            counters.append(value)
    return counters
