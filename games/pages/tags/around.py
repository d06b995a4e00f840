"""Metadata of a page for other programs."""

from __future__ import annotations

from typing import Any

from django import template

from games.models import Game, Phase
from games.pages import previews

register = template.Library()


@register.inclusion_tag("around/_preview.html", takes_context=True)
def preview(
    context: dict[str, Any],
    game: Game | None = None,
    phase: Phase | None = None,
    page: Phase | None = None,
) -> dict[str, Any]:
    """Return title, sentence and picture for link previews: `{% preview %}` for the service,
    `{% preview game phase %}` for a game."""
    page_preview = (
        previews.game_preview(game, phase or None, page)
        if game
        else previews.Preview("Gamesmaster", previews.SERVICE)
    )
    return {
        "preview": page_preview,
        "alt": previews.ALT,
        "feed": bool(game and game.public and not game.practice),
        "game": game,
    }
