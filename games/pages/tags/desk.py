"""The tabs of a game's desk; chances and names where its pages have little space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django import template
from django.contrib.auth.models import AnonymousUser
from django.template import Context
from django.urls import reverse

from games import permissions
from games.market.rolls import needs_exchange
from games.models import Game, Person, PrintedCode
from games.pages.headings import Heading

register = template.Library()


class Tab(NamedTuple):
    name: str  # the value of `here` on the tab's own page
    words: str
    url: str


def tabs(game: Game, person: Person | AnonymousUser) -> list[Tab]:
    """Return the tabs in order: parts that this game has and the reader may open.

    In a refereed game the referee's page comes first.
    """
    begun, over = game.status != Game.Status.FORMING, game.is_over
    refereed = bool(game.rules.referee.seats)
    offered = [
        (refereed and game.in_progress, "referee", "Referee", "referee"),
        (True, "desk", "Desk", "desk"),
        (True, "times", "Time", "desk-times"),
        (True, "people", "People", "desk-people"),
        (True, "letters", "Letters", "desk-letters"),
        (permissions.answers_questions(person, game), "questions", "Questions", "questions"),
        (begun, "rulings", "Rulings", "desk-rulings"),
        (_has_prospects(game, person), "prospects", "Forecast", "desk-prospects"),
        (True, "telephone", "Telephone", "desk-telephone"),
        (True, "paper", "Paper", "desk-paper"),
        (not over, "channels", "Channels", "desk-channels"),
        (_has_class(game), "class", "Class", "desk-class"),
    ]
    return [
        Tab(name, words, reverse(to, args=[game.pk])) for has, name, words, to in offered if has
    ]


def _has_prospects(game: Game, person: Person | AnonymousUser) -> bool:
    """Return whether the game has throws that this person may see a forecast of."""
    foreseeable = game.rules.foreseeable
    return game.in_progress and foreseeable and permissions.reads_secret_orders(person, game)


def _has_class(game: Game) -> bool:
    """Return whether a class plays, or may still be seated."""
    return (
        game.status == Game.Status.FORMING
        or game.seats.filter(team=True).exists()
        or PrintedCode.objects.filter(game=game).exists()
    )


@register.inclusion_tag("desk/_tabs.html", takes_context=True)
def desk_tabs(context: Context, game: Game) -> dict[str, Any]:
    """Return the tabs of a game's desk; `here` in the context names the open one."""
    return {"tabs": tabs(game, context["user"]), "here": context.get("here", "")}


@register.filter
def waits_for_sales(game: Game) -> bool:
    """Return whether deadlines come by minutes, but digits from the sales of a day."""
    by_minutes = game.schedule["every"] == "minutes"
    return by_minutes and needs_exchange(game.market, game.digit_source)


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
