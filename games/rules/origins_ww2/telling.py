"""Events told in one plain sentence each, with the ruling that they rest on."""

from __future__ import annotations

from .. import Json
from ..digits import beacon_number
from ..names import all_of
from .face_down import count_in_words, in_words
from .table import OUTCOMES

# Reason of a void attack: the ruling, and the rest of the sentence.
VOID: dict[str, tuple[str, str]] = {
    "attacker_absent": ("C K5", "it has nothing there"),
    "no_target": ("C K6", "there is nobody left to attack"),
    "immune": ("C I1", "whoever is left has an Understanding in its home area and is immune to it"),
    "below_1_1": ("C K3", "it is weaker than those whom it attacks"),
    "below_min": ("C K7", "the odds are below those that it asked for"),
    "home_attack_failed": ("C I7", "its attack at home has failed to remove an Understanding"),
    "second_attack_in_area": ("C K15", "a nation attacks once an area and turn"),
    "no_digit": ("C D1", "no stock gave a digit"),
    "ruled": ("ruling", "the gamesmaster has ruled so"),
}

# Reason why a counter is not placed: the ruling, and the rest of the sentence.
NOT_PLACED: dict[str, tuple[str, str]] = {
    "not_on_card": ("C T12", "the card does not allow it"),
    "already_there": ("C T1", "it stands there already"),
    "closed": ("C T8", "the area has a CONTROL counter"),
    "too_few": ("C T1", "there are fewer than 5 PFs"),
    "others_present": ("C T2", "others are there"),
    "not_named_back": ("C T5", "the partner did not name it back"),
    "not_told": ("C F5", "why, is not told in a blind game"),
}

COUNTERS = {
    "understanding": "an Understanding",
    "control": "CONTROL",
    "shared_control": "shared CONTROL",
}


def attack(event: Json) -> str:
    said = (
        f"{event['nation']} attacks {all_of(event['targets'])} in {event['area']} with"
        f" {event['attacker']} against {event['defender']}, {event['odds']}; {_digit(event)}:"
        f" {OUTCOMES[event['result']]}."
    )
    asked = event.get("understanding_first", [])
    first = (
        f" As asked, the Understanding of {all_of(asked)} goes before plain PFs." if asked else ""
    )
    return said + _losses(event["losses"]) + first


def _digit(event: Json) -> str:
    if event["digit"] is None:
        return "by a ruling of the gamesmaster, without a digit"
    if event.get("ruled"):
        return (
            f"by a ruling of the gamesmaster, whatever the digit {event['digit']} of"
            f" {event['stock']}"
        )
    if event.get("rolled"):
        return f"rolled {event['digit']}"
    if beacon_number(event["stock"]) is not None:
        return f"no stock has a usable report, and drand's beacon gives {event['digit']}"
    return f"{event['stock']} sold {event['volume']:,}, the digit is {event['digit']}"


def void(event: Json) -> str:
    said = (
        f"{event['nation']}'s attack on {all_of(event['targets'])} in {event['area']} is void:"
        f" {VOID[event['reason']][1]}."
    )
    return said + _losses(event.get("losses", {}))


def turned_up(event: Json) -> str:
    if "number" in event:
        return (
            f"{event['nation']} has {count_in_words(event['number'])} face down in {event['area']}."
        )
    one = len(event["counters"]) == 1
    noun, verb = ("counter", "is") if one else ("counters", "are")
    return (
        f"{event['nation']}'s {noun} in {event['area']} {verb} turned up:"
        f" {in_words(event['counters'])}."
    )


def not_placed(nation: str, area: str, counter: str, reason: str) -> str:
    return (
        f"{nation} places no {COUNTERS[counter].removeprefix('an ')} in {area}:"
        f" {NOT_PLACED[reason][1]}."
    )


def _losses(losses: Json) -> str:
    return (
        f" {', '.join(f'{nation} loses {lost}' for nation, lost in losses.items())}."
        if losses
        else ""
    )
