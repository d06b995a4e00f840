"""Operations on scenarios: the numbers that games are played with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from django.http import Http404, HttpRequest
from ninja import Router
from pydantic import Field

from games import permissions
from games.desk.scenarios import OWN, display_name
from games.models import Scenario
from games.rules import RulesError, cards
from games.rules.registry import RULESETS

from . import answers
from .access import FOR_ALL, game_of
from .phases import GameNumber

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


def _own_scenario(scenario: Scenario, request: HttpRequest) -> dict[str, Any]:
    return {
        "ruleset": scenario.ruleset_id,
        "name": display_name(scenario),
        "title": scenario.title,
        "mine": permissions.edits_scenario(request.user, scenario),
        "shipped": False,
    }


@router.get(
    "/scenarios",
    response={200: answers.Scenarios, **answers.READ},
    **FOR_ALL,
)
def scenarios(request: HttpRequest) -> dict[str, Any]:
    """List the scenarios that you may see: shipped ones, your own, and shared ones."""
    shipped = [
        _shipped_cards(rules.id, name, cards.load(rules.id, name))
        for rules in RULESETS.values()
        for name in cards.names(rules.id)
    ]
    own_and_shared = permissions.visible_scenarios(request.user).order_by("pk")
    return {
        "scenarios": shipped + [_own_scenario(scenario, request) for scenario in own_and_shared]
    }


@router.get(
    "/scenarios/{ruleset}/{name}",
    response={200: answers.Scenario, **answers.READ},
    **FOR_ALL,
)
def scenario(request: HttpRequest, ruleset: Name, name: Name) -> dict[str, Any]:
    """Return one scenario with its numbers."""
    if match := OWN.fullmatch(name):
        visible = permissions.visible_scenarios(request.user).filter(ruleset_id=ruleset)
        row = visible.filter(pk=int(match[1])).first()
        if row is None:
            raise Http404
        return {**_own_scenario(row, request), "card": row.card}
    try:
        card = cards.load(ruleset, name)
    except RulesError:
        raise Http404 from None
    return {**_shipped_cards(ruleset, name, card), "card": card}


@router.get(
    "/games/{game}/scenario",
    response={200: dict[str, Any], **answers.READ},
    **FOR_ALL,
)
def of_game(request: HttpRequest, game: GameNumber) -> dict[str, Any]:
    """Return a game's own copy of its scenario; later changes to the original do not affect it."""
    return dict(game_of(request, game).card)
