"""Points that fall due and may lapse (10.44, 10.84, 10.91, 16.9), the size of Russian units (10.73)
and the halved German rate (12.1).

What stands on tracks of the base game falls due by a word of the gamesmaster (`DUE`); what the
rules print in full falls due by itself. Points are used by order lines that are ruled done, those
that lapse first being taken first.
"""

from __future__ import annotations

from dataclasses import replace

from .calendar import begins_year, season, turn_of
from .card import LARGEST, Due
from .players import same_hand
from .state import Entitlement, State

REPLACEMENT, REINFORCEMENT = KINDS = ("replacement", "reinforcement")


def falling_due(state: State) -> tuple[Due, ...]:
    """What the printed rules make due on this turn."""
    return tuple(
        one
        for one in state.card.entitlements
        if one.kind != LARGEST and one.points and _is_due(state, one)
    )


def _is_due(state: State, due: Due) -> bool:
    if not due.every:
        return state.turn == 1
    if due.season:
        return _season(state) == due.season
    if state.options["spi.british_replacement"] == "any_turn":
        return begins_year(state.card, state.turn)
    return _season(state) == "spring"


def _season(state: State) -> str:
    return season(state.card, state.turn, state.options["spi.seasons"])


def begun(state: State) -> tuple[State, tuple[Entitlement, ...]]:
    """The state at the beginning of a turn with what falls due."""
    new: list[Entitlement] = []
    for one in falling_due(state):
        what = (one.power, one.kind, one.points, one.place)
        state, made = added(state, *what, lapses=one.lapses, case=one.case)
        new.append(made)
    return state, tuple(new)


def added(
    state: State, power: str, kind: str, points: int, place: str, *, lapses: bool, case: str
) -> tuple[State, Entitlement]:
    number = max((one.number for one in state.entitlements), default=0) + 1
    made = Entitlement(
        number, state.turn, power, kind, points, place, state.turn if lapses else None, case
    )
    return replace(state, entitlements=(*state.entitlements, made)), made


def lapsed(state: State) -> tuple[State, tuple[Entitlement, ...]]:
    """The state at the end of a turn: what was to be taken by now and was not is lost (10.84,
    10.91); what is used up is put away."""
    gone = tuple(
        one
        for one in state.entitlements
        if one.expires is not None and one.expires <= state.turn and one.left
    )
    kept = tuple(one for one in state.entitlements if one.left and one not in gone)
    return replace(state, entitlements=kept), gone


def left(state: State, power: str, kind: str) -> int:
    return sum(one.left for one in state.entitlements if one.power == power and one.kind == kind)


def used(state: State, power: str, kind: str, points: int) -> tuple[State, int]:
    """Take points. Return also how many could not be: those of tracks unknown to the service."""
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
    """Strength Points of the largest unit that Russian replacements and reinforcements may be built
    into (10.73).

    Two until there has been a Limited or Full War, then three, from Spring 1943 on four. A peace
    takes nothing back.
    """
    steps = next(one.steps for one in state.card.entitlements if one.kind == LARGEST)
    if not state.flags.war_level:
        return steps[0]
    return steps[2] if state.turn >= spring_1943(state) else steps[1]


def centers_lost(state: State) -> bool:
    """Whether others hold all Soviet resource centers, by what has been told: then nothing can be
    placed at one (10.73)."""
    told = state.country("USSR")
    others = sum(count for power, count in told.held.items() if power != "USSR")
    return state.printed and bool(told.centres) and others >= (told.centres or 0)


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
    """Halve a rate, rounded by `spi.half_rounding`; the printed example is 8 to 4."""
    return (rate + 1) // 2 if rounding == "up" else rate // 2


def halves(state: State) -> tuple[bool, str]:
    """Whether the German rate is halved now (12.1), and why, as a sentence."""
    sweden = state.card.minors.halves
    told = state.country(sweden)
    if state.flags.halved:
        by = f"destroyed by {told.destroyed_by or 'an invader'}"
        return True, f"The army of {sweden} has been {by}: the rate is halved for good (12.1)."
    if any(is_german(state, one.power) for one in told.invasions):
        return True, f"Germany has invaded {sweden} (12.1)."
    if told.invasions:
        why = "but not by Germany, and its army has not been destroyed: the full rate applies"
        return False, f"{sweden} has been invaded, {why} (12.1)."
    return False, f"Nobody has invaded {sweden} (12.1)."


def is_german(state: State, power: str) -> bool:
    """Whether an invasion by a power is Germany's: Italy's too where one player has both
    (`spi.invader_unit` = player)."""
    return power == "Germany" or (
        state.options["spi.invader_unit"] == "player" and same_hand(state, power, "Germany")
    )


def german_rate(state: State, rate: int) -> int:
    return half(rate, state.options["spi.half_rounding"]) if halves(state)[0] else rate
