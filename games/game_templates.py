"""Find a game's own templates, and the defaults for games without them."""

from __future__ import annotations

from django.template import TemplateDoesNotExist
from django.template.loader import get_template


def template_of(game: str, name: str) -> str:
    """Return the name of a game's own template, or of the default for all games.

    `name` has a * in the place of the game: "games/primer/*.html".
    """
    own_name = name.replace("*", game)
    return own_name if exists(own_name) else name.replace("*", "default")


def exists(name: str) -> bool:
    try:
        get_template(name)
    except TemplateDoesNotExist:
        return False
    return True
