"""Templates that a game brings in its package, and the ones that stand in where it brings none."""

from __future__ import annotations

from django.template import TemplateDoesNotExist
from django.template.loader import get_template


def template_of(game: str, name: str) -> str:
    """Return the name of a game's own template, or of the default for all games.

    `name` has a * for the game: "games/primer/*.html".
    """
    own = name.replace("*", game)
    return own if exists(own) else name.replace("*", "default")


def exists(name: str) -> bool:
    try:
        get_template(name)
    except TemplateDoesNotExist:
        return False
    return True
