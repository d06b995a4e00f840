"""Manage scenarios of gamesmasters: created, copied, changed, shared, imported; and find the card
for a new game.

A scenario is stored complete or not: `Scenario.fault` says why it cannot be played with yet. A game
copies the card when it is opened and never reads the scenario again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from games import permissions
from games.base.text import one_line, shorten
from games.models import Person, Scenario
from games.rules import RulesError, cards
from games.rules.cards import CardError
from games.rules.registry import ruleset

from .words import DeskError

#: The name of a person's own scenario, where shipped cards have their own names.
OWN = re.compile(r"scenario-([0-9]{1,15})")
MOST_SCENARIOS = 100
LARGEST_FILE = 200_000
LONGEST_TITLE, LONGEST_NAME, LONGEST_NOTE, LONGEST_FAULT = 80, 60, 2_000, 300
#: The longest name of a nation or an area, as in the columns of seats and draws.
LONGEST_PLACE = 40
#: The limits of a scenario, so that a page can show it and a bot can play it.
MOST_TURNS, MOST_NATIONS, MOST_AREAS, MOST_POINTS = 20, 7, 30, 1_000
MOST_PRINTED_TURNS = 40


#: Keys that a gamesmaster of a refereed game may change in their copy of the base game: texts, and
#: values that the rules do not print (`inferred` of its card).
_OF_A_COPY = (
    "name",
    "title",
    "note",
    "provenance",
    "inferred",
    "checklist",
    "turns",
    "calendar.seasons",
    "operators.5_6",
    "prewar",
)

#: A card begins with these keys.
HEAD = (
    "game",
    "name",
    "title",
    "provenance",
    "note",
    "turns",
    "order",
    "areas",
    "no_understanding_broken_by",
)


def display_name(scenario: Scenario) -> str:
    """Return the name under which a form offers a scenario."""
    return f"scenario-{scenario.pk}"


def find_card(name: str, ruleset_id: str, person: Person) -> dict[str, Any]:
    """Return a card to open a game with: a shipped one by name, or a scenario by `display_name`.

    Raise `DeskError` for a scenario that is incomplete or not visible to the person, `RulesError`
    for an unknown card.
    """
    match = OWN.fullmatch(name)
    if match is None:
        return cards.load(ruleset_id, name)
    scenario = Scenario.objects.filter(
        pk=int(match[1]), ruleset_id=ruleset_id, removed_at=None
    ).first()
    if scenario is None or not permissions.sees_scenario(person, scenario):
        raise DeskError(
            "That scenario was removed or is no longer shared with you. Choose another."
        )
    if fault := fault_of(scenario.card, ruleset_id):
        raise DeskError(f"“{scenario.title}” cannot be played with yet: {fault}")
    card: dict[str, Any] = scenario.card
    return card


def own_cards(names: Sequence[str], ruleset_id: str, owner: Person) -> dict[str, dict[str, Any]]:
    """Return a gamesmaster's own complete scenarios with these names."""
    scenarios = Scenario.objects.filter(
        owner=owner, ruleset_id=ruleset_id, name__in=names, removed_at=None, fault=""
    )
    return {scenario.name: scenario.card for scenario in scenarios}


def fault_of(card: Mapping[str, Any], ruleset_id: str) -> str:
    """Return why a card cannot be played with, in one sentence; empty if it can."""
    try:
        check(card, ruleset_id)
    except CardError as fault:
        return describe_fault(fault)
    except RulesError as fault:
        return _sentence(str(fault))
    return ""


