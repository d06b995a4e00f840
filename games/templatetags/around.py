"""What a page tells other programs about itself."""

from __future__ import annotations

from typing import Any

from django import template

from games.models import Game, Phase
from games.web.public import previews

register = template.Library()


@register.inclusion_tag("around/_preview.html", takes_context=True)
def preview(
    context: dict[str, Any],
    game: Game | None = None,
    phase: Phase | None = None,
    page: Phase | None = None,
) -> dict[str, Any]:
    """Title, sentence and picture for whoever is shown the page's address: `{% preview %}` for the
    service, `{% preview game phase %}`."""
    shown = (
        previews.of_game(game, phase or None, page)
        if game
        else previews.Preview("Gamesmaster", previews.SERVICE)
    )
    return {
        "preview": shown,
        "alt": previews.ALT,
        "feed": bool(game and game.public and not game.practice),
        "game": game,
    }
