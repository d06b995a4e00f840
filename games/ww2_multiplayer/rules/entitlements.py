"""Points that fall due and may lapse, the size of Russian units, and the halved German rate.

Points are cases 10.44, 10.84, 10.91 and 16.9, Russian units 10.73, and the German rate 12.1. What
is on tracks of the base game falls due when the gamesmaster reports it (`DUE`); what the rules
print in full falls due automatically. Order lines that are ruled done use the points, beginning
with those that lapse first.
"""

from __future__ import annotations

from dataclasses import replace

from .calendar import begins_year, season, turn_of
from .card import LARGEST, DueEntitlement
from .operators import counts_for, decisive_invasions
from .state import Entitlement, State

REPLACEMENT, REINFORCEMENT = "replacement", "reinforcement"


def falling_due(state: State) -> tuple[DueEntitlement, ...]:
    """Return what the printed rules make due on this turn."""
    return tuple(
        due
        for due in state.card.entitlements
        if due.kind != LARGEST and due.points and _is_due(state, due)
    )


def _is_due(state: State, due: DueEntitlement) -> bool:
    if not due.every:
        return state.turn == 1
    if due.season:
        return _season(state) == due.season
    if state.options["spi.british_replacement"] == "any_turn":
        return begins_year(state.card, state.turn)
    return _season(state) == "spring"


def _season(state: State) -> str:
    return season(state.card, state.turn, state.options["spi.seasons"])


def begin_turn(state: State) -> tuple[State, tuple[Entitlement, ...]]:
    """Add what falls due at the beginning of a turn. Return the state and the new points."""
    new: list[Entitlement] = []
    for due in falling_due(state):
        facts = (due.power, due.kind, due.points, due.place)
        state, entitlement = add_entitlement(state, *facts, lapses=due.lapses, case=due.case)
        new.append(entitlement)
    return state, tuple(new)


def add_entitlement(
    state: State, power: str, kind: str, points: int, place: str, *, lapses: bool, case: str
) -> tuple[State, Entitlement]:
    number = max((entitlement.number for entitlement in state.entitlements), default=0) + 1
    new_entitlement = Entitlement(
        number, state.turn, power, kind, points, place, state.turn if lapses else None, case
    )
    return replace(state, entitlements=(*state.entitlements, new_entitlement)), new_entitlement


def lapse(state: State) -> tuple[State, tuple[Entitlement, ...]]:
    """Remove unused points at their last turn (10.84, 10.91), and those that are used up.

    Return the state and the points lost.
    """
    lapsed = tuple(
        entitlement
        for entitlement in state.entitlements
        if entitlement.expires is not None
        and entitlement.expires <= state.turn
        and entitlement.left
    )
    remaining = tuple(
        entitlement
        for entitlement in state.entitlements
        if entitlement.left and entitlement not in lapsed
    )
    return replace(state, entitlements=remaining), lapsed


def points_left(state: State, power: str, kind: str) -> int:
    return sum(
        entitlement.left
        for entitlement in state.entitlements
        if entitlement.power == power and entitlement.kind == kind
    )


def take_points(state: State, power: str, kind: str, points: int) -> tuple[State, int]:
    """Take points.

    Return also how many could not be taken: those of tracks unknown to the service.
    """
    rows = list(state.entitlements)
    first = [(row.expires is None, row.expires or 0, row.number) for row in rows]
    for place in sorted(range(len(rows)), key=first.__getitem__):
        row = rows[place]
        if points and row.power == power and row.kind == kind and row.left:
            taken = min(points, row.left)
            rows[place] = replace(row, used=row.used + taken)
            points -= taken
    return replace(state, entitlements=tuple(rows)), points


# --- Russian units ---


def largest_russian(state: State) -> int:
    """Return Strength Points of the largest unit that Russian points may be built into (10.73).

    Two until there has been a Limited or Full War, then three, and four from Spring 1943. A peace
    does not lower it again.
    """
    steps = next(due.steps for due in state.card.entitlements if due.kind == LARGEST)
    if not state.flags.war_level:
        return steps[0]
    return steps[2] if state.turn >= spring_1943(state) else steps[1]


def has_lost_centers(state: State) -> bool:
    """Return whether others hold all Soviet resource centers, by the reports so far.

    Then nothing can be placed at one (10.73).
    """
    row = state.country("USSR")
    others = sum(count for power, count in row.held.items() if power != "USSR")
    return state.printed and bool(row.centres) and others >= (row.centres or 0)


def spring_1943(state: State) -> int:
    """Return the turn by `spi.seasons`: 2/43 if the first quarter is winter, 1/43 if spring."""
    first = turn_of(state.card, 1, 1943)
    quarters = range(first, first + state.card.quarters)
    return next(
        turn
        for turn in quarters
        if season(state.card, turn, state.options["spi.seasons"]) == "spring"
    )


# --- the German rate ---


def half(rate: int, rounding: str = "down") -> int:
    """Halve a rate, rounded by `spi.half_rounding`. The printed example is 8 to 4."""
    return (rate + 1) // 2 if rounding == "up" else rate // 2


def halves(state: State) -> tuple[bool, str]:
    """Return whether the German rate is halved now (12.1), and why, as a sentence."""
    sweden = state.card.minors.halves
    row = state.country(sweden)
    if state.flags.halved:
        by = f"destroyed by {row.destroyed_by or 'an invader'}"
        return True, f"The army of {sweden} has been {by}: the rate is halved for good (12.1)."
    if any(is_german(state, first.power) for first in decisive_invasions(state, sweden)):
        return True, f"Germany has invaded {sweden} (12.1)."
    if row.invasions:
        why = "but not by Germany, and its army has not been destroyed: the full rate applies"
        return False, f"{sweden} has been invaded, {why} (12.1)."
    return False, f"Nobody has invaded {sweden} (12.1)."


def is_german(state: State, power: str) -> bool:
    """Return whether an invasion by a power counts as Germany's.

    Italy's does too if one player has both (`spi.invader_unit` = player).
    """
    return counts_for(state, power, "Germany")


def german_rate(state: State, rate: int) -> int:
    return half(rate, state.options["spi.half_rounding"]) if halves(state)[0] else rate
