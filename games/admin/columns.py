"""Columns of the admin's lists: things as links, kinds in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from games.models import Game, Letter, Phase, Ruling, Seat
from games.outbox.messages import KINDS
from games.rules.ruling_kinds import TITLES

Column = Callable[[Any], Any]
#: How many games, the newest first, are listed to choose from.
GAMES_LISTED = 50


def in_words(code: str) -> str:
    """Return a code of the record as people read it: “at-once” is “At once”."""
    return code.replace("-", " ").replace("_", " ").capitalize()


def kind_in_words(row: Any) -> str:
    """Return what a row is, by its kind."""
    match row:
        case Phase():
            return row.title
        case Ruling():
            return TITLES[row.kind]
        case Letter() if row.kind in KINDS:
            return KINDS[row.kind].name
    return in_words(row.kind)


def is_code(field: models.Field[Any, Any]) -> bool:
    """Return whether a field has the code of a kind, for which the model has no words."""
    return field.name == "kind" and not field.choices


def column_of(
    field: models.Field[Any, Any], site: admin.AdminSite, names_game: bool
) -> Column | None:
    """Return the column that shows a field as a link or in words; None: as Django does.

    `names_game`: another column names the game, so a phase need not.
    """
    if is_code(field):
        return _titled(kind_in_words, field)
    if field.choices:
        return _titled(lambda row: capfirst(getattr(row, f"get_{field.name}_display")()), field)
    if isinstance(field, models.ForeignKey) and site.is_registered(field.remote_field.model):

        def link(row: Any) -> SafeString | str:
            return link_to(getattr(row, field.name), names_game=names_game)

        return _titled(link, field)
    return None


def _titled(show: Column, field: models.Field[Any, Any]) -> Column:
    def column(row: Any) -> Any:
        return show(row)

    named_phase = show is kind_in_words and field.model is Phase
    column.short_description = "phase" if named_phase else field.verbose_name  # type: ignore[attr-defined]
    column.admin_order_field = field.name  # type: ignore[attr-defined]
    return column


def link_to(row: models.Model | None, *, names_game: bool = False) -> SafeString | str:
    """Return a link to the page of a row; a phase has its game's title unless `names_game`."""
    if row is None:
        return "–"
    address = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    words = str(row)
    if isinstance(row, Phase):
        words = row.title if names_game else f"{row.game}: {row.title_within}"
    elif isinstance(row, Seat) and names_game:
        words = row.nation
    return format_html('<a href="{}">{}</a>', address, words)


def filter_of(field: models.Field[Any, Any]) -> type[admin.FieldListFilter] | None:
    """Return the filter that shows the values of a field in words; None: Django's."""
    if is_code(field):
        return KindFilter
    return ChoiceFilter if field.choices else None


class GameFilter(admin.RelatedFieldListFilter):
    """Filter by the newest games that the person sees; the search finds others by their titles."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        games = model_admin.admin_site.get_model_admin(Game).get_queryset(request)
        return list(games.order_by("-pk").values_list("pk", "title")[:GAMES_LISTED])


class PhaseFilter(admin.RelatedOnlyFieldListFilter):
    """Filter by the phases of the chosen game; without one there would be too many."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        given = [request.GET.get(f"{path}__id__exact", "") for path in ("game", "phase__game")]
        game = "".join(given)
        if not (game.isascii() and game.isdigit() and len(game) < 19):
            return []
        phases = model_admin.admin_site.get_model_admin(Phase).get_queryset(request)
        chosen = phases.filter(game=int(game)).select_related("game").order_by("-number")
        return [(str(phase.pk), phase.title) for phase in chosen]


class ChoiceFilter(admin.ChoicesFieldListFilter):
    """Filter by the values of a field; each begins with a capital, as it does in the list."""

    def choices(self, changelist: Any) -> Any:
        for choice in super().choices(changelist):
            yield {**choice, "display": capfirst(str(choice["display"]))}


class KindFilter(admin.AllValuesFieldListFilter):
    """Filter by the kinds that occur, in words."""

    def choices(self, changelist: Any) -> Any:
        for choice in super().choices(changelist):
            shown = str(choice["display"])
            yield {**choice, "display": TITLES.get(shown, in_words(shown))}
