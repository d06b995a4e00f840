"""The sheets of games as PDF, to be downloaded by anybody, printed and written on."""

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
from games.models import Game, Sheet
from games.rules import RulesError, cards
from games.web.decorators import for_readers
from games.web.requests import paper_size, pdf
from games.web.scenarios.cards import for_sheet_readers
from games.web.scenarios.sheets import sheet as tables
from gamesmaster import clock


@require_safe
def shipped(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """A sheet that comes with the service; `?paper=letter` for American paper, as everywhere."""
    try:
        card = cards.load(game, name)
    except RulesError:
        raise Http404 from None
    return _pdf(request, card)


@require_safe
@for_sheet_readers
def own(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """A gamesmaster's sheet; one that is not complete has its page, which says what is missing."""
    return redirect("sheet", sheet.pk) if sheet.fault else _pdf(request, sheet.card)


@require_safe
@for_readers
def of_game(request: HttpRequest, game: Game) -> HttpResponse:
    """The sheet that a game is played with."""
    return _pdf(request, game.card)


def _pdf(request: HttpRequest, card: Mapping[str, Any]) -> HttpResponse:
    today = clock.now().astimezone(UTC).date().isoformat()
    made = _made(json.dumps(card), today, paper_size(request))
    return pdf(made, f"{card['game']}-{card['name']}")


@lru_cache(maxsize=16)
def _made(card: str, day: str, size: str) -> bytes:
    """Setting one takes half a second; half a megabyte each is kept."""
    tree = json.loads(card)
    return print.sheet_pdf(
        tree, tables(tree), datetime.fromisoformat(day).replace(tzinfo=UTC), size
    )
