"""Scenario scenarios as PDF, for anybody to download, print and write on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from games import print
from games.base import clock
from games.models import Game, Scenario
from games.pages.decorators import for_readers
from games.pages.requests import paper_size, pdf
from games.rules import RulesError, cards
from games.web.scenarios.scenarios import for_scenario_readers
from games.web.scenarios.tables import tables_of


@require_safe
def shipped_scenario(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """Show the scenario of a scenario that comes with the service; `?paper=letter` is for American
    paper, as everywhere."""
    try:
        card = cards.load(game, name)
    except RulesError:
        raise Http404 from None
    return _pdf(request, card)


@require_safe
@for_scenario_readers
def own_scenario(request: HttpRequest, scenario: Scenario) -> HttpResponse:
    """Show the scenario of a gamesmaster's own scenario; redirect to its page, which shows what is
    missing, if it is not complete."""
    return redirect("scenario", scenario.pk) if scenario.fault else _pdf(request, scenario.card)


@require_safe
@for_readers
def game_scenario(request: HttpRequest, game: Game) -> HttpResponse:
    """Show the scenario of the scenario that a game is played with."""
    return _pdf(request, game.card)


def _pdf(request: HttpRequest, card: Mapping[str, Any]) -> HttpResponse:
    today = clock.now().astimezone(UTC).date().isoformat()
    content = _scenario_pdf(json.dumps(card), today, paper_size(request))
    return pdf(content, f"{card['game']}-{card['name']}")


@lru_cache(maxsize=16)
def _scenario_pdf(card: str, day: str, size: str) -> bytes:
    """Return a scenario as PDF. Cached: making one takes half a second, and one is half a
    megabyte."""
    tree = json.loads(card)
    return print.scenario_pdf(
        tree, tables_of(tree), datetime.fromisoformat(day).replace(tzinfo=UTC), size
    )
