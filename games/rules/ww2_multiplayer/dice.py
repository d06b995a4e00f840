"""Dice of any purpose, through the digits of stocks (0.1, `rng.d6`), in a published order.

Dice are asked for in one phase and thrown in the next, a phase of their own in which nobody acts:
what they are for, whose they are and in which order they are read is published before the session
that decides them. They are read from the published list alone, in that order. Where the list gives
no more digits, what is still owed is thrown first in a further phase, on the next session.

With `spi.dice_ahead` a number of dice is drawn and published when orders are closed, before the
first report. Reports use them in this order, each die once, as soon as they ask for it; only what
is asked for after the last of them waits for a phase of dice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from .. import Json, event
from ..digits import Thrown, die_in_words
from . import intervention, mediterranean
from .calendar import label
from .naming import counted
from .state import SHEET, Ahead, Request, State

DIE, CONTEST, MEDITERRANEAN = "die", "contest", "mediterranean"
US_ENTRY, US_SPECIAL = "us_entry", "us_special"
AHEAD = "ahead"


def in_words(state: State, request: Request) -> str:
    """What dice are for: "one die for 7.14, France against Britain"."""
    about = request.about
    if request.purpose == AHEAD:
        return f"the reports to come, {request.number} dice drawn ahead"
    if request.purpose == CONTEST:
        return f"a stacking contest of {about['a']} and {about['b']} (7.14), a die each"
    if request.purpose == MEDITERRANEAN:
        points = counted(request.number, "Strength Point")
        return (
            f"the Mediterranean table, {points} of {about['power']} in line {about['line']} (6.53)"
        )
    if request.purpose == US_SPECIAL:
        return (
            f"American intervention, for the German invasion of {about['country']} (18.1), two dice"
        )
    if request.purpose == US_ENTRY:
        return f"American intervention on {label(state.card, about['turn'])} (18.1), two dice"
    return f"{about['purpose']}, {request.number} {'die' if request.number == 1 else 'dice'}"


class Dice(Protocol):
    def die(self) -> Thrown: ...


class _Ahead:
    """Hands out the dice drawn ahead, in their order."""

    def __init__(self, ahead: Ahead) -> None:
        self.ahead = ahead

    def die(self) -> Thrown:
        if not self.ahead.left:
            return Thrown(None, ())
        value, self.ahead = self.ahead.left[0], replace(self.ahead, used=self.ahead.used + 1)
        return Thrown(value, ())


def use_ahead(state: State) -> tuple[State, list[Json]]:
    """Throw what is owed with the dice drawn ahead, for as long as there are any."""
    drawer = _Ahead(state.ahead)
    after, events = throw(state, drawer)
    thrown = [one for one in events if one["kind"] != DIE or one["die"] is not None]
    return replace(after, ahead=drawer.ahead), thrown


def draw_ahead(state: State) -> tuple[Request, ...]:
    """Return the request for the dice that this game draws ahead; none without `spi.dice_ahead`."""
    number = state.options["spi.dice_ahead"]
    return (Request(AHEAD, SHEET, number, {}),) if number else ()


def throw(state: State, drawer: Dice) -> tuple[State, list[Json]]:
    """Throws what is owed, in order, for as long as there are digits. Each die is an event, and so
    is what each request comes to."""
    events: list[Json] = []
    owed = list(state.owed)
    while owed:
        request = owed[0]
        if request.purpose == US_ENTRY and state.us.entry is not None:
            owed.pop(0)  # a special row has succeeded on this turn: nothing is left to throw for
            continue
        while not _complete(request):
            thrown = drawer.die()
            events.append(_die(state, request, thrown))
            if thrown.value is None and request.purpose == AHEAD:
                break  # what one session gives is enough
            if thrown.value is None:
                return replace(state, owed=(request, *owed[1:])), events
            request = replace(request, rolled=(*request.rolled, thrown.value))
        owed.pop(0)
        state, told = _come_to(state, request)
        events.append(told)
    return replace(state, owed=()), events


def _complete(request: Request) -> bool:
    if request.purpose != CONTEST:
        return len(request.rolled) >= request.number
    # A tie is thrown again.
    rolled = request.rolled
    return bool(rolled) and len(rolled) % 2 == 0 and rolled[-2] != rolled[-1]


def _die(state: State, request: Request, thrown: Thrown) -> Json:
    """One die. Its nation is whoever it belongs to; `rejected` are the digits that were no die."""
    owner = request.owner
    if request.purpose == CONTEST:
        owner = request.about["a" if len(request.rolled) % 2 == 0 else "b"]
    drawn = thrown.digits[-1] if thrown.value is not None and thrown.digits else None
    number = len(request.rolled) + 1
    lacking = "not thrown yet, because the list has no more digits"
    value = lacking if thrown.value is None else f"a {thrown.value}"
    how = die_in_words(thrown, state.options)
    if not thrown.digits:
        how = "drawn ahead"
    return event(
        "die",
        "rng.d6",
        f"Die {number} for {in_words(state, request)}: {value}{f' ({how})' if how else ''}.",
        nation=owner,
        purpose=request.purpose,
        number=number,
        die=thrown.value,
        stock=drawn.stock if drawn else None,
        volume=drawn.volume if drawn else None,
        digit=drawn.digit if drawn else None,
        rejected=thrown.rejected,
    )


def _come_to(state: State, request: Request) -> tuple[State, Json]:
    if request.purpose == AHEAD:
        said = f"Drawn ahead, to be used in this order: {', '.join(map(str, request.rolled))}."
        told = event(AHEAD, "rng.d6", said, nation=SHEET, dice=list(request.rolled))
        return replace(state, ahead=Ahead(request.rolled)), told
    if request.purpose == MEDITERRANEAN:
        return state, _mediterranean(state, request)
    if request.purpose == CONTEST:
        return state, _contest(request)
    if request.purpose in (US_ENTRY, US_SPECIAL):
        return _us(state, request)
    dice = " and ".join(map(str, request.rolled))
    said = f"Thrown for {request.about['purpose']}: {dice}."
    rolled = list(request.rolled)
    return state, event("thrown", "rng.d6", said, nation=request.owner, dice=rolled)


def _mediterranean(state: State, request: Request) -> Json:
    power, line = request.about["power"], request.about["line"]
    came = mediterranean.outcome(state, request.rolled)
    counts = ", ".join(f"{points} {kind}" for kind, points in came.items() if points)
    said = f"By sea through the Mediterranean, line {line} of {power}: {counts}."
    if came["aborted"]:
        said += " Aborted units return to where they embarked and do nothing more this Game-Turn."
    dice = list(request.rolled)
    return event("mediterranean", "6.53", said, nation=power, line=line, dice=dice, **came)


def _contest(request: Request) -> Json:
    a, b = request.about["a"], request.about["b"]
    first, second = request.rolled[-2:]
    winner, loser = (a, b) if first > second else (b, a)
    dice = f"{max(first, second)} against {min(first, second)}"
    said = f"{winner} throws {dice} of {loser} and may move the other unit one hex."
    rolled = list(request.rolled)
    return event("contest", "7.14", said, nation=winner, against=loser, dice=rolled)


def _us(state: State, request: Request) -> tuple[State, Json]:
    after, success, entry = intervention.thrown(state, request)
    dice = " and ".join(map(str, request.rolled))
    what = in_words(state, request).rpartition(",")[0]
    came = "no entry"
    if success and entry is not None:
        turn = after.us.entry or entry
        came = f"success: the USA enters on {label(state.card, turn)} (turn {turn})"
    said, rolled = f"{what[0].upper()}{what[1:]}: {dice}, {came}.", list(request.rolled)
    told = {"nation": "USA", "dice": rolled, "success": success, "entry": after.us.entry}
    return after, event("us_entry", "18.1", said, **told)


def contest(
    state: State, a: str, b: str, strengths: tuple[int, int] | None, place: str
) -> tuple[Request | None, Json]:
    """A stack in which one nationality turns on another (7.14): the stronger moves the other;
    between equals dice are asked for."""
    where = f" in {place}" if place else ""
    if strengths is not None and strengths[0] != strengths[1]:
        winner, loser = (a, b) if strengths[0] > strengths[1] else (b, a)
        points = f"{max(strengths)} against {min(strengths)} Strength Points"
        said = f"{winner}, with {points}{where}, may move {loser}'s unit one hex."
        return None, event("contest", "7.14", said, nation=winner, against=loser, dice=[])
    request = Request(CONTEST, a, 2, {"a": a, "b": b, "place": place})
    then = "each throws a die; the higher die moves the other unit"
    said = f"{a} and {b} are equally strong{where}: {then}."
    return request, event("asked", "7.14", said, nation=a, purpose=CONTEST, number=2)
