"""The tabs of a game's desk: parts that this game has and the reader may open."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from games import permissions
from games.models import Game, Person, PrintedCode


class Tab(NamedTuple):
    name: str  # the value of `here` on the tab's own page
    words: str
    url: str


def tabs(game: Game, person: Person | AnonymousUser) -> list[Tab]:
    """Return the tabs in order. In a refereed game the referee's page comes first."""
    begun, over = game.status != Game.Status.FORMING, game.is_over
    refereed = bool(game.rules.referee.seats)
    offered = [
        (refereed and game.in_progress, "referee", "Referee", "referee"),
        (True, "desk", "Desk", "desk"),
        (True, "times", "Time", "desk-times"),
        (True, "people", "People", "desk-people"),
        (True, "letters", "Letters", "desk-letters"),
        (True, "questions", "Questions", "questions"),
        (begun, "rulings", "Rulings", "desk-rulings"),
        (_has_prospects(game, person), "prospects", "Forecast", "desk-prospects"),
        (not over, "telephone", "Telephone", "desk-telephone"),
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
