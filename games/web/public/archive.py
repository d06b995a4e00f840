"""The archive: games that are over, found by sheet, winner, name and end."""

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
from games.web.headings import Heading, headings
from games.web.requests import number_in

A_PAGE = 30
LATEST_ON_HOME = 6
#: Sheets that may be chosen from. Games of all others are found by their names.
MOST_SHEETS = 40
LONGEST_NUMBER = 6


class Search(forms.Form):
    """What may be asked for. Every field may stay empty; the choices are what the archive holds."""

    card = forms.ChoiceField(label="Sheet", required=False)
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
            [("", "any sheet"), *cards],
            "There is no finished game with the sheet “%(value)s”; choose one of the list.",
        )
        won = [("", "any nation"), *((nation, nation) for nation in nations)]
        self.choose(
            "won", won, "No finished game knows a nation “%(value)s”; choose one of the list."
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
class Leaf:
    """A page of the archive. The total is not counted: that would take ever longer."""

    number: int
    games: list[Game]
    more: bool

    @classmethod
    def of(cls, games: QuerySet[Game], asked: str) -> Leaf:
        """The page that is asked for by its number; the first where that is none."""
        number = number_in(asked, LONGEST_NUMBER) or 1
        first = (number - 1) * A_PAGE
        found = list(games[first : first + A_PAGE + 1])
        return cls(number, found[:A_PAGE], len(found) > A_PAGE)

    @property
    def previous(self) -> int:
        return self.number - 1

    @property
    def next(self) -> int:
        return self.number + 1


@dataclass(frozen=True)
class Sheet:
    """A sheet of games in the archive: name, title, and nations in order."""

    name: str
    title: str
    order: Sequence[str]


@dataclass(frozen=True)
class Past:
    """A game that is over, in a list."""

    game: Game
    winners: tuple[str, ...]
    nations: dict[str, Heading]


@require_safe
def archive(request: HttpRequest) -> HttpResponse:
    """Every finished game that the reader may see, the latest first, or those that he looks for."""
    games = finished(request.user)
    held = _sheets(games)
    cards = sorted(((sheet.name, sheet.title) for sheet in held), key=lambda item: item[1])
    nations = list(dict.fromkeys(nation for sheet in held for nation in sheet.order))
    asked = any(request.GET.get(name) for name in Search.base_fields)
    form = Search(request.GET if asked else None, cards, nations)
    found = _found(games, form.cleaned_data) if asked and form.is_valid() else games
    page = Leaf.of(found.order_by("-finished_at", "-pk"), request.GET.get("page", ""))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "page": page,
        "entries": entries(page.games),
        "asked": asked,
        "any": bool(held),
        "query": query.urlencode(),
    }
    return render(request, "games/archive.html", context)


def finished(person: permissions.Someone) -> QuerySet[Game]:
    """Return visible games that are over, with who won (`won`), without practice games."""
    last = Resolution.objects.filter(
        phase__game=OuterRef("pk"), phase__status=Phase.Status.RESOLVED
    ).order_by("-phase__number", "-version")
    seen = permissions.visible_games(person).filter(status=Game.Status.FINISHED, practice=False)
    return seen.annotate(won=Subquery(last.values("winners")[:1]))


def _sheets(games: QuerySet[Game]) -> list[Sheet]:
    """Return the sheets of these games by name, one query a sheet."""
    found: list[Sheet] = []
    of_game = games.order_by("card_name").values_list("card_name", "card__title", "card__order")
    while len(found) < MOST_SHEETS:
        row = (of_game.filter(card_name__gt=found[-1].name) if found else of_game).first()
        if row is None:
            break
        name, title, order = row
        found.append(Sheet(name, str(title or name), order))
    return found


def _found(games: QuerySet[Game], asked: dict[str, Any]) -> QuerySet[Game]:
    if asked["card"]:
        games = games.filter(card_name=asked["card"])
    if asked["title"]:
        games = games.filter(title__icontains=asked["title"])
    if asked["since"]:
        games = games.filter(finished_at__gte=_midnight(asked["since"]))
    if asked["until"]:
        games = games.filter(finished_at__lt=_midnight(asked["until"] + timedelta(days=1)))
    if asked["won"]:
        # SQLite keeps JSON as it was written, signs beyond ASCII escaped; PostgreSQL gives them
        # back as they are.
        written = {json.dumps(asked["won"]), json.dumps(asked["won"], ensure_ascii=False)}
        rule = Q()
        for name in written:
            rule |= Q(won_text__contains=name)
        games = games.annotate(won_text=Cast("won", TextField())).filter(rule)
    return games


def _midnight(day: date) -> datetime:
    """The first moment of a day in the reader's zone."""
    return timezone.make_aware(datetime.combine(day, time()))


def entries(games: Sequence[Game]) -> list[Past]:
    """Games of `finished` as a list shows them."""
    return [
        Past(game, tuple(getattr(game, "won", None) or ()), headings(game.card["order"]))
        for game in games
    ]
