"""Columns of the admin's lists: things as links, kinds in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.db import models
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from games.models import Game, Phase, Seat
from orders.models import Submission

from . import values

Column = Callable[[Any], Any]
#: How many games, the newest first, are listed to choose from.
GAMES_LISTED = 50


def column_of(
    field: models.Field[Any, Any], site: admin.AdminSite, names_game: bool
) -> Column | None:
    """Return the column that shows a field as a link or in words; None: as Django does.

    `names_game`: another column names the game, so a phase need not.
    """
    if field.model is Phase and field.name == "kind":
        return titled(lambda row: row.title, field, "phase")
    if isinstance(field, models.JSONField):
        return titled(lambda row: values.format_list(getattr(row, field.name)), field)
    if not isinstance(field, models.TextField) and (shown := in_words(field)) is not None:
        return shown
    if field.choices:
        return titled(lambda row: capfirst(getattr(row, f"get_{field.name}_display")()), field)
    if isinstance(field, models.ForeignKey) and site.is_registered(field.remote_field.model):
        return titled(lambda row: link_to(getattr(row, field.name), names_game=names_game), field)
    return None


def in_words(field: models.Field[Any, Any]) -> Column | None:
    """Return the function that shows a field of a row to people; None: as Django does."""
    words = values.words_of(field)
    return None if words is None else titled(lambda row: words(getattr(row, field.name)), field)


def titled(show: Column, field: models.Field[Any, Any], title: str = "") -> Column:
    """Return a function of a row, with the title and order of a field."""

    def column(row: Any) -> Any:
        return show(row)

    column.short_description = title or field.verbose_name  # type: ignore[attr-defined]
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


def state_of(sent: Submission) -> str:
    """Return what became of orders, in a word or two."""
    if sent.late:
        return "late"
    if sent.proposal:
        return "proposed"
    if not sent.counts:
        return "does not count"
    return "final" if sent.final else "counts"


def searched(model: type[models.Model], paths: Iterable[str]) -> str:
    """Return a sentence that says in which fields a list's search looks."""
    fields = [get_fields_from_path(model, path) for path in paths]
    names = [" ".join(str(field.verbose_name) for field in path) for path in fields]
    return f"Looks in: {', '.join(names)}."


def filter_of(field: models.Field[Any, Any]) -> type[admin.FieldListFilter] | None:
    """Return the filter that shows the values of a field in words; None: Django's."""
    if values.is_code(field):
        return CodeFilter
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


class CodeFilter(admin.AllValuesFieldListFilter):
    """Filter by the codes that occur, in words."""

    def choices(self, changelist: Any) -> Any:
        whole, *choices = super().choices(changelist)
        yield whole
        for choice in choices:
            yield {**choice, "display": values.code_in_words(self.field, str(choice["display"]))}
