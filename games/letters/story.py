"""What happened in a phase, event by event, for people: the sentence, stocks that were passed over,
and the rule that it rests on."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from games.models import Figure, Resolution
from games.records import proof
from games.rules.names import all_of

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    sentence: str
    note: str = ""
    rule: str = ""


def tell(
    events: Sequence[Event], passed_over: Mapping[tuple[str, int], str] = MappingProxyType({})
) -> list[Told]:
    """Return what happened, in order; what a nation places in one run of events is one sentence.

    `passed_over` says by nation and line which stocks gave an attack no digit, and why.
    """
    told: list[Told] = []
    for placed, run in itertools.groupby(events, _places):
        if placed:
            areas = [f"{event['pf']} in {event['area']}" for event in run]
            told.append(Told(f"{placed} places {all_of(areas)}."))
        else:
            told += [
                Told(_sentence(event), _note(event, passed_over), str(event.get("rule", "")))
                for event in run
            ]
    return told


def _places(event: Event) -> str:
    """Return the nation of an event that says no more than where it places PFs; "" of any other."""
    if event["kind"] != "placed":
        return ""
    said = f"{event['nation']} places {event['pf']} in {event['area']}."
    return str(event["nation"]) if event.get("message") == said else ""


def _note(event: Event, passed_over: Mapping[tuple[str, int], str]) -> str:
    if event["kind"] not in ("attack", "void"):
        return ""
    return passed_over.get((str(event.get("nation")), event.get("line", 0)), "")


def skipped_stocks(resolution: Resolution, figures: Iterable[Figure]) -> dict[tuple[str, int], str]:
    """By nation and line of an attack, the stocks that gave it no digit: “Passed over: ZZTOP (no
    usable report), GE (an earlier line names it already).” `figures`: those of the phase.

    Digits that are no dice are left out: the sentence of the attack has them."""
    dice = {
        (event["nation"], event["line"], row["stock"])
        for event in resolution.events
        if event["kind"] == "attack"
        for row in event.get("rejected", ())
    }
    found = proof.skipped_stocks(resolution, {one.symbol: one.volume for one in figures})
    left = {
        place: [f"{stock} ({why})" for stock, why in stocks if (*place, stock) not in dice]
        for place, stocks in found.items()
    }
    return {place: f"Passed over: {', '.join(stocks)}." for place, stocks in left.items() if stocks}


def _sentence(event: Event) -> str:
    """The ruleset's own sentence; for an event that has none, its plain facts."""
    if message := event.get("message"):
        return " ".join(str(message).split())
    who = event.get("nation") or " and ".join(event.get("nations", ()))
    words = [who, str(event["kind"]).replace("_", " "), str(event.get("area", ""))]
    if targets := event.get("targets"):
        words.append(f"on {', '.join(targets)}")
    if reason := event.get("reason"):
        words.append(f"({str(reason).replace('_', ' ')})")
    return " ".join(word for word in words if word) + "."
