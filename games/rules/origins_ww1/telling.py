"""Events told in one plain sentence each, with the ruling that they rest on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import Json
from ..digits import Draw, Thrown, die_in_words
from ..names import all_of
from .table import OUTCOMES, odds_in_words

# Reason of a void attack: the ruling, and the rest of the sentence.
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
            one["stock"],
            one["volume"],
            one["digit"],
            rolled=drawn.rolled and one["stock"].startswith("ROLL-"),
        )
        for one in event.get("rejected", ())
    )
    told = die_in_words(Thrown(event["die"], (*rejected, drawn)), options)
    told = told if event["die"] == drawn.digit else f"{told}, so the die is {event['die']}"
    return f"{told[:1].upper()}{told[1:]},"


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
