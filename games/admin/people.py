"""People and their logins."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from games.accounts.addresses import people_at
from games.models import Game, Letter, Person
from games.models.people import tidy_address
from games.timing import zone_names

from .rows import RowsOfGames, person_in_admin

#: Letters that have not been sent yet.
UNSENT = (Letter.Status.QUEUED, Letter.Status.DEFERRED)


class PersonForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """An account, with its address and zone as everywhere else: tidied, and known."""

    class Meta:
        labels = {"is_superuser": "Administrator", "is_active": "May log in"}

    def clean_email(self) -> str:
        email = tidy_address(self.cleaned_data["email"])
        holders = [*people_at(email), *Person.objects.filter(email=email)]
        if other := next((one for one in holders if one.pk != self.instance.pk), None):
            raise forms.ValidationError(
                f"“{email}” belongs to another account, {other}, so it was not saved. If both are"
                " the same person, let a gamesmaster replace the player of one account by the"
                " other in each seat (“People” at the desk)."
            )
        return email

    def clean_zone(self) -> str:
        written = self.cleaned_data["zone"]
        try:
            return zone_names.zone_of(written)
        except zone_names.ZoneUnknown as error:
            raise forms.ValidationError(f"“{written}” {error}") from None


@admin.register(Person)
class PersonPage(RowsOfGames):
    """Accounts, kept by administrators. Staff see people in their games, without permissions."""

    game = ""
    form = PersonForm
    help_texts = {
        "email": "Letters go to it, and with it the person logs in. If you change it, letters"
        " that wait, failed or came back are for the new address; tell the person yourself.",
        "zone": "A city or a country. The time zone in which this person reads deadlines.",
        "is_superuser": "Operates the service, and may do what every gamesmaster may do.",
        "is_active": "Without it the person neither logs in nor sends anything by mail.",
    }
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

    def save_model(self, request: HttpRequest, obj: Person, form: Any, change: bool) -> None:
        """Let letters that did not reach the person, or wait, go to their new address.

        Letters to a further address of theirs stay: they may prove that it is the person's.
        """
        super().save_model(request, obj, form, change)
        not_there = (*UNSENT, Letter.Status.FAILED, Letter.Status.BOUNCED)
        letters = Letter.objects.filter(person=obj, address=form.initial.get("email", ""))
        letters.filter(status__in=not_there).update(address=obj.email)

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
