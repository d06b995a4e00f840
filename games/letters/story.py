"""What happened in a phase, event by event, for people: the sentence, stocks that were passed over,
and the rule that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from games.models import Figure, Resolution
from games.records import proof

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    sentence: str
    note: str = ""
    rule: str = ""


def tell(
    events: Sequence[Event], passed_over: Mapping[tuple[str, int], str] = MappingProxyType({})
) -> list[Told]:
    """Every event in the order in which it happened. `passed_over` says by nation and line which
    stocks gave an attack no digit, and why."""
    return [
        Told(_sentence(event), _note(event, passed_over), str(event.get("rule", "")))
        for event in events
    ]


def _note(event: Event, passed_over: Mapping[tuple[str, int], str]) -> str:
    if event["kind"] not in ("attack", "void"):
        return ""
    return passed_over.get((str(event.get("nation")), event.get("line", 0)), "")


def skipped_stocks(resolution: Resolution, figures: Iterable[Figure]) -> dict[tuple[str, int], str]:
    """By nation and line of an attack, the stocks that gave it no digit: “Passed over: ZZTOP (no
    usable report), GE (an earlier line names it already).” `figures`: those of the phase."""
    found = proof.skipped_stocks(resolution, {one.symbol: one.volume for one in figures})
    return {
        place: f"Passed over: {', '.join(f'{stock} ({why})' for stock, why in stocks)}."
        for place, stocks in found.items()
        if stocks
    }


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
