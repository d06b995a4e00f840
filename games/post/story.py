"""What happened in a phase, event by event, for people: the sentence, the figures behind it, and the rule that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    sentence: str
    figures: str = ""
    rule: str = ""


def tell(events: Sequence[Event], demo: bool) -> list[Told]:
    """Every event in the order in which it happened. `demo`: the sales are made up, and each figure says so."""
    return [Told(_sentence(event), _figures(event, demo), str(event.get("rule", ""))) for event in events]


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


def _figures(event: Event, demo: bool) -> str:
    """“GE: 5,412,345 shares are 54,123 hundreds, and the last digit of that is 3.” Anybody with a newspaper can check it."""
    stock, volume, digit = event.get("stock"), event.get("volume"), event.get("digit", event.get("die"))
    if not stock or volume is None or digit is None:
        return ""
    label = f"DEMO figure, made up, of {stock}" if demo else str(stock)
    return f"{label}: {volume:,} shares are {volume // 100:,} hundreds, and the last digit of that is {volume // 100 % 10}."
