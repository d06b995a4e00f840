"""Scores and winners (Rules C.0, T10, F13, F14)."""

from __future__ import annotations

from .. import NationFacts, Objective, Standing
from .card import CONTROL, KINDS, NO_CONTROL, UNDERSTANDING
from .state import OVER, State

WAR_POINTS = 15
WAR_NATIONS = ("Germany", "Russia")


def scores(state: State) -> dict[str, int]:
    """Return every nation's score in card order as if the game ended here, rulings included."""
    by_nation = {}
    for nation in state.in_play:
        score = state.points.get(nation, 0)
        # Its own counters, and the absence of others' counters where its card pays for that.
        for area, pays in state.card.objectives.get(nation, {}).items():
            for kind, points in pays.items():
                if _is_reached(state, nation, area, kind):
                    score += points
        by_nation[nation] = score
    return by_nation


def _is_reached(state: State, nation: str, area: str, kind: str) -> bool:
    """Return whether an objective of that kind would pay now."""
    pieces = state.pieces
    if kind == UNDERSTANDING:
        return pieces.cell_at(area, nation).understanding
    if kind == CONTROL:
        return pieces.cell_at(area, nation).control
    if kind == NO_CONTROL:
        return not pieces.closed(area)
    others = (pieces.cell_at(area, other) for other in state.card.order if other != nation)
    return not any(
        cell.understanding or (cell.control and _control_breaks(state, nation)) for cell in others
    )


def nation_facts(state: State, nation: str) -> NationFacts:
    """Return the nation's objectives, area by area, with whether each would pay now.

    Where scores are hidden, nobody is told what would pay (F13).
    """
    card = state.card
    by_area = card.objectives.get(nation, {})
    objectives = [
        Objective(
            area,
            kind,
            pays[kind],
            None if state.scores_hidden else _is_reached(state, nation, area, kind),
        )
        for area in card.areas
        if (pays := by_area.get(area))
        for kind in KINDS
        if pays.get(kind)
    ]
    ruled = 0 if state.scores_hidden else state.points.get(nation, 0)
    return NationFacts(
        card.home.get(nation), tuple(card.allocation.get(nation, ())), tuple(objectives), ruled
    )


def _control_breaks(state: State, nation: str) -> bool:
    """Return whether CONTROL also breaks a nation's “no Understanding”, by its card or by the
    option that overrules it."""
    broken_by = state.options["ow2.nu_broken_by"]
    if broken_by == "card_note":
        card = state.card
        broken_by = card.broken_by_nation.get(nation, card.no_understanding_broken_by)
    return bool(broken_by == "understanding_or_control")


def standing(state: State) -> Standing:
    if state.step != OVER:
        return Standing({} if state.scores_hidden else scores(state))
    final = scores(state)
    winners = _winners(state, final)
    at_war = [nation for nation in winners if nation in WAR_NATIONS and final[nation] >= WAR_POINTS]
    won = f"{' and '.join(at_war)} won with {WAR_POINTS} points or more"
    return Standing(final, winners, f"War has broken out: {won}." if at_war else "")


def _contenders(state: State) -> tuple[str, ...]:
    """Return the nations that can win: held nations, and under ow2.nonplayer_wins all (N5)."""
    if state.options["ow2.nonplayer_wins"] == "yes":
        return state.in_play
    unheld = state.unheld
    return tuple(nation for nation in state.in_play if nation not in unheld)


def _winners(state: State, final: dict[str, int]) -> tuple[str, ...]:
    """Return the nations with the best score. By ow2.tie, the one with more counters wins a tie;
    otherwise all share it (F13)."""
    ranked = _contenders(state)
    most = max(final[contender] for contender in ranked)
    best = [nation for nation in ranked if final[nation] == most]
    rule = state.options["ow2.tie"]
    if rule == "shared":
        return tuple(best)
    counted = dict.fromkeys(best, 0)
    for _, nation, cell in state.pieces:
        if nation in counted:
            counted[nation] += cell.control + (cell.understanding if rule == "more_counters" else 0)
    return tuple(nation for nation in best if counted[nation] == max(counted.values()))
