"""Format chances and names where the desk's pages have little space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.template import Context

from games.models import Game
from games.pages.headings import Heading
from games.pages.tabs import tabs

register = template.Library()


@register.inclusion_tag("desk/_tabs.html", takes_context=True)
def desk_tabs(context: Context, game: Game) -> dict[str, Any]:
    """Return the tabs of a game's desk; `here` in the context names the open one."""
    return {"tabs": tabs(game, context["user"]), "here": context.get("here", "")}


@register.filter
def percent(chance: float) -> str:
    """Return a chance as “12 %”; only 0 and 1 become “0 %” and “100 %”."""
    if 0 < chance < 0.01:
        return "under 1 %"
    if 0.99 < chance < 1:
        return "over 99 %"
    return f"{chance * 100:.0f} %"


@register.filter
def short(nations: Mapping[str, Heading], name: str) -> str:
    """Return a nation's short letters, or `name` if there are none."""
    heading = nations.get(name)
    return heading.short if heading else name


@register.filter
def css(nations: Mapping[str, Heading], name: str) -> str:
    """Return the CSS class that gives a nation its color; empty for an unknown nation."""
    heading = nations.get(name)
    return heading.css if heading else ""