def check(card: Mapping[str, Any], ruleset_id: str) -> None:
    """Check a card by the rules and the service's limits. Raise `CardError` at the first fault."""
    if "scenarios" in card:
        sentence = (
            "must be left out: this editor makes one scenario, and a blind game draws from several"
        )
        raise CardError("scenarios", sentence)
    printed = ruleset(ruleset_id).printed_charts
    for key, most in () if printed else (("order", MOST_NATIONS), ("areas", MOST_AREAS)):
        names = value if isinstance(value := card.get(key), list) else []
        if len(names) > most:
            raise CardError(key, f"has {len(names)} names; at most {most} are allowed")
        for place, name in enumerate(map(str, names)):
            if len(name) > LONGEST_PLACE:
                sentence = f"“{shorten(name)}” has more than {LONGEST_PLACE} characters"
                raise CardError(f"{key}[{place}]", sentence)
            if one_line(name) != name:
                raise CardError(f"{key}[{place}]", "has a character that nobody sees; retype it")
    turns = card.get("turns")
    most_turns = MOST_PRINTED_TURNS if printed else MOST_TURNS
    if isinstance(turns, int) and turns > most_turns:
        raise CardError("turns", f"must be a whole number of {most_turns} or less")
    ruleset(ruleset_id).check_card(dict(card))
    for key in ("allocation", "objectives"):
        if (most := max(_numbers(card.get(key, {})), default=0)) > MOST_POINTS:
            raise CardError(key, f"has {most:,} in it; at most {MOST_POINTS:,} are allowed")
    for key, longest in (("title", LONGEST_TITLE), ("name", LONGEST_NAME), ("note", LONGEST_NOTE)):
        if len(str(card.get(key, ""))) > longest:
            raise CardError(key, f"is too long: at most {longest} characters")


def _numbers(tree: Any) -> list[int]:
    if isinstance(tree, Mapping):
        return [number for value in tree.values() for number in _numbers(value)]
    if isinstance(tree, list):
        return [number for value in tree for number in _numbers(value)]
    return [tree] if isinstance(tree, int) else []


_PLACES = {
    "name": "The short name",
    "title": "The title",
    "provenance": "“Where the numbers come from”",
    "note": "The note",
    "turns": "The number of turns",
    "order": "The list of nations",
    "areas": "The list of areas",
    "home": "The home areas",
    "allocation": "The allocation",
    "objectives": "The objectives",
    "no_understanding_broken_by": "“What breaks ‘no Understanding’”",
    "area_cap": "The number of PFs that go into one foreign area in a turn",
    "treaty_at": "The number of PFs that are treaty rights",
    "bonus": "The bonus",
}
_KINDS = {
    "control": "CONTROL",
    "understanding": "an Understanding",
    "no_control": "“no CONTROL”",
    "no_understanding": "“no Understanding”",
    "treaty": "treaty rights",
    "exclusive_treaty": "the only treaty rights",
}


def describe_fault(fault: CardError) -> str:
    """Return a card's fault in the form's words: “The allocation of France, turn 3, must be …”"""
    head, *rest = fault.key.split(".")
    name, place = _entry(head)
    where = _PLACES.get(name, f"“{head}”" if head else "The scenario")
    if place is not None:
        where = f"{'Nation' if name == 'order' else 'Area'} No. {place + 1}"
    if name == "objectives" and rest:
        where = f"What {rest[0]} scores" + "".join(f" {word}" for word in _objective(rest[1:]))
    elif rest:
        nation, turn = _entry(rest[0])
        where += f" of {nation}" + (f", turn {turn + 1}," if turn is not None else "")
    return _sentence(f"{where} {fault.fault}")


def _entry(key: str) -> tuple[str, int | None]:
    """Return a key of a fault and the place in its list: “USA[2]” is the third of USA."""
    match = re.fullmatch(r"(.*)\[([0-9]{1,9})\]", key, re.DOTALL)
    return (match[1], int(match[2])) if match else (key, None)


def _objective(rest: list[str]) -> list[str]:
    if not rest:
        return []
    return [*([f"for {_KINDS.get(rest[1], rest[1])}"] if len(rest) > 1 else []), f"in {rest[0]}"]


def _sentence(words: str) -> str:
    words = words[:1].upper() + words[1:]
    return (words if words.endswith((".", "?")) else f"{words}.")[:LONGEST_FAULT]


# --- making and altering ---


