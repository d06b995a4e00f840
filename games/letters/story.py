"""Describe the events of a phase for people: the sentence, the stocks that were passed over, and
the rule."""

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
class StoryEvent:
    sentence: str
    note: str = ""
    rule: str = ""


def tell(
    events: Sequence[Event], passed_over: Mapping[tuple[str, int], str] = MappingProxyType({})
) -> list[StoryEvent]:
    """Return the events of a phase in order. Consecutive placements of one nation become one
    sentence.

    `passed_over` has, by nation and line, the stocks that gave an attack no digit, and why.
    """
    story_events: list[StoryEvent] = []
    for nation, run in itertools.groupby(events, places):
        if nation:
            areas = [f"{event['pf']} in {event['area']}" for event in run]
            story_events.append(StoryEvent(f"{nation} places {all_of(areas)}."))
        else:
            story_events += [
                StoryEvent(_sentence(event), _note(event, passed_over), str(event.get("rule", "")))
                for event in run
            ]
    return story_events


def places(event: Event) -> str:
    """Return the nation of an event that only says where the nation places PFs; "" for any other
    event."""
    if event["kind"] != "placed":
        return ""
    sentence = f"{event['nation']} places {event['pf']} in {event['area']}."
    return str(event["nation"]) if event.get("message") == sentence else ""


def _note(event: Event, passed_over: Mapping[tuple[str, int], str]) -> str:
    if event["kind"] not in ("attack", "void"):
        return ""
    return passed_over.get((str(event.get("nation")), event.get("line", 0)), "")


def skipped_stocks(resolution: Resolution, figures: Iterable[Figure]) -> dict[tuple[str, int], str]:
    """Return, by nation and line of an attack, the stocks that gave it no digit: “Passed over:
    ZZTOP (no usable report), GE (an earlier line names it already).” `figures`: those of the phase.

    Stocks whose digit is no die roll are left out: the sentence of the attack mentions them.
    """
    dice = {
        (event["nation"], event["line"], row["stock"])
        for event in resolution.events
        if event["kind"] == "attack"
        for row in event.get("rejected", ())
    }
    skipped = proof.skipped_stocks(resolution, {figure.symbol: figure.volume for figure in figures})
    undecided = {
        place: [f"{stock} ({why})" for stock, why in stocks if (*place, stock) not in dice]
        for place, stocks in skipped.items()
    }
    return {
        place: f"Passed over: {', '.join(stocks)}." for place, stocks in undecided.items() if stocks
    }


def _sentence(event: Event) -> str:
    """Return the ruleset's sentence for an event; without one, the event's data in words."""
    if message := event.get("message"):
        return " ".join(str(message).split())
    who = event.get("nation") or " and ".join(event.get("nations", ()))
    words = [who, str(event["kind"]).replace("_", " "), str(event.get("area", ""))]
    if targets := event.get("targets"):
        words.append(f"on {', '.join(targets)}")
    if reason := event.get("reason"):
        words.append(f"({str(reason).replace('_', ' ')})")
    return " ".join(word for word in words if word) + "."
