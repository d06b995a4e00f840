"""Write the first sentences of a report: what happened to the reader's own nations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from games.models import Game, Resolution
from games.rules import NOTHING, Board, Cell
from games.rules.names import all_of, count_of

from . import play, story
from .story import Event


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
    events = [event for result in results for event in play.public_events(result)]
    if any(result.phase.draws for result in results) or now.lands:
        return changes_headline(events, was(), now, nations)
    return placement_headline(events, nations)


def placement_headline(events: Iterable[Event], nations: Sequence[str]) -> str:
    """Return “You placed 6 in Poland and 4 in Austria and lost 2 new PFs.” PFs that only stayed at
    home are left out. For a reader with several nations the sentences name them."""
    placed: dict[str, list[str]] = {nation: [] for nation in nations}
    lost = _forfeits(events)
    for event in events:
        if (nation := story.places(event)) in placed:
            placed[nation].append(f"{event['pf']} in {event['area']}")
    return " ".join(
        _sentence(_subject(nation, nations), (("placed", where), ("lost", lost[nation])))
        for nation, where in placed.items()
        if where or lost[nation]
    )


def _subject(nation: str, nations: Sequence[str]) -> str:
    return "You" if len(nations) == 1 else nation


def _sentence(subject: str, changes: Iterable[tuple[str, Sequence[str]]]) -> str:
    parts = [f"{verb} {all_of(what)}" for verb, what in changes if what]
    return f"{subject} {' and '.join(parts)}."


def changes_headline(
    events: Sequence[Event], was: Board, now: Board, nations: Sequence[str]
) -> str:
    """Return “You lost 6 in Poland and won CONTROL in Rumania. France lost 4 in Austria.”

    Other nations' losses are included in areas where the reader has or had counters. For a reader
    with several nations the sentences name them. Return "" for a reader without a nation.
    """
    losses, forfeits = _losses(events, was, now), _forfeits(events)
    control = "control" if now.lands else "CONTROL"  # only the Origins have counters of it
    sentences = []
    for nation in nations:
        gone: list[tuple[str, str]] = []
        gained: list[tuple[str, str]] = []
        for area, before, after in _cells(was, now, nation):
            gained += _counters(after, before, area, control)
            gone += _counters(before, after, area, control) if not after.control else []
        lost = [*losses.get(nation, {}).values(), *forfeits[nation], *_by_kind(gone)]
        won = _by_kind(gained)
        if lost or won:
            sentences.append(_sentence(_subject(nation, nations), (("lost", lost), ("won", won))))
    own_areas = [
        area
        for area in now.areas
        if any(nation in board.cells.get(area, ()) for nation in nations for board in (was, now))
    ]
    for nation in now.nations:
        lost = [what for area, what in losses.get(nation, {}).items() if area in own_areas]
        if lost and nation not in nations:
            sentences.append(_sentence(nation, [("lost", lost)]))
    return " ".join(sentences)


def _forfeits(events: Iterable[Event]) -> dict[str, list[str]]:
    """Return, by nation, the new PFs that were lost because they were not placed, in words."""
    forfeits = defaultdict[str, list[str]](list)
    for event in events:
        if event["kind"] == "forfeited":
            forfeits[event["nation"]].append(count_of(event["pf"], "new PF"))
    return forfeits


def _losses(events: Iterable[Event], was: Board, now: Board) -> dict[str, dict[str, str]]:
    """Return, by nation and area, “2 in Poland” for the PFs that attacks have cost."""
    strength = defaultdict[tuple[str, str], int](int)
    for event in events:
        for nation, lost in event.get("losses", {}).items():
            strength[nation, event["area"]] += lost
    losses = defaultdict[str, dict[str, str]](dict)
    for (nation, area), lost in strength.items():
        before, after = was.cell(area, nation), now.cell(area, nation)
        # Part of the strength may be an Understanding, which is told by its name.
        pf = before.pf - after.pf if before.understanding and not after.control else lost
        if pf > 0:
            losses[nation][area] = f"{pf} in {area}"
    return losses


def _cells(was: Board, now: Board, nation: str) -> Iterator[tuple[str, Cell, Cell]]:
    """Yield those areas where a nation has counters before or after, each with its cells."""
    for area in now.areas:
        before, after = was.cell(area, nation), now.cell(area, nation)
        if before != NOTHING or after != NOTHING:
            yield area, before, after


def _counters(cell: Cell, other: Cell, area: str, control: str) -> list[tuple[str, str]]:
    """Return the kinds of counters that a cell has and the other cell lacks, each with the area."""
    has = {
        "Understanding": cell.understanding and not other.understanding,
        control: cell.control and not other.control,
        "treaty rights": cell.treaty and not other.treaty,
    }
    return [(kind, area) for kind, is_new in has.items() if is_new]


def _by_kind(counters: Iterable[tuple[str, str]]) -> list[str]:
    """Return counters in words, those of one kind together: “Understandings in USA and Italy”."""
    areas: dict[str, list[str]] = {}
    for kind, area in counters:
        areas.setdefault(kind, []).append(area)
    return [
        f"{_counter(kind, where)} {'of' if kind == 'control' else 'in'} {all_of(where)}"
        for kind, where in areas.items()
    ]


def _counter(kind: str, areas: Sequence[str]) -> str:
    if kind != "Understanding":
        return kind
    return "Understandings" if len(areas) > 1 else "an Understanding"
