"""How the desk's pages write chances and names in tight places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.template import Context

from games.models import Game
from games.web.desk.tabs import tabs
from games.web.headings import Heading

register = template.Library()


@register.inclusion_tag("desk/_tabs.html", takes_context=True)
def desk_tabs(context: Context, game: Game) -> dict[str, Any]:
    """Write the tabs of a game's desk; `here` in the context names the one that is open."""
    return {"tabs": tabs(game, context["user"]), "here": context.get("here", "")}


@register.filter
def percent(chance: float) -> str:
    """Return a chance as "12 %"; never rounded to nothing, nor to certainty."""
    if 0 < chance < 0.01:
        return "under 1 %"
    if 0.99 < chance < 1:
        return "over 99 %"
    return f"{chance * 100:.0f} %"


@register.filter
def short(nations: Mapping[str, Heading], name: str) -> str:
    """The letters that stand for a nation."""
    heading = nations.get(name)
    return heading.short if heading else name


@register.filter
def css(nations: Mapping[str, Heading], name: str) -> str:
    """The class that gives a nation its colour."""
    heading = nations.get(name)
    return heading.css if heading else ""
