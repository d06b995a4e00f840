"""Decide which phase comes next (4.1, 4.2; Rules B.8, `spi.flow`).

    batched      diplomacy, orders of all powers, then the referee reports of each Player-Turn in
                 printed order
    sequential   diplomacy, then for each Player-Turn its orders and its referee reports

With `spi.dice_ahead` orders are followed by a phase in which dice for the reports are drawn.

A report that requests dice is followed by a phase in which they are thrown. A Player-Turn takes as
many reports as it needs; the last one says END. After the German Player-Turn the dice of American
intervention are thrown and the Game-Turn ends. After the last Game-Turn the gamesmaster's count
settles forces, hexes and controllers, and the game is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from games.rules import Json, PhaseId, event
from games.rules.names import all_of

from . import dice, entitlements, intervention
from .calendar import label
from .happenings import due_event
from .naming import count_words
from .players import groups, has_entered, slug
from .state import BATCHED, COUNT, DICE, DIPLOMACY, ORDERS, OVER, REFEREE, AheadDice, State

_TITLES = {"ussr": "the USSR", "usa": "the USA"}


def kind(state: State) -> str:
    """Return the kind of the phase, unique in its turn.

    "diplomacy", "orders", "referee-france", "referee-france-2", "dice-1" or "count".
    """
    again = f"-{state.report_number}" if state.report_number > 1 else ""
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
    """Return a title without the date.

    "diplomacy", "orders of the USSR", "Player-Turn of France (2)", "dice (3)".
    """
    step, who, number = _parts(phase)
    name = _TITLES.get(who, who.title())
    if step == ORDERS:
        return f"orders of {name}" if who else "orders"
    if step == REFEREE:
        return f"Player-Turn of {name}" + (f" ({number})" if number else "")
    if step == DICE:
        return "dice" + (f" ({who})" if who != "1" else "")
    if step == COUNT:
        return "final count" + (f" ({who})" if who else "")
    return step


def title_of_report(before: State, after: State) -> str:
    """Return a title for the result of a report that covers more than its own Player-Turn, or "".

    "Turn 1 (4/39), the whole Game-Turn", or "Turn 1 (4/39), Player-Turns of Italy and France".
    """
    reported = phase(before)
    return titles_of_reports(after, [reported])[reported] if reported else ""


def titles_of_reports(state: State, phases: Sequence[PhaseId]) -> dict[PhaseId, str]:
    """Return such a title for each of these phases, or "".

    `phases` follow one another, and `state` follows them. How far a report went is seen from the
    next phase that throws no dice.
    """
    slugs = [slug(state, place) for place in range(len(groups(state)))]
    thrown = state_after_dice(replace(state, owed=()))[0] if state.step == DICE else state
    following = phase(thrown)
    titles = dict.fromkeys(phases, "")
    for reported in reversed(phases):
        step, who, again = _parts(reported)
        if step == REFEREE:
            first, last, closed = slugs.index(who), len(slugs) - 1, True
            if following is not None and following.turn == reported.turn:
                _, there, unfinished = _parts(following)
                # A count follows the last turn's reports.
                closed = not unfinished
                last = slugs.index(there) - closed if there in slugs else last
            if last > first:
                begun = replace(
                    state, turn=reported.turn, mover=first, report_number=int(again or 1)
                )
                titles[reported] = title_of_turns(begun, last - first + 1, closed=closed)
        if step != DICE:
            following = reported
    return titles


def _parts(phase: PhaseId) -> tuple[str, str, str]:
    """Return step, Player-Turn and number of a phase: "referee", "france", "2"."""
    step, _, rest = phase.kind.partition("-")
    who, _, number = rest.partition("-")
    return step, who, number


def title_of_turns(state: State, number: int, *, closed: bool) -> str:
    """Return a title for a number of Player-Turns from the current one on.

    `closed`: the last of them is reported to its end.
    """
    last = state.mover + number - 1
    when = f"Turn {state.turn} ({label(state.card, state.turn)})"
    from_the_first = state.mover == 0 and state.report_number == 1
    if from_the_first and closed and last == len(groups(state)) - 1:
        return f"{when}, the whole Game-Turn"
    slugs = [slug(state, place) for place in range(state.mover, last + 1)]
    return f"{when}, Player-Turns of {all_of([_TITLES.get(who, who.title()) for who in slugs])}"


def waiting_sentence(phase: PhaseId) -> str:
    """Return a sentence for everybody about a phase of reports.

    "The gamesmaster is playing out the Player-Turn of France."
    """
    step, who, _ = _parts(phase)
    if step == COUNT:
        return "The gamesmaster is counting forces and hexes after the last turn."
    return f"The gamesmaster is playing out the Player-Turn of {_TITLES.get(who, who.title())}."


def state_after_diplomacy(state: State) -> State:
    return replace(state, step=ORDERS, mover=0, report_number=1)


def state_after_orders(state: State) -> State:
    """Wait for the first report. With `spi.dice_ahead` first draw the dice that reports use."""
    if drawn := dice.draw_ahead(state):
        throws = state.throws + 1
        return replace(state, step=DICE, throws=throws, report_number=0, ended=False, owed=drawn)
    return replace(state, step=REFEREE, report_number=1, ended=False)


def state_after_report(state: State, ended: bool) -> tuple[State, list[Json]]:
    if ended and state.mover == len(groups(state)) - 1:
        # At the end of the German Player-Turn, which is the last with any number of players (18.0).
        state = replace(state, owed=(*state.owed, *intervention.due(state)))
    state, thrown = dice.use_ahead(state)
    following, events = state_after_dice(replace(state, ended=ended))
    return following, [*thrown, *events]


def state_after_dice(state: State) -> tuple[State, list[Json]]:
    """Go on once all dice owed are thrown. While some are owed, start another phase of dice."""
    if state.owed:
        return replace(state, step=DICE, throws=state.throws + 1), []
    if not state.ended:
        return replace(state, step=REFEREE, report_number=state.report_number + 1), []
    if state.mover + 1 < len(groups(state)):
        state = replace(state, mover=state.mover + 1, report_number=1, ended=False)
        if state.options["spi.flow"] == BATCHED:
            return replace(state, step=REFEREE), []
        return replace(state, step=ORDERS, ahead=AheadDice()), []
    return _end_turn(state)


def _end_turn(state: State) -> tuple[State, list[Json]]:
    """Drop lapsed points, offers and orders. Begin the next turn, or the count."""
    state, lapsed = entitlements.lapse(state)
    events: list[Json] = []
    for row in lapsed:
        sentence = (
            f"{row.power} loses {count_words(row.left, f'{row.kind} point')} not taken in time."
        )
        facts = {"nation": row.power, "points": row.left, "what": row.kind}
        events.append(event("lapsed", row.case, sentence, **facts))
    state = replace(
        state,
        offers=(),
        orders={},
        ruled=(),
        uses=(),
        mover=0,
        report_number=1,
        throws=0,
        ended=False,
    )
    state = replace(state, ahead=AheadDice())  # nobody may know a die when writing the next orders
    if state.turn >= state.last_turn:
        return replace(state, step=COUNT), events
    state, more = begin_game_turn(replace(state, turn=state.turn + 1, step=DIPLOMACY))
    return state, [*events, *more]


def begin_game_turn(state: State) -> tuple[State, list[Json]]:
    """Begin a Game-Turn: the USA may enter, points fall due."""
    events: list[Json] = []
    state = intervention.automatic(state)
    us, now = state.card.us, label(state.card, state.turn)
    if has_entered(state) and state.us.entry == state.turn:
        sentence = f"The USA enters the war in {now}."
        events.append(event("us_enters", "18.0", sentence, nation="USA"))
    if taken := intervention.reinforcements(state):
        column, instead = taken
        sentence = (
            f"the column of {label(state.card, column)} on its track"
            if column
            else " and ".join(
                f"{points} {'Strength Points' if unit == 'strength' else 'naval transport points'}"
                for unit, points in instead.items()
            )
        )
        sentence = f"The USA takes {sentence}."
        events.append(event("us_column", "18.0", sentence, nation="USA", column=column))
    if state.turn == us.amphibious_lost:
        sentence = "The USA loses all its amphibious transport."
        events.append(event("us_amphibious", "18.0", sentence, nation="USA"))
    state, new_entitlements = entitlements.begin_turn(state)
    return state, [*events, *(due_event(entitlement) for entitlement in new_entitlements)]


def end_game(state: State) -> State:
    return replace(state, step=OVER)
