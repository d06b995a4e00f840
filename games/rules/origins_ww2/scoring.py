"""Scores and winners (Rules C.0, T10, F13, F14; contract 4.1)."""

from __future__ import annotations

from .. import Standing
from .card import CONTROL, NO_CONTROL, NO_UNDERSTANDING, UNDERSTANDING
from .state import OVER, State

WAR_POINTS = 15
WAR_NATIONS = ("Germany", "Russia")


def scores(state: State) -> dict[str, int]:
    """As if the game ended here, for every nation in card order; with what rulings have added or taken."""
    return {
        nation: sum(_area(state, nation, area) for area in state.card.objectives.get(nation, {})) + state.points.get(nation, 0)
        for nation in state.card.order
    }


def _area(state: State, nation: str, area: str) -> int:
    """What the area pays a nation: its own counters, and the want of others' where its card asks for that."""
    card, pieces = state.card, state.pieces
    mine = pieces.at(area, nation)
    others = [pieces.at(area, other) for other in card.order if other != nation]
    total = 0
    if mine.understanding:
        total += card.points(nation, area, UNDERSTANDING)
    if mine.control:
        total += card.points(nation, area, CONTROL)
    if not pieces.closed(area):
        total += card.points(nation, area, NO_CONTROL)
    if not any(cell.understanding or (cell.control and _control_breaks(state)) for cell in others):
        total += card.points(nation, area, NO_UNDERSTANDING)
    return total


def _control_breaks(state: State) -> bool:
    """Whether CONTROL breaks “no Understanding” too: as the card says, or as the option says over it."""
    option = state.options["ow2.nu_broken_by"]
    return (state.card.no_understanding_broken_by if option == "card_note" else option) == "understanding_or_control"


def standing(state: State) -> Standing:
    if state.step != OVER:
        return Standing({} if state.scores_hidden else scores(state))
    final = scores(state)
    winners = _winners(state, final)
    at_war = [nation for nation in winners if nation in WAR_NATIONS and final[nation] >= WAR_POINTS]
    remark = f"War has broken out: {' and '.join(at_war)} won with {WAR_POINTS} points or more." if at_war else ""
    return Standing(final, winners, remark)


def _winners(state: State, final: dict[str, int]) -> tuple[str, ...]:
    """The best score; among equals whoever has more counters where ow2.tie says so, else all of them (F13)."""
    best = [nation for nation in state.card.order if final[nation] == max(final.values())]
    rule = state.options["ow2.tie"]
    if rule == "shared":
        return tuple(best)
    counted = dict.fromkeys(best, 0)
    for _, nation, cell in state.pieces:
        if nation in counted:
            counted[nation] += cell.control + (cell.understanding if rule == "more_counters" else 0)
    return tuple(nation for nation in best if counted[nation] == max(counted.values()))
