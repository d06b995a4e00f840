"""Games, seats, sittings, invitations and phases."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from games import desk, positions
from games.base import clock
from games.models import Game, Invitation, Phase, Seat, Sitting
from games.rules.names import all_of

from .columns import GameFilter, link_to
from .rows import RowsOfGames, person_in_admin, person_of
from .worktable import worktable


def _players(seat: Seat) -> str:
    """Return who plays a nation now."""
    if seat.bot:
        return "the service"
    people = [str(sitting.person) for sitting in seat.sittings.all() if sitting.is_current]
    return ", ".join(people) or "nobody"


class SeatsOfGame(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs only
    model = Seat
    fields = ["nation", "players"]
    readonly_fields = ["nation", "players"]
    show_change_link = True
    can_delete = False
    extra = 0
    max_num = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).select_related("game")  # their titles name it
        return rows.prefetch_related("sittings__person")

    @admin.display(description="current players")
    def players(self, row: Seat) -> str:
        return _players(row)

    def has_view_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        # The game's page is open, so its seats may be seen.
        return person_in_admin(request) is not None

    def has_change_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        return False


@admin.register(Game)
class GamePage(RowsOfGames):
    """Title and visibility can be changed; the rest is changed at the desk.

    Either way everybody is told: the desk's functions change the row, never the form.
    """

    game = ""
    help_texts = {
        "title": "If you change it, everybody in the game gets a letter, and its public list of"
        " acts says so.",
        "public": "Anybody with the link can read the board, reports and proofs. A change is told"
        " in the same way.",
    }
    # Secret draws are computed from the first two; nobody may see them before they are published.
    # The others count what nations do in secret.
    hidden = ("secret", "bots_secret", "last_submission", "last_press", "last_deal")
    list_display = ["title", "status", "phase", "deadline", "owing", "opened_by", "opened_at"]
    list_per_page = 25
    list_filter = ["status", "market", "ruleset_id", "public"]
    search_fields = ["title", "opened_by__email"]
    date_hierarchy = "opened_at"
    list_select_related = ["opened_by"]
    inlines = [SeatsOfGame]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        newest = Prefetch("phases", positions.newest_phases(), to_attr="newest")
        return super().get_queryset(request).prefetch_related(newest)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Add to each game of the page the nations that owe orders (`owed_by`)."""
        page = super().get_changelist_instance(request)
        page.result_list = list(page.result_list)
        running = [game for game in page.result_list if game.status == Game.Status.RUNNING]
        phases = [phase for game in running if (phase := _newest(game)) and phase.is_timed]
        owing = desk.owing_nations(phases)
        for phase in phases:
            phase.game.owed_by = owing[phase.pk]
        return page

    @admin.display(description="phase")
    def phase(self, row: Game) -> SafeString | str:
        return link_to(_newest(row))

    @admin.display(description="deadline")
    def deadline(self, row: Game) -> datetime | None:
        phase = _newest(row)
        return phase.deadline if phase is not None and phase.is_timed else None

    @admin.display(description="orders owed by")
    def owing(self, row: Game) -> str:
        return all_of(row.owed_by)

    def has_change_permission(self, request: HttpRequest, obj: Game | None = None) -> bool:
        return self._sees(request, obj)

    def open_fields(self, request: HttpRequest, row: Game | None) -> tuple[str, ...]:
        return ("title", "public")

    def save_model(self, request: HttpRequest, obj: Game, form: Any, change: bool) -> None:
        game, now = Game.objects.get(pk=obj.pk), clock.now()
        desk.rename(game, obj.title, person_of(request), now)
        desk.set_public(game, obj.public, person_of(request), now)

    def change_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the desk's refusal of a change."""
        try:
            return super().change_view(request, *args, **kwargs)
        except desk.DeskError as error:
            messages.error(request, str(error))
            return redirect(request.path)

    def get_fieldsets(self, request: HttpRequest, obj: Game | None = None) -> Any:
        names = self.get_fields(request, obj)
        editable = [name for name in names if name in self.open_fields(request, obj)]
        words = (
            "Set when the game is opened. Only the service and the gamesmaster's desk change these"
            " later."
        )
        if obj is not None:
            words = format_html(
                '{} <a href="{}">The desk of this game</a>', words, reverse("desk", args=[obj.pk])
            )
        return [
            (None, {"fields": editable}),
            (
                "As opened",
                {
                    "fields": [other for other in names if other not in editable],
                    "description": words,
                    "classes": ["collapse"],
                },
            ),
        ]