@transaction.atomic
def keep(owner: Person, ruleset_id: str, card: Mapping[str, Any], now: datetime) -> Scenario:
    """Store a new scenario; its name gets a number if the owner has it already. Raise
    `DeskError`."""
    # Two copies made at once must get different names.
    Person.objects.select_for_update().get(pk=owner.pk)
    existing = Scenario.objects.filter(owner=owner, removed_at=None)
    if existing.count() >= MOST_SCENARIOS:
        raise DeskError(
            f"You have {MOST_SCENARIOS} scenarios, which is the maximum. Remove one first."
        )
    taken_names = set(existing.filter(ruleset_id=ruleset_id).values_list("name", flat=True))
    tidy = _tidy(card, ruleset_id)
    tidy["name"] = _free_name(tidy["name"], taken_names)
    return Scenario.objects.create(
        owner=owner,
        ruleset_id=ruleset_id,
        name=tidy["name"],
        title=tidy["title"],
        card=tidy,
        fault=fault_of(tidy, ruleset_id),
        made_at=now,
        changed_at=now,
    )


@transaction.atomic
def change(
    scenario: Scenario, card: Mapping[str, Any], seen: datetime | None, by: Person, now: datetime
) -> Scenario:
    """Replace the card of a scenario. `seen`: when the version that was edited was written.

    An incomplete card is stored, unless the scenario is shared. Raise `DeskError`.
    """
    locked = Scenario.objects.select_for_update().get(pk=scenario.pk)
    _may_edit(locked, by)
    if seen is not None and locked.changed_at != seen:
        raise DeskError(
            "This scenario was changed in another window after you opened it here. Nothing is saved"
            " yet; check the other window first."
        )
    tidy = _tidy(card, locked.ruleset_id)
    others = Scenario.objects.filter(
        owner=locked.owner, ruleset_id=locked.ruleset_id, removed_at=None
    ).exclude(pk=locked.pk)
    if others.filter(name=tidy["name"]).exists():
        raise DeskError(
            f"You already have a scenario with the short name “{tidy['name']}”. Choose another."
        )
    fault = fault_of(tidy, locked.ruleset_id)
    if locked.shared and (error := fault or _missing_source(tidy)):
        raise DeskError(
            f"A shared scenario must be complete. Fix the errors, or stop sharing it first. {error}"
        )
    locked.name, locked.title, locked.card = tidy["name"], tidy["title"], tidy
    locked.fault, locked.changed_at = fault, now
    locked.save()
    return locked


@transaction.atomic
def share(scenario: Scenario, shared: bool, by: Person) -> None:
    """Let every gamesmaster play with a scenario and copy it, or revoke that. Raise `DeskError`."""
    locked = Scenario.objects.select_for_update().get(pk=scenario.pk)
    _may_edit(locked, by)
    if shared and (error := locked.fault or _missing_source(locked.card)):
        raise DeskError(f"It cannot be shared yet. {error}")
    Scenario.objects.filter(pk=locked.pk).update(shared=shared)
    scenario.shared = shared


def remove(scenario: Scenario, by: Person, now: datetime) -> None:
    """Take a scenario off the lists. Games opened with it keep their copy."""
    _may_edit(scenario, by)
    Scenario.objects.filter(pk=scenario.pk, removed_at=None).update(removed_at=now, shared=False)


def read_file(data: bytes) -> dict[str, Any]:
    """Return the card in a TOML file. Raise `DeskError` for its fault or an unknown game."""
    if len(data) > LARGEST_FILE:
        raise DeskError(
            f"The file has {len(data):,} bytes; a scenario has {LARGEST_FILE:,} at most."
        )
    try:
        tree = cards.read_toml(data)
        game = cards.text(tree, "game")
        rules = ruleset(game)
        _check_plain(tree, truths=rules.printed_charts)
    except CardError as fault:
        raise DeskError(_sentence(f"Nothing was imported: {fault}")) from fault
    except RulesError as fault:
        raise DeskError(_sentence(f"Nothing was imported: game: {fault}")) from fault
    if rules.printed_charts and (printed := _changed_key(tree, game)):
        raise DeskError(
            f"Nothing was imported: “{printed}” is printed and cannot change. Change only what the"
            f" rules do not print: {', '.join(_OF_A_COPY)}."
        )
    return tree


