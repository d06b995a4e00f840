"""Sheets that gamesmasters type in: made, copied, altered, shared, taken in from a file; and the
card that a game is opened with.

A sheet is kept as it stands, complete or not: `Sheet.fault` says why it cannot be played with yet.
A game copies the card when it is opened and never looks here again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from games import permissions
from games.models import Person, Sheet
from games.rules import RulesError, cards
from games.rules.cards import CardError
from games.rules.registry import ruleset

from .words import DeskError

#: How a sheet of somebody's own is called where shipped cards are called by their names.
OWN = re.compile(r"sheet-([0-9]{1,15})")
MOST_SHEETS = 100
LARGEST_FILE = 200_000
LONGEST_TITLE, LONGEST_NAME, LONGEST_NOTE, LONGEST_FAULT = 80, 60, 2_000, 300
#: What a sheet may be at most, so that a page can show it and a program can play it.
MOST_TURNS, MOST_NATIONS, MOST_AREAS, MOST_POINTS = 20, 7, 30, 1_000
MOST_REFEREED_TURNS = 40


#: What a gamesmaster of a refereed game corrects from their own copy of the base game: words, and
#: what the rules do not print (`inferred` of its card).
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

#: With these a card begins.
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


def display_name(sheet: Sheet) -> str:
    """The name under which a form offers a sheet."""
    return f"sheet-{sheet.pk}"


def find_card(name: str, ruleset_id: str, person: Person) -> dict[str, Any]:
    """Return a card to open a game with: a shipped one by name, or a sheet by `called`.

    Raises `DeskError` for a sheet not to be seen or not complete, `RulesError` for an unknown card.
    """
    found = OWN.fullmatch(name)
    if found is None:
        return cards.load(ruleset_id, name)
    sheet = Sheet.objects.filter(pk=int(found[1]), ruleset_id=ruleset_id, removed_at=None).first()
    if sheet is None or not permissions.sees_sheet(person, sheet):
        raise DeskError("That sheet was removed or is no longer shared with you. Choose another.")
    if fault := fault_of(sheet.card, ruleset_id):
        raise DeskError(f"“{sheet.title}” cannot be played with yet: {fault}")
    card: dict[str, Any] = sheet.card
    return card


def own_cards(names: Sequence[str], ruleset_id: str, owner: Person) -> dict[str, dict[str, Any]]:
    """Return a gamesmaster's own complete scenarios that bear these names."""
    sheets = Sheet.objects.filter(
        owner=owner, ruleset_id=ruleset_id, name__in=names, removed_at=None, fault=""
    )
    return {sheet.name: sheet.card for sheet in sheets}


def fault_of(card: Mapping[str, Any], ruleset_id: str) -> str:
    """Why a card cannot be played with, in one sentence; empty if it can."""
    try:
        check(card, ruleset_id)
    except CardError as fault:
        return in_words(fault)
    except RulesError as fault:
        return _sentence(str(fault))
    return ""


def check(card: Mapping[str, Any], ruleset_id: str) -> None:
    """Check by the game's rules and the service's limits. Raises `CardError` at the first fault."""
    if "scenarios" in card:
        said = "must be left out: a sheet is one scenario, and a blind game draws from sheets"
        raise CardError("scenarios", said)
    refereed = ruleset(ruleset_id).referee is not None  # whose nations and areas are printed
    for key, most in () if refereed else (("order", MOST_NATIONS), ("areas", MOST_AREAS)):
        value = card.get(key)
        if isinstance(value, list) and len(value) > most:
            raise CardError(key, f"has {len(value)} names; at most {most} are taken")
    turns = card.get("turns")
    most_turns = MOST_REFEREED_TURNS if refereed else MOST_TURNS
    if isinstance(turns, int) and turns > most_turns:
        raise CardError("turns", f"must be a whole number of {most_turns} or less")
    ruleset(ruleset_id).check_card(dict(card))
    for key in ("allocation", "objectives"):
        if (most := max(_numbers(card.get(key, {})), default=0)) > MOST_POINTS:
            raise CardError(key, f"has {most:,} in it; at most {MOST_POINTS:,} are taken")
    for key, longest in (("title", LONGEST_TITLE), ("name", LONGEST_NAME), ("note", LONGEST_NOTE)):
        if len(str(card.get(key, ""))) > longest:
            raise CardError(key, f"is too long: {longest} signs at most")


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
    "exclusive_treaty": "treaty rights that nobody else has",
}


