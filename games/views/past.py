"""The archive: games that are over, found again by their sheet, by who has won them, by their name and by when they ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games import sight
from games.models import Game, Phase, Resolution
from games.views.boards import Heading, headings

A_PAGE = 30
LATEST_ON_HOME = 6


class Search(forms.Form):
    """What may be asked for. Every field may stay empty; the choices are what the archive holds."""

    card = forms.ChoiceField(label="Sheet", required=False)
    won = forms.ChoiceField(label="Won by", required=False)
    title = forms.CharField(label="In its name", required=False, max_length=80)
    since = forms.DateField(label="Ended from", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label="Ended until", required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, given: Any, cards: Sequence[tuple[str, str]], nations: Sequence[str]) -> None:
        super().__init__(given, label_suffix="")
        self.choose("card", [("", "any sheet"), *cards], "There is no finished game with the sheet “%(value)s”; choose one of the list.")
        won = [("", "any nation"), *((nation, nation) for nation in nations)]
        self.choose("won", won, "No finished game knows a nation “%(value)s”; choose one of the list.")
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
class Past:
    """A game that is over, in a list."""

    game: Game
    winners: tuple[str, ...]
    nations: dict[str, Heading]


@require_safe
def archive(request: HttpRequest) -> HttpResponse:
    """Every finished game that the reader may see, the latest first, or those that he looks for."""
    games = finished(request.user)
    held = list(games.order_by().values_list("card_name", "card__title", "card__order").distinct())
    cards = sorted({(name, str(title or name)) for name, title, _ in held}, key=lambda item: item[1])
    nations = list(dict.fromkeys(nation for _, _, order in held for nation in order))
    asked = any(request.GET.get(name) for name in Search.base_fields)
    form = Search(request.GET if asked else None, cards, nations)
    found = _found(games, form.cleaned_data) if asked and form.is_valid() else games
    page = Paginator(found.order_by("-finished_at", "-pk"), A_PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "page": page,
        "entries": entries(list(page.object_list)),
        "asked": asked,
        "any": bool(held),
        "query": query.urlencode(),
    }
    return render(request, "games/archive.html", context)


def finished(person: sight.Someone) -> QuerySet[Game]:
    """The games that are over and may be seen, with who has won them (`won`); practice games are nobody's campaign."""
    last = Resolution.objects.filter(phase__game=OuterRef("pk"), phase__status=Phase.Status.RESOLVED).order_by("-phase__number", "-version")
    seen = sight.games_seen(person).filter(status=Game.Status.FINISHED, practice=False)
    # Asked for by id: a game may be seen for more than one reason, and on PostgreSQL rows with JSON in them are compared in full.
    return Game.objects.filter(pk__in=seen.values("pk")).annotate(won=Subquery(last.values("winners")[:1]))


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
        # SQLite keeps JSON as it was written, signs beyond ASCII escaped; PostgreSQL gives them back as they are.
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
    return [Past(game, tuple(getattr(game, "won", None) or ()), headings(game.card["order"])) for game in games]
