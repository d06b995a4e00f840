"""Scenarios: the sheets of numbers that games are played with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from django.http import Http404, HttpRequest
from ninja import Router
from pydantic import Field

from games import permissions
from games.desk import sheets
from games.models import Sheet
from games.rules import RulesError, cards
from games.rules.registry import RULESETS

from . import answers
from .access import FOR_ALL, game_of
from .phases import GameNumber
from .refusals import READ

Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[a-z0-9-]+$")]
router = Router(tags=["scenarios"])


def _shipped_cards(ruleset: str, name: str, card: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "ruleset": ruleset,
        "name": name,
        "title": card["title"],
        "mine": False,
        "shipped": True,
    }


def _own_sheets(sheet: Sheet, request: HttpRequest) -> dict[str, Any]:
    return {
        "ruleset": sheet.ruleset_id,
        "name": sheets.display_name(sheet),
        "title": sheet.title,
        "mine": permissions.edits_sheet(request.user, sheet),
        "shipped": False,
    }


@router.get(
    "/scenarios",
    response={200: answers.Scenarios, **READ},
    **FOR_ALL,
)
def scenarios(request: HttpRequest) -> dict[str, Any]:
    """List the scenarios that you may see: shipped ones, your own, and shared ones."""
    found = [
        _shipped_cards(rules.id, name, cards.load(rules.id, name))
        for rules in RULESETS.values()
        for name in cards.names(rules.id)
    ]
    seen = permissions.visible_sheets(request.user).order_by("pk")
    return {"scenarios": found + [_own_sheets(sheet, request) for sheet in seen]}


@router.get(
    "/scenarios/{ruleset}/{name}",
    response={200: answers.Scenario, **READ},
    **FOR_ALL,
)
def scenario(request: HttpRequest, ruleset: Name, name: Name) -> dict[str, Any]:
    """Return one scenario with its numbers."""
    if own := sheets.OWN.fullmatch(name):
        seen = permissions.visible_sheets(request.user).filter(ruleset_id=ruleset)
        sheet = seen.filter(pk=int(own[1])).first()
        if sheet is None:
            raise Http404
        return {**_own_sheets(sheet, request), "card": sheet.card}
    try:
        card = cards.load(ruleset, name)
    except RulesError:
        raise Http404 from None
    return {**_shipped_cards(ruleset, name, card), "card": card}


@router.get(
    "/games/{game}/scenario",
    response={200: dict[str, Any], **READ},
    **FOR_ALL,
)
def of_game(request: HttpRequest, game: GameNumber) -> dict[str, Any]:
    """Return the sheet of a game: its own copy, whatever became of the original."""
    return dict(game_of(request, game).card)