def _changed_key(tree: Mapping[str, Any], game: str) -> str:
    """Return a printed key of a refereed game's card that `tree` changes, or "".

    Inferred values and the gamesmaster's own texts may differ.
    """
    first = cards.load(game, cards.names(game)[0])
    for key in {**first, **tree}:
        if key not in _OF_A_COPY and _printed_part(key, first) != _printed_part(key, tree):
            return key
    return ""


def _printed_part(key: str, tree: Mapping[str, Any]) -> Any:
    """Return the printed part of a key's value: all of it except inferred parts."""
    value = tree.get(key)
    inferred = {path.partition(".")[2] for path in _OF_A_COPY if path.partition(".")[0] == key}
    if inferred and isinstance(value, Mapping):
        return {part: part_value for part, part_value in value.items() if part not in inferred}
    return value


def _check_plain(tree: Any, where: str = "", *, truths: bool = False) -> None:
    """Raise `CardError` for dates and fractions, which TOML has and a card has not.

    `truths`: whether true and false are allowed.
    """
    if isinstance(tree, dict):
        for key, value in tree.items():
            _check_plain(key, where, truths=truths)
            _check_plain(value, f"{where}.{key}" if where else key, truths=truths)
    elif isinstance(tree, list):
        for place, value in enumerate(tree):
            _check_plain(value, f"{where}[{place}]", truths=truths)
    elif isinstance(tree, str):
        if "\0" in tree:
            raise CardError(where, "contains a character that cannot be stored")
    elif isinstance(tree, bool):
        if not truths:
            raise CardError(where, "must be text or a whole number")
    elif not isinstance(tree, int) or abs(tree) > 10**9:
        raise CardError(where, "must be text or a whole number up to 1,000,000,000")


def empty_card(ruleset_id: str) -> dict[str, Any]:
    """Return an empty card: nations, areas and homes of the first shipped one, no numbers."""
    first = cards.load(ruleset_id, cards.names(ruleset_id)[0])
    cleared = ("name", "title", "provenance", "note", "allocation", "objectives", "bonus")
    copied = {key: value for key, value in first.items() if key not in cleared}
    zeros = {nation: [0] * first["turns"] for nation in first["order"]}
    return {
        **copied,
        "name": "my-scenario",
        "title": "My scenario",
        "provenance": "house",
        "note": "",
        "allocation": zeros,
    }


def _may_edit(scenario: Scenario, by: Person) -> None:
    if not permissions.edits_scenario(by, scenario):
        raise DeskError("This scenario belongs to another person. Make a copy and change that.")


def _missing_source(card: Mapping[str, Any]) -> str:
    """Return an error if a note is missing: a shared scenario says where its numbers come from."""
    has_note = str(card.get("note", "")).strip()
    return "" if has_note else "Write in the note where the numbers come from."


def _tidy(card: Mapping[str, Any], ruleset_id: str) -> dict[str, Any]:
    """Return a card with what a row needs: a title, a name in lower case, its game."""
    title = one_line(card.get("title") or "")[:LONGEST_TITLE] or "A scenario without a title"
    name = slugify(str(card.get("name") or title))[:LONGEST_NAME].strip("-") or "scenario"
    tidy = {**card, "game": ruleset_id, "name": re.sub(r"[-_]+", "-", name), "title": title}
    first = [key for key in HEAD if key in tidy]
    return {key: tidy[key] for key in (*first, *(key for key in tidy if key not in first))}


def _free_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name[: LONGEST_NAME - 5]}-{number}" in taken:
        number += 1
    return f"{name[: LONGEST_NAME - 5]}-{number}"
