"""What happened in a phase, event by event, for people: the sentence, the figures behind it, and
the rule that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.letters import wording
from games.records import proof

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    sentence: str
    figures: str = ""
    rule: str = ""


def tell(
    events: Sequence[Event], demo: bool, workings: Mapping[tuple[str, int], str]
) -> list[Told]:
    """Every event in the order in which it happened. `demo`: the sales are made up, and each figure
    says so.

    `workings` has, by nation and line, what proves the digit of an attack (see `working`).
    """
    told = []
    for event in events:
        proof = (
            workings.get((str(event.get("nation")), event.get("line", 0)), "")
            if event["kind"] in ("attack", "void")
            else ""
        )
        figures = " ".join(part for part in (_figures(event, demo), proof) if part)
        told.append(Told(_sentence(event), figures, str(event.get("rule", ""))))
    return told


def working(one: proof.Working, session: str) -> str:
    """“Session 2026-11-17. Table: row 3, column 3-1: D. Read: Yahoo, 2026-11-18 11:00:00 UTC
    (yfinance 1.7.0): 5,412,345 shares.”"""
    parts = [f"Session {session}."] if session and one.stock and not one.rolled else []
    if one.digit is not None and not one.ruled:
        parts.append(
            f"Table: row {one.row}, column {wording.of_odds(one.odds)}:"
            f" {one.result if one.result != '-' else 'nothing'}."
        )
    if one.readings:
        parts.append(f"Read: {'; '.join(str(read) for read in one.readings)}.")
    parts.append(one.passed_in_words)
    return " ".join(part for part in parts if part)


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
    """“GE: 5,412,345 shares are 54,123 hundreds, and the last digit of that is 3.” Anybody with a
    newspaper can check it."""
    stock, volume, digit = (
        event.get("stock"),
        event.get("volume"),
        event.get("digit", event.get("die")),
    )
    die = event.get("die", digit)
    if (
        not stock
        or volume is None
        or digit is None
        or event.get("rolled")
        or event["kind"] == "die"
    ):  # whose sentence has its sales
        return ""
    label = f"DEMO figure, made up, of {stock}" if demo else str(stock)
    hundreds = f"{label}: {volume:,} shares are {volume // 100:,} hundreds"
    if die != digit:
        return f"{hundreds}, which gives the die {die}."
    return f"{hundreds}, and the last digit of that is {volume // 100 % 10}."
