"""People and their logins."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from games.models import Game, Person

from .rows import RowsOfGames, person_in_admin


@admin.register(Person)
class PersonPage(RowsOfGames):
    """Accounts, kept by administrators. Staff see people in their games, without permissions."""

    game = ""
    # Rights in a game come from its rows, never from Django's groups and permissions.
    hidden = ("password", "groups", "user_permissions")
    list_display = ["email", "name", "zone", "is_active", "is_staff", "joined_at"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["email", "name"]
    ordering = ["email"]
    rights = ("is_active", "is_staff", "is_superuser")

    def rows_of(self, person: Person, rows: QuerySet[Any]) -> QuerySet[Any]:
        own_games = Game.objects.filter(gamesmasters=person)
        in_own_games = (
            Q(sittings__seat__game__in=own_games)
            | Q(games_run__in=own_games)
            | Q(invitations_accepted__seat__game__in=own_games)
        )
        return rows.filter(
            pk__in=Person.objects.filter(in_own_games | Q(pk=person.pk)).values("pk")
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _administrator(request)

    def has_change_permission(self, request: HttpRequest, obj: Person | None = None) -> bool:
        return _administrator(request)

    def open_fields(self, request: HttpRequest, row: Person | None) -> tuple[str, ...]:
        return (
            ("email", "name", "zone", "telephone", *self.rights) if _administrator(request) else ()
        )

    def get_fields(self, request: HttpRequest, obj: Person | None = None) -> list[Any]:
        if _administrator(request):
            names = super().get_fields(request, obj)
            return (
                names
                if obj is not None
                else [name for name in names if name in self.open_fields(request, None)]
            )
        return ["email", "name", "zone", "telephone", "joined_at"]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        return super().get_list_filter(request) if _administrator(request) else []

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        shown = super().get_list_display(request)
        return shown if _administrator(request) else ["email", "name", "zone"]


def _administrator(request: HttpRequest) -> bool:
    person = person_in_admin(request)
    return person is not None and person.is_superuser
