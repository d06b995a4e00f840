"""The operator's barrings, announcements and notes: only for administrators."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from games.models import Announcement, Barring, PersonNote

from .rows import RowsOfGames, person_in_admin


class _OperatorRows(RowsOfGames):
    """Rows that administrators add; they are named as the writer.

    `changed`: the fields that can be changed later.
    """

    game = None
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    writer = "made_by"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._sees(request, None)

    def has_change_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        return bool(self.changed) and self._sees(request, obj)

    def open_fields(self, request: HttpRequest, row: Any | None) -> tuple[str, ...]:
        return self.added if row is None else self.changed

    def get_fields(self, request: HttpRequest, obj: Any | None = None) -> list[Any]:
        return list(self.added) if obj is None else super().get_fields(request, obj)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            setattr(obj, self.writer, person_in_admin(request))
        super().save_model(request, obj, form, change)


@admin.register(Barring)
class BarringPage(_OperatorRows):
    """Barred addresses. Rows stay, and their history says who changed the end."""

    added, changed = ("email", "reason", "until"), ("until",)
    list_display = ["email", "reason", "since", "until", "made_by"]
    search_fields = ["email", "reason"]
    list_select_related = ["made_by"]


@admin.register(Announcement)
class AnnouncementPage(_OperatorRows):
    """Sentences at the top of every page."""

    added = changed = ("text", "since", "until")
    list_display = ["text", "since", "until", "made_by"]
    list_select_related = ["made_by"]

    def has_delete_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        return self._sees(request, obj)


@admin.register(PersonNote)
class PersonNotePage(_OperatorRows):
    """Operators' notes about people, for each other; a gamesmaster's own notes stay private."""

    added, writer = ("person", "text"), "writer"
    autocomplete_fields = ["person"]
    list_display = ["person", "text", "writer", "saved_at"]
    search_fields = ["person__email", "person__name", "text"]
    list_select_related = ["person", "writer"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(by_operator=True)

    def filtered_names(self, request: HttpRequest) -> set[str]:
        # The page of a person links to the notes about them.
        return super().filtered_names(request) | {"person__id"}

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.by_operator = True
        super().save_model(request, obj, form, change)
