"""Decide American intervention (18.0, 18.1): when the USA enters, and its reinforcements.

"a-b+c-d" in the table means two dice, the first in a-b and the second in c-d; under `spi.us_dice` =
either_order also the other way round. They are thrown at the end of the German Player-Turn, once on
each of turns 1 to 13 until a throw succeeds. On the turn on which German units first invade France,
Britain or the USSR, dice are thrown for a special row, once for each: before the turn's own row, or
instead of it (`spi.us_special`). A special row is thrown for even after a success if it could still
bring the entry forward. The USA enters on the earliest turn of all successes, and on 3/43 at the
latest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .card import Row, Special
from .players import has_entered, same_hand
from .state import Request, State

VARIABLE = "variable"
BELLIGERENT, PLEDGED, NEUTRAL = "belligerent", "pledged", "neutral"
GERMANY = "Germany"


def succeeds(row: Row | Special, dice: Sequence[int], either_order: bool = False) -> bool:
    """Return whether two dice are in the ranges of a row."""
    first_die, second_die = dice

    def fits(first: int, second: int) -> bool:
        return row.first[0] <= first <= row.first[1] and row.second[0] <= second <= row.second[1]

    return fits(first_die, second_die) or (either_order and fits(second_die, first_die))


def triggers(state: State, power: str, country: str) -> bool:
    """Return whether a special row applies to a power's invasion (`spi.us_trigger_units`)."""
    if all(special.country != country for special in state.card.us.specials):
        return False
    return power == GERMANY or (
        state.options["spi.us_trigger_units"] == "german_player"
        and same_hand(state, power, GERMANY)
    )


def specials_of_turn(state: State) -> tuple[Special, ...]:
    """Return special rows whose event first happened on this Game-Turn."""
    specials = []
    for special in state.card.us.specials:
        turns = [
            invasion.turn
            for invasion in state.country(special.country).invasions
            if triggers(state, invasion.power, special.country)
        ]
        if turns and min(turns) == state.turn and special.country not in state.us.rolled_for:
            specials.append(special)
    return tuple(specials)


def due(state: State) -> tuple[Request, ...]:
    """Return the dice to throw at the end of this German Player-Turn, in order."""
    if state.options["spi.us_entry"] != VARIABLE or has_entered(state):
        return ()
    specials = specials_of_turn(state)
    requests = [
        Request("us_special", state.card.us.roller, 2, {"country": special.country})
        for special in specials
        if state.turn + special.delay < (state.us.entry or state.card.us.automatic)
    ]
    instead = specials and state.options["spi.us_special"] == "instead"
    if (
        state.us.entry is None
        and not instead
        and any(row.turn == state.turn for row in state.card.us.rows)
    ):
        requests.append(Request("us_entry", state.card.us.roller, 2, {"turn": state.turn}))
    return tuple(requests)


def throw(state: State, request: Request) -> tuple[State, bool, int | None]:
    """Return the state after a throw, whether it succeeded, and the entry turn that it gives.

    After the success of a special row, a turn's own row has no effect ("until a roll succeeds"),
    and its dice are not thrown.
    """
    table, either = state.card.us, state.options["spi.us_dice"] == "either_order"
    if request.purpose == "us_special":
        special = next(
            candidate
            for candidate in table.specials
            if candidate.country == request.about["country"]
        )
        entry, success = state.turn + special.delay, succeeds(special, request.rolled, either)
        state = replace(
            state, us=replace(state.us, rolled_for=(*state.us.rolled_for, special.country))
        )
    else:
        row = next(candidate for candidate in table.rows if candidate.turn == request.about["turn"])
        entry, success = row.entry, succeeds(row, request.rolled, either)
    if not success:
        return state, False, None
    entry = min(entry, table.automatic)
    earliest = entry if state.us.entry is None else min(entry, state.us.entry)
    return replace(state, us=replace(state.us, entry=earliest)), True, entry


def status(state: State) -> str:
    """Return neutral, pledged (the turn of entry is known) or belligerent."""
    if has_entered(state):
        return BELLIGERENT
    return NEUTRAL if state.us.entry is None else PLEDGED


def column(turn: int, entry: int, start: int = 12, last: int = 23) -> int | None:
    """Return the turn whose American reinforcements are taken; None after the end of the track."""
    place = start + turn - entry
    return place if place <= last else None


def reinforcements(state: State) -> tuple[int | None, dict[str, int]] | None:
    """Return this turn's column, or None and the points that replace it; None before entry."""
    if not has_entered(state) or state.us.entry is None:
        return None
    track_turn = column(state.turn, state.us.entry, state.card.us.track_start, state.card.turns)
    return (track_turn, {}) if track_turn is not None else (None, dict(state.card.us.overflow))


def automatic(state: State) -> State:
    """Let the USA enter at the beginning of 3/43 if no throw has brought it in."""
    if (
        state.options["spi.us_entry"] == VARIABLE
        and state.us.entry is None
        and state.turn >= state.card.us.automatic
    ):
        return replace(state, us=replace(state.us, entry=state.turn))
    return state
