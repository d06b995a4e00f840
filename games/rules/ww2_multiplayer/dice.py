"""Dice of any purpose, through the digits of stocks (0.1, `rng.d6`), in a published order.

Dice are asked for in one phase and thrown in the next, a phase of their own in which nobody acts:
what they are for, whose they are and in which order they are read is published before the session
that decides them. They are read from the published list alone, in that order. Where the list gives
no more digits, what is still owed is thrown first in a further phase, on the next session.
"""

from __future__ import annotations

from dataclasses import replace

from .. import Json
from ..digits import Drawer, Thrown, die_in_words
from . import intervention, mediterranean
from .calendar import label
from .naming import counted
from .state import Request, State

DIE, CONTEST, MEDITERRANEAN = "die", "contest", "mediterranean"
US_ENTRY, US_SPECIAL = "us_entry", "us_special"


def in_words(state: State, request: Request) -> str:
    """What dice are for: "one die for 7.14, France against Britain"."""
    about = request.about
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


def throw(state: State, drawer: Drawer) -> tuple[State, list[Json]]:
    """Throws what is owed, in order, for as long as there are digits. Each die is an event, and so
    is what each request comes to."""
    events: list[Json] = []
    owed = list(state.owed)
    while owed:
        request = owed[0]
        if request.purpose == US_ENTRY and state.us.entry is not None:
            owed.pop(
                0
            )  # a special row has succeeded on this turn: there is nothing left to throw for
            continue
        while not _complete(request):
            thrown = drawer.die()
            events.append(_die(state, request, thrown))
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
    pairs = list(zip(request.rolled[::2], request.rolled[1::2], strict=False))
    return (
        bool(pairs) and len(request.rolled) % 2 == 0 and pairs[-1][0] != pairs[-1][1]
    )  # a tie is thrown again


def _die(state: State, request: Request, thrown: Thrown) -> Json:
    """One die. Its nation is whoever it belongs to; `rejected` are the digits that were no die."""
    owner = request.owner
    if request.purpose == CONTEST:
        owner = request.about["a" if len(request.rolled) % 2 == 0 else "b"]
    drawn = thrown.digits[-1] if thrown.value is not None else None
    number = len(request.rolled) + 1
    said = f"Die {number} for {in_words(state, request)}"
    value = (
        f"a {thrown.value}"
        if thrown.value is not None
        else "not thrown yet: the list has no more digits"
    )
    how = die_in_words(thrown, state.options)
    return {
        "kind": "die",
        "nation": owner,
        "purpose": request.purpose,
        "number": number,
        "die": thrown.value,
        "stock": drawn.stock if drawn else None,
        "volume": drawn.volume if drawn else None,
        "digit": drawn.digit if drawn else None,
        "rejected": thrown.rejected,
        "rule": "rng.d6",
        "message": f"{said}: {value}{f' ({how})' if how else ''}.",
    }


def _come_to(state: State, request: Request) -> tuple[State, Json]:
    if request.purpose == MEDITERRANEAN:
        return state, _mediterranean(state, request)
    if request.purpose == CONTEST:
        return state, _contest(request)
    if request.purpose in (US_ENTRY, US_SPECIAL):
        return _us(state, request)
    dice = " and ".join(map(str, request.rolled))
    message = f"Thrown for {request.about['purpose']}: {dice}."
    return state, {
        "kind": "thrown",
        "nation": request.owner,
        "dice": list(request.rolled),
        "rule": "rng.d6",
        "message": message,
    }


def _mediterranean(state: State, request: Request) -> Json:
    power, line, came = (
        request.about["power"],
        request.about["line"],
        mediterranean.outcome(state, request.rolled),
    )
    said = ", ".join(f"{points} {kind}" for kind, points in came.items() if points)
    return {
        "kind": "mediterranean",
        "nation": power,
        "line": line,
        "dice": list(request.rolled),
        **came,
        "rule": "6.53",
        "message": (
            f"By sea through the Mediterranean, line {line} of {power}: {said}."
            + (
                " What was aborted is back where it embarked and does nothing more this Game-Turn."
                if came["aborted"]
                else ""
            )
        ),
    }


def _contest(request: Request) -> Json:
    a, b = request.about["a"], request.about["b"]
    first, second = request.rolled[-2:]
    winner, loser = (a, b) if first > second else (b, a)
    return {
        "kind": "contest",
        "nation": winner,
        "against": loser,
        "dice": list(request.rolled),
        "rule": "7.14",
        "message": (
            f"{winner} throws {max(first, second)} against {min(first, second)} of {loser} and may"
            " move the other unit one hex."
        ),
    }


def _us(state: State, request: Request) -> tuple[State, Json]:
    after, success, entry = intervention.thrown(state, request)
    dice = " and ".join(map(str, request.rolled))
    what = in_words(state, request).rpartition(",")[0]
    if success and entry is not None:
        came = (
            f"a success: the USA enters on {label(state.card, after.us.entry or entry)} (turn"
            f" {after.us.entry or entry})"
        )
    else:
        came = "no entry"
    return after, {
        "kind": "us_entry",
        "nation": "USA",
        "dice": list(request.rolled),
        "success": success,
        "entry": after.us.entry,
        "rule": "18.1",
        "message": f"{what[0].upper()}{what[1:]}: {dice}, {came}.",
    }


def contest(
    state: State, a: str, b: str, strengths: tuple[int, int] | None, place: str
) -> tuple[Request | None, Json]:
    """A stack in which one nationality turns on another (7.14): the stronger moves the other;
    between equals dice are asked for."""
    where = f" in {place}" if place else ""
    if strengths is not None and strengths[0] != strengths[1]:
        winner, loser = (a, b) if strengths[0] > strengths[1] else (b, a)
        most, least = max(strengths), min(strengths)
        message = (
            f"{winner}, with {most} against {least} Strength Points{where}, may move the unit of"
            f" {loser} one hex."
        )
        return None, {
            "kind": "contest",
            "nation": winner,
            "against": loser,
            "dice": [],
            "rule": "7.14",
            "message": message,
        }
    request = Request(CONTEST, a, 2, {"a": a, "b": b, "place": place})
    message = (
        f"{a} and {b} are equally strong{where}: each throws a die, and the higher moves the other."
    )
    return request, {
        "kind": "asked",
        "nation": a,
        "purpose": CONTEST,
        "number": 2,
        "rule": "7.14",
        "message": message,
    }
