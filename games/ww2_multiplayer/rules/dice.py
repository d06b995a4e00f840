"""Throw dice for any purpose, from the digits of stocks (0.1, `rng.d6`), in a published order.

Dice are requested in one phase and thrown in the next, a phase in which nobody acts. Purpose, owner
and order of the dice are published before the session that decides them. They are read in this
order, from the published list only. If the list runs out of digits, the remaining dice are thrown
first in a further phase, on the next session.

With `spi.dice_ahead` a number of dice is drawn and published when orders close, before the first
report. Reports use them in their order, each die once, as soon as they request dice. Only requests
beyond the last of them wait for a phase of dice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from games.rules import REFEREE_SEAT, Json, event
from games.rules.digits import DieThrow, die_in_words

from . import intervention, mediterranean
from .calendar import label
from .naming import count_words
from .state import AheadDice, Request, State

DIE, CONTEST, MEDITERRANEAN = "die", "contest", "mediterranean"
US_ENTRY, US_SPECIAL = "us_entry", "us_special"
AHEAD = "ahead"


def describe_request(state: State, request: Request) -> str:
    """Return purpose and number of dice: "the weather in Poland, 1 die"."""
    many = f"{request.number} {'die' if request.number == 1 else 'dice'}"
    number = {
        AHEAD: f", {request.number} dice drawn ahead",
        CONTEST: ", a die each",
        MEDITERRANEAN: "",
        US_SPECIAL: ", two dice",
        US_ENTRY: ", two dice",
    }
    return purpose_in_words(state, request) + number.get(request.purpose, f", {many}")


def purpose_in_words(state: State, request: Request) -> str:
    """Return the purpose of dice: "the weather in Poland"."""
    about = request.about
    if request.purpose == AHEAD:
        return "later reports"
    if request.purpose == CONTEST:
        return f"a stacking contest of {about['a']} and {about['b']} (7.14)"
    if request.purpose == MEDITERRANEAN:
        points = count_words(request.number, "Strength Point")
        return (
            f"the Mediterranean table, {points} of {about['power']} in line {about['line']} (6.53)"
        )
    if request.purpose == US_SPECIAL:
        return f"American intervention, for the German invasion of {about['country']} (18.1)"
    if request.purpose == US_ENTRY:
        return f"American intervention in {label(state.card, about['turn'])} (18.1)"
    return str(about["purpose"])


class Dice(Protocol):
    def die(self) -> DieThrow: ...


class _AheadThrows:
    """The dice drawn ahead, handed out in their order."""

    def __init__(self, ahead: AheadDice) -> None:
        self.ahead = ahead

    def die(self) -> DieThrow:
        if not self.ahead.left:
            return DieThrow(None, ())
        value, self.ahead = self.ahead.left[0], replace(self.ahead, used=self.ahead.used + 1)
        return DieThrow(value, ())


def use_ahead(state: State) -> tuple[State, list[Json]]:
    """Throw the dice owed from those drawn ahead, while any are left."""
    drawer = _AheadThrows(state.ahead)
    after, events = throw(state, drawer)
    thrown = [entry for entry in events if entry["kind"] != DIE or entry["die"] is not None]
    return replace(after, ahead=drawer.ahead), thrown


def draw_ahead(state: State) -> tuple[Request, ...]:
    """Return the request for the dice that this game draws ahead; none without `spi.dice_ahead`."""
    number = state.options["spi.dice_ahead"]
    return (Request(AHEAD, REFEREE_SEAT, number, {}),) if number else ()


def throw(state: State, drawer: Dice) -> tuple[State, list[Json]]:
    """Throw the dice owed, in order, while there are digits.

    Return the state and an event for each die and each result of a request.
    """
    events: list[Json] = []
    owed = list(state.owed)
    while owed:
        request = owed[0]
        if request.purpose == US_ENTRY and state.us.entry is not None:
            owed.pop(0)  # a special row has succeeded this turn, so the entry is decided
            continue
        while not _complete(request):
            thrown = drawer.die()
            events.append(_die(state, request, thrown))
            if thrown.value is None and request.purpose == AHEAD:
                break  # dice ahead come from one session only, even if fewer than requested
            if thrown.value is None:
                return replace(state, owed=(request, *owed[1:])), events
            request = replace(request, rolled=(*request.rolled, thrown.value))
        owed.pop(0)
        state, result = _come_to(state, request)
        events.append(result)
    return replace(state, owed=()), events


def _complete(request: Request) -> bool:
    if request.purpose != CONTEST:
        return len(request.rolled) >= request.number
    # A tie is thrown again.
    rolled = request.rolled
    return bool(rolled) and len(rolled) % 2 == 0 and rolled[-2] != rolled[-1]


def _die(state: State, request: Request, thrown: DieThrow) -> Json:
    """Return the event of one die.

    Its nation is the die's owner; `rejected` has the digits that gave no die.
    """
    owner = request.owner
    if request.purpose == CONTEST:
        owner = request.about["a" if len(request.rolled) % 2 == 0 else "b"]
    last_digit = thrown.digits[-1] if thrown.value is not None and thrown.digits else None
    number = len(request.rolled) + 1
    lacking = "not thrown yet, because the list has no more digits"
    value = lacking if thrown.value is None else str(thrown.value)
    how = die_in_words(thrown, state.options) if thrown.digits else "drawn ahead"
    purpose = purpose_in_words(state, request)
    return event(
        "die",
        "rng.d6",
        f"Die {number} for {purpose}: {value}{f' ({how})' if how else ''}.",
        nation=owner,
        purpose=request.purpose,
        number=number,
        die=thrown.value,
        stock=last_digit.stock if last_digit else None,
        volume=last_digit.volume if last_digit else None,
        digit=last_digit.digit if last_digit else None,
        rejected=thrown.rejected,
    )


def _come_to(state: State, request: Request) -> tuple[State, Json]:
    if request.purpose == AHEAD:
        sentence = f"Drawn ahead, to be used in this order: {', '.join(map(str, request.rolled))}."
        drawn_event = event(
            AHEAD, "rng.d6", sentence, nation=REFEREE_SEAT, dice=list(request.rolled)
        )
        return replace(state, ahead=AheadDice(request.rolled)), drawn_event
    if request.purpose == MEDITERRANEAN:
        return state, _mediterranean(state, request)
    if request.purpose == CONTEST:
        return state, _contest(request)
    if request.purpose in (US_ENTRY, US_SPECIAL):
        return _us(state, request)
    dice = " and ".join(map(str, request.rolled))
    sentence = f"Thrown for {request.about['purpose']}: {dice}."
    rolled = list(request.rolled)
    return state, event("thrown", "rng.d6", sentence, nation=request.owner, dice=rolled)


def _mediterranean(state: State, request: Request) -> Json:
    power, line = request.about["power"], request.about["line"]
    outcome = mediterranean.outcome(state, request.rolled)
    counts = ", ".join(f"{points} {kind}" for kind, points in outcome.items() if points)
    sentence = f"By sea through the Mediterranean, line {line} of {power}: {counts}."
    if outcome["aborted"]:
        sentence += (
            " Aborted units return to where they embarked and do nothing more this Game-Turn."
        )
    dice = list(request.rolled)
    return event("mediterranean", "6.53", sentence, nation=power, line=line, dice=dice, **outcome)


def _contest(request: Request) -> Json:
    a, b = request.about["a"], request.about["b"]
    first, second = request.rolled[-2:]
    winner, loser = (a, b) if first > second else (b, a)
    dice = f"{max(first, second)} against {min(first, second)}"
    sentence = f"{winner} throws {dice} of {loser} and may move the other unit one hex."
    rolled = list(request.rolled)
    return event("contest", "7.14", sentence, nation=winner, against=loser, dice=rolled)


def _us(state: State, request: Request) -> tuple[State, Json]:
    after, success, entry = intervention.throw(state, request)
    dice = " and ".join(map(str, request.rolled))
    purpose = describe_request(state, request).rpartition(",")[0]
    result = "no entry"
    if success and entry is not None:
        turn = after.us.entry or entry
        result = f"success: the USA enters in {label(state.card, turn)} (turn {turn})"
    sentence, rolled = f"{purpose[0].upper()}{purpose[1:]}: {dice}, {result}.", list(request.rolled)
    facts = {"nation": "USA", "dice": rolled, "success": success, "entry": after.us.entry}
    return after, event("us_entry", "18.1", sentence, **facts)


def contest(
    state: State, a: str, b: str, strengths: tuple[int, int] | None, place: str
) -> tuple[Request | None, Json]:
    """Judge a stack in which one nationality turns on another (7.14).

    The stronger one moves the other; equally strong ones request dice. `strengths` are the Strength
    Points of `a` and `b`.
    """
    where = f" in {place}" if place else ""
    if strengths is not None and strengths[0] != strengths[1]:
        winner, loser = (a, b) if strengths[0] > strengths[1] else (b, a)
        points = f"{max(strengths)} against {min(strengths)} Strength Points"
        sentence = f"{winner}, with {points}{where}, may move {loser}'s unit one hex."
        return None, event("contest", "7.14", sentence, nation=winner, against=loser, dice=[])
    request = Request(CONTEST, a, 2, {"a": a, "b": b, "place": place})
    then = "each throws a die; the higher die moves the other unit"
    sentence = f"{a} and {b} are equally strong{where}: {then}."
    return request, event("asked", "7.14", sentence, nation=a, purpose=CONTEST, number=2)
