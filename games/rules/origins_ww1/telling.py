"""Events in one plain sentence each, with the rule that they follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import Json
from ..digits import DieThrow, Draw, die_in_words
from ..names import all_of
from .table import OUTCOMES, odds_in_words

# Reason for a void attack: the rule, and the rest of the sentence.
VOID: dict[str, tuple[str, str]] = {
    "attacker_absent": ("A A.8", "it has nothing there"),
    "no_target": ("A A.8", "nobody is there to attack"),
    "below_min": ("A A.8", "the odds are below the minimum in the order"),
    "second_attack_in_area": ("A 9", "a nation may attack only once per turn"),
    "ally": ("A A.4", "allies may not attack each other in this game"),
    "no_digit": ("A 0.1", "no stock gave a die"),
    "ruled": ("ruling", "the gamesmaster ruled it void"),
}


def attack(event: Json, options: Mapping[str, Any]) -> str:
    return (
        f"{event['nation']} attacks {all_of(event['targets'])} in {event['area']},"
        f" {event['attacker']} to {event['defender']} ({odds_in_words(event['odds'])})."
        f" {_die(event, options)} {OUTCOMES[event['result']]}.{_losses(event['losses'])}"
    )


def _die(event: Json, options: Mapping[str, Any]) -> str:
    if event["digit"] is None:
        return "The gamesmaster ruled without a die:"
    drawn = Draw(event["stock"], event["volume"], event["digit"], rolled=event.get("rolled", False))
    if event.get("ruled"):
        return f"{drawn.stock} gave die {event['die']}, but the gamesmaster ruled:"
    rejected = tuple(
        Draw(
            reading["stock"],
            reading["volume"],
            reading["digit"],
            rolled=drawn.rolled and reading["stock"].startswith("ROLL-"),
        )
        for reading in event.get("rejected", ())
    )
    sentence = die_in_words(DieThrow(event["die"], (*rejected, drawn)), options)
    sentence = (
        sentence if event["die"] == drawn.digit else f"{sentence}, so the die is {event['die']}"
    )
    return f"{sentence[:1].upper()}{sentence[1:]},"


def void(event: Json) -> str:
    return (
        f"{event['nation']}'s attack on {all_of(event['targets'])} in {event['area']} is void:"
        f" {VOID[event['reason']][1]}."
    )


def _losses(losses: Json) -> str:
    return (
        f" {', '.join(f'{nation} loses {lost}' for nation, lost in losses.items())}."
        if losses
        else ""
    )
