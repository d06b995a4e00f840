"""Events in one plain sentence each, with the rule that they follow."""

from __future__ import annotations

from collections.abc import Sequence

from .. import Json
from ..names import all_of, count_of
from .face_down import describe_counters
from .table import OUTCOMES

# Reason for a void attack: the rule, and the rest of the sentence.
VOID: dict[str, tuple[str, str]] = {
    "attacker_absent": ("C K5", "it has nothing there"),
    "no_target": ("C K6", "nobody is left to attack"),
    "immune": (
        "C I1",
        "those attacked have an Understanding in its home area and are immune",
    ),
    "below_1_1": ("C K3", "it is weaker than its targets"),
    "below_min": ("C K7", "the odds are below the minimum in the order"),
    "home_attack_failed": ("C I7", "its attack at home did not remove the Understanding"),
    "second_attack_in_area": ("C K15", "a nation may attack only once per area and turn"),
    "no_digit": ("C D1", "no stock gave a digit"),
    "ruled": ("ruling", "the gamesmaster ruled it void"),
}

# Reason why a counter is not placed: the rule, and the rest of the sentence.
NOT_PLACED: dict[str, tuple[str, str]] = {
    "not_on_card": ("C T12", "the scenario does not allow it"),
    "already_there": ("C T1", "it is there already"),
    "closed": ("C T8", "the area has a CONTROL counter"),
    "too_few": ("C T1", "it takes at least 5 PFs there"),
    "others_present": ("C T2", "other nations are there"),
    "not_named_back": ("C T5", "its partner did not name it"),
    "not_told": ("C F5", "a blind game does not say why"),
}

COUNTERS = {
    "understanding": "an Understanding",
    "control": "CONTROL",
    "shared_control": "shared CONTROL",
}


def attack(event: Json) -> str:
    sentence = (
        f"{event['nation']} attacks {all_of(event['targets'])} in {event['area']},"
        f" {event['attacker']} to {event['defender']} ({event['odds']}). {_digit(event)}"
        f" {OUTCOMES[event['result']]}."
    )
    owners = event.get("understanding_first", [])
    first = (
        f" As ordered, the Understanding of {all_of(owners)} is lost before PFs." if owners else ""
    )
    return sentence + _losses(event["losses"]) + first


def _digit(event: Json) -> str:
    if event["digit"] is None:
        return "The gamesmaster ruled without a digit:"
    if event.get("ruled"):
        return f"{event['stock']} gave digit {event['digit']}, but the gamesmaster ruled:"
    if event.get("rolled"):
        return f"Digit {event['digit']},"
    return f"{event['stock']} sold {event['volume']:,} shares: digit {event['digit']},"


def void(event: Json, immune: Sequence[str] = (), home: str | None = None) -> str:
    """Return the sentence of a void attack; `immune` are those of its targets that stand there and
    have an Understanding in the attacker's home area."""
    losses = event.get("losses", {})
    reason = VOID[event["reason"]][1]
    if event["reason"] == "immune" and immune:
        has = "has an Understanding" if len(immune) == 1 else "have Understandings"
        are = "is" if len(immune) == 1 else "are"
        reason = f"{all_of(immune)} {has} in {home} and {are} immune"
    sentence = (
        f"{event['nation']}'s attack on {all_of(event['targets'])} in {event['area']}"
        f" {'fails' if losses else 'is void'}: {reason}."
    )
    return sentence + _losses(losses)


def turning_up(event: Json) -> str:
    if "number" in event:
        counters = count_of(event["number"], "counter")
        return f"{event['nation']} has {counters} face down in {event['area']}."
    noun = "counter" if len(event["counters"]) == 1 else "counters"
    counters = describe_counters(event["counters"])
    return f"{event['nation']} turns up its {noun} in {event['area']}: {counters}."


def failed_wish(nation: str, area: str, counter: str, reason: str) -> str:
    return f"{nation} cannot place {COUNTERS[counter]} in {area}: {NOT_PLACED[reason][1]}."


def _losses(losses: Json) -> str:
    return (
        f" {', '.join(f'{nation} loses {lost}' for nation, lost in losses.items())}."
        if losses
        else ""
    )