def in_words(fault: CardError) -> str:
    """Return a card's fault in the form's words: “The allocation of France, turn 3, must be …”"""
    head, *rest = fault.key.split(".")
    name, _, place = head.partition("[")
    where = _PLACES.get(name, f"“{head}”" if head else "The sheet")
    if place:
        where = f"{'Nation' if name == 'order' else 'Area'} No. {int(place.rstrip(']')) + 1}"
    if name == "objectives" and rest:
        where = f"What {rest[0]} scores" + "".join(f" {word}" for word in _objective(rest[1:]))
    elif rest:
        nation, _, turn = rest[0].partition("[")
        where += f" of {nation}" + (f", turn {int(turn.rstrip(']')) + 1}," if turn else "")
    return _sentence(f"{where} {fault.fault}")


def _objective(rest: list[str]) -> list[str]:
    if not rest:
        return []
    return [*([f"for {_KINDS.get(rest[1], rest[1])}"] if len(rest) > 1 else []), f"in {rest[0]}"]


def _sentence(words: str) -> str:
    words = words[:1].upper() + words[1:]
    return (words if words.endswith((".", "?")) else f"{words}.")[:LONGEST_FAULT]


# --- making and altering ---


@transaction.atomic
def keep(owner: Person, ruleset_id: str, card: Mapping[str, Any], now: datetime) -> Sheet:
    """Keep a new sheet; its name gets a number if the owner has it already. Raises `DeskError`."""
    # Of two copies made at once each gets a name of its own.
    Person.objects.select_for_update().get(pk=owner.pk)
    own = Sheet.objects.filter(owner=owner, removed_at=None)
    if own.count() >= MOST_SHEETS:
        raise DeskError(f"You have {MOST_SHEETS} sheets, which is the maximum. Remove one first.")
    taken = set(own.filter(ruleset_id=ruleset_id).values_list("name", flat=True))
    tidy = _tidy(card, ruleset_id)
    tidy["name"] = _free(tidy["name"], taken)
    return Sheet.objects.create(
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
    sheet: Sheet, card: Mapping[str, Any], seen: datetime | None, by: Person, now: datetime
) -> Sheet:
    """Replace the card of a sheet. `seen`: when the version that was edited was written.

    Raises `DeskError`. An incomplete card is kept, but not in a sheet that is shared.
    """
    held = Sheet.objects.select_for_update().get(pk=sheet.pk)
    _may_edit(held, by)
    if seen is not None and held.changed_at != seen:
        raise DeskError(
            "This sheet was changed in another window since you opened it here. Nothing is saved"
            " yet; check the other window first."
        )
    tidy = _tidy(card, held.ruleset_id)
    others = Sheet.objects.filter(
        owner=held.owner, ruleset_id=held.ruleset_id, removed_at=None
    ).exclude(pk=held.pk)
    if others.filter(name=tidy["name"]).exists():
        raise DeskError(
            f"You already have a sheet with the short name “{tidy['name']}”. Choose another."
        )
    fault = fault_of(tidy, held.ruleset_id)
    if held.shared and (why := fault or _missing_source(tidy)):
        raise DeskError(
            f"A shared sheet must be complete. Fix the errors, or stop sharing it first. {why}"
        )
    held.name, held.title, held.card = tidy["name"], tidy["title"], tidy
    held.fault, held.changed_at = fault, now
    held.save()
    return held


@transaction.atomic
def share(sheet: Sheet, shared: bool, by: Person, now: datetime) -> None:
    """Let every gamesmaster play with a sheet and copy it, or no longer. Raises `DeskError`."""
    held = Sheet.objects.select_for_update().get(pk=sheet.pk)
    _may_edit(held, by)
    if shared and (why := held.fault or _missing_source(held.card)):
        raise DeskError(f"It cannot be shared yet. {why}")
    Sheet.objects.filter(pk=held.pk).update(shared=shared)
    sheet.shared = shared


def remove(sheet: Sheet, by: Person, now: datetime) -> None:
    """Takes a sheet off the lists. Games that were opened with it have their copy."""
    _may_edit(sheet, by)
    Sheet.objects.filter(pk=sheet.pk, removed_at=None).update(removed_at=now, shared=False)


