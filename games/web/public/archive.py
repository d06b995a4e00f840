"""The archive: games that are over, found by scenario, winner, name and end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games import permissions
from games.models import Game, Phase, Resolution
from games.pages.headings import Heading, headings
from games.pages.list_pages import ListPage

LATEST_ON_HOME = 6
#: The most scenarios to choose from. Games of all others can be found by name.
MOST_SCENARIOS = 40


class Search(forms.Form):
    """The search. Every field is optional; the choices come from the games in the archive."""

    card = forms.ChoiceField(label="Scenario", required=False)
    won = forms.ChoiceField(label="Won by", required=False)
    title = forms.CharField(label="In its name", required=False, max_length=80)
    since = forms.DateField(
        label="Ended from", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="Ended until", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(
        self, given: Any, cards: Sequence[tuple[str, str]], nations: Sequence[str]
    ) -> None:
        super().__init__(given, label_suffix="")
        self.choose(
            "card",
            [("", "any scenario"), *cards],
            "There is no finished game with the scenario “%(value)s”. Choose one from the list.",
        )
        won = [("", "any nation"), *((nation, nation) for nation in nations)]
        self.choose(
            "won", won, "No finished game has a nation “%(value)s”. Choose one from the list."
        )
        for name in ("since", "until"):
            typed = str(given.get(name, "")) if given else ""
            fault = f"“{typed[:40]}” is not a day; write it as 2026-12-31."
            self.fields[name].error_messages["invalid"] = fault

    def choose(self, name: str, choices: list[tuple[str, str]], fault: str) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        field.error_messages["invalid_choice"] = fault


@dataclass(frozen=True)
class PlayedScenario:
    """A scenario of games in the archive: name, title, and nations in order."""

    name: str
    title: str
    order: Sequence[str]


@dataclass(frozen=True)
class FinishedGame:
    """A game that is over, in a list."""

    game: Game
    winners: tuple[str, ...]
    nations: dict[str, Heading]


@require_safe
def archive(request: HttpRequest) -> HttpResponse:
    """Show the finished games that the reader may see, or those that match their search, latest
    first."""
    games = finished_games(request.user)
    scenarios = _scenarios(games)
    cards = sorted(
        ((scenario.name, scenario.title) for scenario in scenarios), key=lambda item: item[1]
    )
    nations = list(dict.fromkeys(nation for scenario in scenarios for nation in scenario.order))
    is_search = any(request.GET.get(name) for name in Search.base_fields)
    form = Search(request.GET if is_search else None, cards, nations)
    matching = _filter_games(games, form.cleaned_data) if is_search and form.is_valid() else games
    latest = matching.order_by("-finished_at", "-pk")
    page = ListPage.load(request, lambda rows: list(latest[rows]))
    context = {
        "form": form,
        "page": page,
        "entries": entries(page.rows),
        "asked": is_search,
        "any": bool(scenarios),
    }
    return render(request, "games/archive.html", context)


def finished_games(person: permissions.Someone) -> QuerySet[Game]:
    """Return visible games that are over, without practice games, with their winners (`won`)."""
    last = Resolution.objects.filter(
        phase__game=OuterRef("pk"), phase__status=Phase.Status.RESOLVED
    ).order_by("-phase__number", "-version")
    visible = permissions.visible_games(person).filter(status=Game.Status.FINISHED, practice=False)
    return visible.annotate(won=Subquery(last.values("winners")[:1]))


def _scenarios(games: QuerySet[Game]) -> list[PlayedScenario]:
    """Return the scenarios of these games by name, with one query each."""
    scenarios: list[PlayedScenario] = []
    of_game = games.order_by("card_name").values_list("card_name", "card__title", "card__order")
    while len(scenarios) < MOST_SCENARIOS:
        row = (of_game.filter(card_name__gt=scenarios[-1].name) if scenarios else of_game).first()
        if row is None:
            break
        name, title, order = row
        scenarios.append(PlayedScenario(name, str(title or name), order))
    return scenarios


def _filter_games(games: QuerySet[Game], asked: dict[str, Any]) -> QuerySet[Game]:
    if asked["card"]:
        games = games.filter(card_name=asked["card"])
    if asked["title"]:
        games = games.filter(title__icontains=asked["title"])
    if asked["since"]:
        games = games.filter(finished_at__gte=_midnight(asked["since"]))
    if asked["until"]:
        games = games.filter(finished_at__lt=_midnight(asked["until"] + timedelta(days=1)))
    if asked["won"]:
        # SQLite stores JSON as it was written, with non-ASCII characters escaped; PostgreSQL
        # returns them unescaped.
        spellings = {json.dumps(asked["won"]), json.dumps(asked["won"], ensure_ascii=False)}
        rule = Q()
        for name in spellings:
            rule |= Q(won_text__contains=name)
        games = games.annotate(won_text=Cast("won", TextField())).filter(rule)
    return games


def _midnight(day: date) -> datetime:
    """Return the first moment of a day in the reader's zone."""
    return timezone.make_aware(datetime.combine(day, time()))


def entries(games: Sequence[Game]) -> list[FinishedGame]:
    """Return the list entries of games from `finished_games`."""
    return [
        FinishedGame(game, tuple(getattr(game, "won", None) or ()), headings(game.card["order"]))
        for game in games
    ]
