"""What follows what (4.1, 4.2; Rules B.8, `spi.flow`).

    batched      diplomacy, orders of everybody, then for each Player-Turn in printed order the
                 gamesmaster's sheets
    sequential   diplomacy, then for each Player-Turn its orders and the gamesmaster's sheets

With `spi.dice_ahead` orders are followed by a phase in which dice for the sheets are drawn.

A sheet that asks for dice is followed by a phase in which they are thrown. A Player-Turn takes as
many sheets as it needs; the last one says END. After the German Player-Turn the dice of American
intervention are thrown and the Game-Turn ends. After the last Game-Turn the gamesmaster's count
settles forces, hexes and controllers, and the game is over.
"""

from __future__ import annotations

from dataclasses import replace

from .. import Json, PhaseId, event
from . import dice, entitlements, intervention
from .calendar import label
from .happenings import due_event
from .naming import counted
from .players import groups, has_entered, slug
from .state import BATCHED, COUNT, DICE, DIPLOMACY, ORDERS, OVER, REFEREE, Ahead, State

_TITLES = {"ussr": "the USSR", "usa": "the USA"}


def kind(state: State) -> str:
    """The kind of the phase, unique in its turn: "diplomacy", "orders", "referee-france",
    "referee-france-2", "dice-1", "count"."""
    again = f"-{state.sheets}" if state.sheets > 1 else ""
    if state.step == ORDERS:
        together = state.options["spi.flow"] == BATCHED
        return ORDERS if together else f"{ORDERS}-{slug(state, state.mover)}"
    if state.step == REFEREE:
        return f"{REFEREE}-{slug(state, state.mover)}{again}"
    if state.step == DICE:
        return f"{DICE}-{state.throws}"
    return f"{COUNT}{again}" if state.step == COUNT else state.step


def phase(state: State) -> PhaseId | None:
    return None if state.step == OVER else PhaseId(state.turn, kind(state))


def title(phase: PhaseId) -> str:
    """Without the calendar: "diplomacy", "orders of the USSR", "the gamesmaster's report for France
    (2)", "dice (3)"."""
    step, _, rest = phase.kind.partition("-")
    who, _, number = rest.partition("-")
    name = _TITLES.get(who, who.title())
    if step == ORDERS:
        return f"orders of {name}" if rest else "orders"
    if step == REFEREE:
        return f"the gamesmaster's report for {name}" + (f" ({number})" if number else "")
    if step == DICE:
        return "dice" + (f" ({rest})" if rest != "1" else "")
    if step == COUNT:
        return "the gamesmaster's count" + (f" ({rest})" if rest else "")
    return step


def awaited(phase: PhaseId) -> str:
    """What is waited for in a phase of sheets, for everybody: "The gamesmaster is playing out the
    Player-Turn of France."
    """
    step, _, rest = phase.kind.partition("-")
    if step == COUNT:
        return "The gamesmaster is counting forces and hexes after the last turn."
    who = rest.partition("-")[0]
    return f"The gamesmaster is playing out the Player-Turn of {_TITLES.get(who, who.title())}."


def after_diplomacy(state: State) -> State:
    return replace(state, step=ORDERS, mover=0, sheets=1)


def after_orders(state: State) -> State:
    """Wait for the first report; first draw the dice that reports use (`spi.dice_ahead`)."""
    if drawn := dice.draw_ahead(state):
        throws = state.throws + 1
        return replace(state, step=DICE, throws=throws, sheets=0, ended=False, owed=drawn)
    return replace(state, step=REFEREE, sheets=1, ended=False)


def after_sheet(state: State, ended: bool) -> tuple[State, list[Json]]:
    if ended and state.mover == len(groups(state)) - 1:
        # At the end of the German Player-Turn, which is the last in every version (18.0).
        state = replace(state, owed=(*state.owed, *intervention.due(state)))
    state, thrown = dice.use_ahead(state)
    following, told = after_dice(replace(state, ended=ended))
    return following, [*thrown, *told]


def after_dice(state: State) -> tuple[State, list[Json]]:
    """Return what follows once nothing is thrown for any more, or more dice are owed."""
    if state.owed:
        return replace(state, step=DICE, throws=state.throws + 1), []
    if not state.ended:
        return replace(state, step=REFEREE, sheets=state.sheets + 1), []
    if state.mover + 1 < len(groups(state)):
        state = replace(state, mover=state.mover + 1, sheets=1, ended=False)
        if state.options["spi.flow"] == BATCHED:
            return replace(state, step=REFEREE), []
        return replace(state, step=ORDERS, ahead=Ahead()), []
    return _turn_ended(state)


def _turn_ended(state: State) -> tuple[State, list[Json]]:
    """Drop what has lapsed, offers and orders; begin the next turn, or the count."""
    state, gone = entitlements.lapsed(state)
    events: list[Json] = []
    for one in gone:
        said = f"{one.power} loses {counted(one.left, f'{one.kind} point')} not taken in time."
        told = {"nation": one.power, "points": one.left, "what": one.kind}
        events.append(event("lapsed", one.case, said, **told))
    state = replace(
        state, offers=(), orders={}, ruled=(), uses=(), mover=0, sheets=1, throws=0, ended=False
    )
    state = replace(state, ahead=Ahead())  # orders to come must not know a die
    if state.turn >= state.last_turn:
        return replace(state, step=COUNT), events
    state, more = begun(replace(state, turn=state.turn + 1, step=DIPLOMACY))
    return state, [*events, *more]


def begun(state: State) -> tuple[State, list[Json]]:
    """A Game-Turn begins: the USA may enter, points fall due."""
    events: list[Json] = []
    state = intervention.automatic(state)
    us, now = state.card.us, label(state.card, state.turn)
    if has_entered(state) and state.us.entry == state.turn:
        said = f"The USA enters the war on {now}."
        events.append(event("us_enters", "18.0", said, nation="USA"))
    if found := intervention.reinforcements(state):
        column, instead = found
        said = (
            f"the column of {label(state.card, column)} on its track"
            if column
            else " and ".join(
                f"{points} {'Strength Points' if what == 'strength' else 'naval transport points'}"
                for what, points in instead.items()
            )
        )
        said = f"The USA takes {said}."
        events.append(event("us_column", "18.0", said, nation="USA", column=column))
    if state.turn == us.amphibious_lost:
        said = "The USA loses all its amphibious transport."
        events.append(event("us_amphibious", "18.0", said, nation="USA"))
    state, made = entitlements.begun(state)
    return state, [*events, *(due_event(one) for one in made)]


def over(state: State) -> State:
    return replace(state, step=OVER)
