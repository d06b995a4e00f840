"""American intervention (18.0, 18.1): when the USA enters, and which column of its reinforcement
track it takes.

"a-b+c-d" of the table is two dice, the first in a-b and the second in c-d; by `spi.us_dice` =
either_order the other way round will do too. They are thrown at the end of the German Player-Turn,
once on each of turns 1 to 13 until a throw succeeds. On the turn on which German units first invade
France, Britain or the USSR a special row is thrown for, once each: beside the turn's own row,
special first, or in its place (`spi.us_special`). A special row is thrown after a success too,
where it could still bring the entry forward. Entry is on the earliest turn of all successes, and on
3/43 at the latest.
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
    """Whether two dice fall in the ranges of a row."""
    one, other = dice

    def fits(first: int, second: int) -> bool:
        return row.first[0] <= first <= row.first[1] and row.second[0] <= second <= row.second[1]

    return fits(one, other) or (either_order and fits(other, one))


def triggers(state: State, power: str, country: str) -> bool:
    """Whether a special row speaks of a power's invasion (`spi.us_trigger_units`)."""
    if all(special.country != country for special in state.card.us.specials):
        return False
    return power == GERMANY or (
        state.options["spi.us_trigger_units"] == "german_player"
        and same_hand(state, power, GERMANY)
    )


def invaded_this_turn(state: State) -> tuple[Special, ...]:
    """Special rows whose event happens first on this Game-Turn."""
    found = []
    for special in state.card.us.specials:
        turns = [
            one.turn
            for one in state.country(special.country).invasions
            if triggers(state, one.power, special.country)
        ]
        if turns and min(turns) == state.turn and special.country not in state.us.rolled_for:
            found.append(special)
    return tuple(found)


def due(state: State) -> tuple[Request, ...]:
    """Return the dice of the end of this German Player-Turn, in the order they are thrown."""
    if state.options["spi.us_entry"] != VARIABLE or has_entered(state):
        return ()
    specials = invaded_this_turn(state)
    wanted = [
        Request("us_special", state.card.us.roller, 2, {"country": one.country})
        for one in specials
        if state.turn + one.delay < (state.us.entry or state.card.us.automatic)
    ]
    instead = specials and state.options["spi.us_special"] == "instead"
    if (
        state.us.entry is None
        and not instead
        and any(row.turn == state.turn for row in state.card.us.rows)
    ):
        wanted.append(Request("us_entry", state.card.us.roller, 2, {"turn": state.turn}))
    return tuple(wanted)


def thrown(state: State, request: Request) -> tuple[State, bool, int | None]:
    """The state after a throw, whether it succeeded, and the entry turn that it gives.

    A turn's own row thrown for after a special row has succeeded counts for nothing ("until a roll
    succeeds"); the dice are not taken then.
    """
    table, either = state.card.us, state.options["spi.us_dice"] == "either_order"
    if request.purpose == "us_special":
        special = next(one for one in table.specials if one.country == request.about["country"])
        entry, success = state.turn + special.delay, succeeds(special, request.rolled, either)
        state = replace(
            state, us=replace(state.us, rolled_for=(*state.us.rolled_for, special.country))
        )
    else:
        row = next(one for one in table.rows if one.turn == request.about["turn"])
        entry, success = row.entry, succeeds(row, request.rolled, either)
    if not success:
        return state, False, None
    entry = min(entry, table.automatic)
    earliest = entry if state.us.entry is None else min(entry, state.us.entry)
    return replace(state, us=replace(state.us, entry=earliest)), True, entry


def status(state: State) -> str:
    """neutral, pledged (the turn of entry is known) or belligerent."""
    if has_entered(state):
        return BELLIGERENT
    return NEUTRAL if state.us.entry is None else PLEDGED


def column(turn: int, entry: int, start: int = 12, last: int = 23) -> int | None:
    """Return the turn whose American reinforcements are taken; None once the track has run out."""
    found = start + turn - entry
    return found if found <= last else None


def reinforcements(state: State) -> tuple[int | None, dict[str, int]] | None:
    """Return this turn's column, or None and the points instead; None before entry."""
    if not has_entered(state) or state.us.entry is None:
        return None
    found = column(state.turn, state.us.entry, state.card.us.track_start, state.card.turns)
    return (found, {}) if found is not None else (None, dict(state.card.us.overflow))


def automatic(state: State) -> State:
    """Let the USA enter at the beginning of 3/43 where the table has not brought it in."""
    if (
        state.options["spi.us_entry"] == VARIABLE
        and state.us.entry is None
        and state.turn >= state.card.us.automatic
    ):
        return replace(state, us=replace(state.us, entry=state.turn))
    return state