def _newest(row: Game) -> Phase | None:
    phases: list[Phase] = getattr(row, "newest", [])
    return phases[0] if phases else None


@admin.register(Phase)
class PhasePage(RowsOfGames):
    # The last names people by their numbers; the sittings say who held a seat when.
    hidden = ("claim", "claimed_until", "seed_nonce", "holders")
    list_display = ["kind", "game", "number", "status", "deadline", "due_at", "attempts"]
    list_filter = ["status", "kind", ("game", GameFilter)]
    search_fields = ["game__title", "fault"]
    list_select_related = ["game"]

    def get_fieldsets(self, request: HttpRequest, obj: Phase | None = None) -> Any:
        words = (
            "The service moves phases by itself. Change a deadline, or lift a hold, at the desk."
        )
        fields = {"fields": self.get_fields(request, obj), "description": words}
        return [("All fields of the row", {**fields, "classes": ["collapse"]})]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Show the phase as a worktable, above its fields."""
        context["worktable"] = worktable(request, context["original"], clock.now())
        return super().render_change_form(request, context, *args, **kwargs)


@admin.register(Seat)
class SeatPage(RowsOfGames):
    hidden = ("news", "bargained")  # they count letters and deals
    list_display = ["game", "nation", "sitting_now", "bot", "referee"]
    list_filter = ["bot", ("game", GameFilter)]
    search_fields = ["nation", "game__title"]
    list_select_related = ["game"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("sittings__person")

    def get_fields(self, request: HttpRequest, obj: Seat | None = None) -> list[Any]:
        return [*super().get_fields(request, obj), "sitting_now"]

    @admin.display(description="current players")
    def sitting_now(self, row: Seat) -> str:
        return _players(row)


@admin.register(Sitting)
class SittingPage(RowsOfGames):
    """Sittings, read-only. The desk replaces players, and writes an act and letters each time."""

    game = "seat__game"
    hidden = ("unread",)  # letters between nations
    list_display = ["person", "seat", "since", "until"]
    list_filter = [
        ("until", admin.EmptyFieldListFilter),
        ("seat__game", GameFilter),
    ]
    search_fields = ["person__email", "person__name", "seat__nation"]
    list_select_related = ["person", "seat__game"]

    def get_fieldsets(self, request: HttpRequest, obj: Sitting | None = None) -> Any:
        words = "Seat, replace or remove players on the page “People” of the game's desk."
        return [(None, {"fields": self.get_fields(request, obj), "description": words})]


@admin.register(Invitation)
class InvitationPage(RowsOfGames):
    game = "seat__game"
    hidden = ("nonce", "token_hash")
    list_display = ["addressee", "seat", "invited_at", "accepted_at", "withdrawn_at"]
    list_filter = [
        ("accepted_at", admin.EmptyFieldListFilter),
        ("seat__game", GameFilter),
    ]
    search_fields = ["email", "name", "seat__nation"]
    list_select_related = ["seat__game", "invited_by", "accepted_by"]
    actions = ["withdraw"]

    @admin.action(description="Withdraw the chosen invitations", permissions=["view"])
    def withdraw(self, request: HttpRequest, rows: QuerySet[Invitation]) -> None:
        for invitation in rows:
            try:
                desk.withdraw(invitation, clock.now(), person_of(request))
            except desk.DeskError as error:
                messages.warning(request, str(error))
            else:
                messages.success(request, f"Withdrew the invitation of {invitation.addressee}.")