def from_file(data: bytes) -> dict[str, Any]:
    """Return the card in a TOML file. Raises `DeskError` for its fault or an unknown game."""
    if len(data) > LARGEST_FILE:
        raise DeskError(f"The file has {len(data):,} bytes; a sheet has {LARGEST_FILE:,} at most.")
    try:
        tree = cards.read_toml(data)
        game = cards.text(tree, "game")
        rules = ruleset(game)
        _plain(tree, truths=rules.referee is not None)
    except CardError as fault:
        raise DeskError(_sentence(f"Nothing was taken in: {fault}")) from fault
    except RulesError as fault:
        raise DeskError(_sentence(f"Nothing was taken in: game: {fault}")) from fault
    if rules.referee and (printed := _changed_key(tree, game)):
        raise DeskError(
            f"Nothing was taken in: “{printed}” is printed and stays as it is. Correct what the"
            f" rules do not print: {', '.join(_OF_A_COPY)}."
        )
    return tree


def _changed_key(tree: Mapping[str, Any], game: str) -> str:
    """Return a key of a refereed game's card that is printed and is otherwise in `tree`; "" if only
    what is worked out, or a gamesmaster's own, differs."""
    first = cards.load(game, cards.names(game)[0])
    for key in {**first, **tree}:
        if key not in _OF_A_COPY and _printed_part(key, first) != _printed_part(key, tree):
            return key
    return ""


def _printed_part(key: str, tree: Mapping[str, Any]) -> Any:
    """Return what is printed of a key: all of it, but for a part that is worked out."""
    value = tree.get(key)
    worked_out = {one.partition(".")[2] for one in _OF_A_COPY if one.partition(".")[0] == key}
    if worked_out and isinstance(value, Mapping):
        return {part: said for part, said in value.items() if part not in worked_out}
    return value


def _plain(tree: Any, where: str = "", *, truths: bool = False) -> None:
    """Refuse dates and fractions, which TOML knows and a card has not. `truths`:
    true and false stand on it."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            _plain(value, f"{where}.{key}" if where else key, truths=truths)
    elif isinstance(tree, list):
        for place, value in enumerate(tree):
            _plain(value, f"{where}[{place}]", truths=truths)
    elif isinstance(tree, str):
        if "\0" in tree:
            raise CardError(where, "contains a character that cannot be stored")
    elif isinstance(tree, bool):
        if not truths:
            raise CardError(where, "must be text or a whole number")
    elif not isinstance(tree, int) or abs(tree) > 10**9:
        raise CardError(where, "must be text or a whole number")


def empty(ruleset_id: str) -> dict[str, Any]:
    """Return an empty card: nations, areas and homes of the first shipped one, no numbers."""
    first = cards.load(ruleset_id, cards.names(ruleset_id)[0])
    own = ("name", "title", "provenance", "note", "allocation", "objectives", "bonus")
    kept = {key: value for key, value in first.items() if key not in own}
    nothing = {nation: [0] * first["turns"] for nation in first["order"]}
    return {
        **kept,
        "name": "my-sheet",
        "title": "My sheet",
        "provenance": "house",
        "note": "",
        "allocation": nothing,
    }


def _may_edit(sheet: Sheet, by: Person) -> None:
    if not permissions.edits_sheet(by, sheet):
        raise DeskError("This sheet belongs to another person. Make a copy and change that.")


def _missing_source(card: Mapping[str, Any]) -> str:
    """A shared sheet says where its numbers come from."""
    return (
        ""
        if str(card.get("note", "")).strip()
        else "Write in the note where the numbers come from."
    )


def _tidy(card: Mapping[str, Any], ruleset_id: str) -> dict[str, Any]:
    """Return a card with what a row needs: a title, a name in small letters, its game."""
    title = (
        " ".join(str(card.get("title") or "").split())[:LONGEST_TITLE] or "A sheet without a title"
    )
    name = slugify(str(card.get("name") or title))[:LONGEST_NAME].strip("-") or "sheet"
    tidy = {**card, "game": ruleset_id, "name": re.sub(r"[-_]+", "-", name), "title": title}
    first = [key for key in HEAD if key in tidy]
    return {key: tidy[key] for key in (*first, *(key for key in tidy if key not in first))}


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name[: LONGEST_NAME - 5]}-{number}" in taken:
        number += 1
    return f"{name[: LONGEST_NAME - 5]}-{number}"
