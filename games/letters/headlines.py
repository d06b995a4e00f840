"""Write the first sentences of a report: what happened to the reader's own nations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from games.models import Game, Resolution
from games.rules import Board, Cell
from games.rules.names import all_of

from . import play, story

NOTHING = Cell()


def reader_of(game: Game, nations: Sequence[str]) -> str:
    """Return the nation that the events of a report call “you”: the only one for which its reader
    sent orders; "" for several nations, and where a gamesmaster reports what happened."""
    return nations[0] if len(nations) == 1 and game.rules.foreseeable else ""


def headline(
    results: Sequence[Resolution],
    was: Callable[[], Board],
    now: Board,
    nations: Sequence[str],
) -> str:
    """Return the first sentences of a report about these results, in its letter and on its page.

    `nations`: those for which the reader sent orders.
    """
    if any(result.phase.draws for result in results):
        return attacks_headline(was(), now, nations)
    return placement_headline(play.public_events(results[-1]), nations)


def placement_headline(events: Iterable[Mapping[str, Any]], nations: Sequence[str]) -> str:
    """Return “You placed 6 in Poland and 4 in Austria.” PFs that only stayed at home are left out.
    For a reader with several nations the sentences name them."""
    placed: dict[str, list[str]] = {nation: [] for nation in nations}
    for event in events:
        if (nation := story.places(event)) in placed:
            placed[nation].append(f"{event['pf']} in {event['area']}")
    return " ".join(
        f"{_subject(nation, nations)} placed {all_of(where)}."
        for nation, where in placed.items()
        if where
    )


def _subject(nation: str, nations: Sequence[str]) -> str:
    return "You" if len(nations) == 1 else nation


def attacks_headline(was: Board, now: Board, nations: Sequence[str]) -> str:
    """Return “You lost 6 in Poland and won CONTROL in Rumania. France lost 4 in Austria.”

    Other nations' losses are included in areas where the reader had counters. For a reader with
    several nations the sentences name them. Return "" for a reader without a nation, and where
    areas have states.
    """
    if now.lands or not nations:
        return ""
    changed = [area for area in now.areas if was.cells.get(area) != now.cells.get(area)]
    sentences = []
    for nation in nations:
        lost, gone, won = [], [], []
        for area, before, after in _cells(was, now, nation, changed):
            won += _counters(after, before, area)
            gone += _counters(before, after, area) if not after.control else []
            lost += _losses(before, after, area)
        changes = (("lost", lost + _by_kind(gone)), ("won", _by_kind(won)))
        parts = [f"{verb} {all_of(what)}" for verb, what in changes if what]
        sentences += [f"{_subject(nation, nations)} {' and '.join(parts)}."] if parts else []
    own_areas = [
        area for area in changed if any(nation in was.cells.get(area, ()) for nation in nations)
    ]
    for nation in was.nations:
        if nation in nations:
            continue
        losses = [
            what
            for area, before, after in _cells(was, now, nation, own_areas)
            for what in _losses(before, after, area)
        ]
        sentences += [f"{nation} lost {all_of(losses)}."] if losses else []
    return " ".join(sentences)


def _cells(
    was: Board, now: Board, nation: str, areas: Iterable[str]
) -> Iterator[tuple[str, Cell, Cell]]:
    """Yield those areas where a nation has counters before or after, each with its cells."""
    for area in areas:
        before = was.cells.get(area, {}).get(nation)
        after = now.cells.get(area, {}).get(nation)
        if before or after:
            yield area, before or NOTHING, after or NOTHING


def _losses(before: Cell, after: Cell, area: str) -> list[str]:
    """Return “2 in Poland” for lost PFs; nothing for PFs that were spent on a counter."""
    invested = after.control or (after.understanding and not before.understanding)
    return [f"{before.pf - after.pf} in {area}"] if after.pf < before.pf and not invested else []


def _counters(cell: Cell, other: Cell, area: str) -> list[tuple[str, str]]:
    """Return the kinds of counters that a cell has and the other cell lacks, each with the area."""
    has = {
        "Understanding": cell.understanding and not other.understanding,
        "CONTROL": cell.control and not other.control,
        "treaty rights": cell.treaty and not other.treaty,
    }
    return [(kind, area) for kind, is_new in has.items() if is_new]


def _by_kind(counters: Iterable[tuple[str, str]]) -> list[str]:
    """Return counters in words, those of one kind together: “Understandings in USA and Italy”."""
    areas: dict[str, list[str]] = {}
    for kind, area in counters:
        areas.setdefault(kind, []).append(area)
    return [f"{_counter(kind, where)} in {all_of(where)}" for kind, where in areas.items()]


def _counter(kind: str, areas: Sequence[str]) -> str:
    if kind != "Understanding":
        return kind
    return "Understandings" if len(areas) > 1 else "an Understanding"
