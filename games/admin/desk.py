"""Rows written by desks and nations: for gamesmasters, read-only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString

from games import permissions
from games.models import (
    Game,
    Person,
    Phase,
    Press,
    Proposal,
    Ruling,
)
from games.press import conversations
from games.turns import ruling_plan

from . import columns
from .letters import games_with_open_press
from .rows import RowsOfGames, person_in_admin

OF_GAME = ("game", columns.GameFilter)


@admin.register(Ruling)
class RulingPage(RowsOfGames):
    list_display = [
        *("number", "game", "phase", "kind", "words", "reason"),
        *("made_by", "made_at", "revoked"),
    ]
    list_filter = ["kind", OF_GAME, ("phase", columns.PhaseFilter)]
    search_fields = ["words", "reason", "game__title"]
    list_select_related = ["game", "phase__game", "made_by", "revoked_by__game"]
    actions = ["revoke"]

    @admin.display(description="revoked by")
    def revoked(self, row: Ruling) -> SafeString | str:
        return columns.link_to(getattr(row, "revoked_by", None))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return whether to offer the link to the desk's form; `add_view` writes nothing."""
        return self._sees(request, None)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """List the phases that may be ruled on; the desk has the form with the preview."""
        person = person_in_admin(request)
        if person is None or request.method == "POST":
            raise PermissionDenied
        games = Game.objects.exclude(status=Game.Status.FORMING).order_by("-pk")
        if not person.is_superuser:
            games = games.filter(gamesmasters=person)
        phases = Phase.objects.filter(game__in=games[: columns.GAMES_LISTED]).select_related("game")
        by_game: dict[Game, list[Phase]] = {}
        for phase in phases.order_by("-game", "-number"):
            if ruling_plan.may_be_ruled_on(phase):
                by_game.setdefault(phase.game, []).append(phase)
        context = {
            **self.admin_site.each_context(request),
            "title": "Add ruling",
            "games": list(by_game.items()),
        }
        return TemplateResponse(request, "admin/add_ruling.html", context)

    @admin.action(description="Revoke the chosen ruling", permissions=["view"])
    def revoke(self, request: HttpRequest, rows: QuerySet[Ruling]) -> HttpResponse | None:
        """Redirect to the desk's page that previews and makes the revocation."""
        chosen = list(rows[:2])
        if len(chosen) != 1:
            messages.error(request, "Choose one ruling: each revocation has its own preview.")
            return None
        if Ruling.objects.filter(revokes=(ruling := chosen[0])).exists():
            messages.error(request, f"Ruling {ruling.number} has already been revoked.")
            return None
        return redirect("admin-ruling-revoke", ruling.game_id, ruling.number)

    def replacements(self, request: HttpRequest, row: Ruling | None) -> dict[str, str]:
        """Withhold ruled orders of a phase not yet judged from a gamesmaster who plays."""
        if row is None or row.kind != "orders":
            return {}
        settled = permissions.is_settled(row.phase, early=row.phase.CLOSED)
        if row.what.get("nation") in permissions.readable_nations(
            request.user, row.game, settled=settled
        ):
            return {}
        return {"what": "not_yours"}

    @admin.display(description="what")
    def not_yours(self, row: Ruling) -> str:
        return "Withheld until the phase is judged: only a gamesmaster who does not play reads it."


@admin.register(Press)
class PressPage(RowsOfGames):
    """Letters with the gamesmaster; those between nations only if the game lets them be read.

    How many others there are, and when, is their nations' secret.
    """

    list_display = ["game", "number", "writer", "phase", "to_gamesmaster", "to_all", "sent_at"]
    list_filter = ["to_gamesmaster", OF_GAME]
    search_fields = ["game__title"]
    list_select_related = ["game", "seat__game", "phase__game"]

    def rows_of(self, person: Person, rows: QuerySet[Any]) -> QuerySet[Any]:
        read = Q(to_gamesmaster=True) | Q(seat=None) | Q(game__in=games_with_open_press(person))
        return super().rows_of(person, rows).filter(read)

    def replacements(self, request: HttpRequest, row: Press | None) -> dict[str, str]:
        if row is None:
            return {}
        text = {} if permissions.reads_press(request.user, row) else {"text": "not_yours"}
        # Nobody is told who wrote an unsigned letter.
        return (
            text
            if row.signed
            else {**text, "seat": "writer", "person": "writer", "channel": "writer"}
        )

    @admin.display(description="from")
    def writer(self, row: Press) -> str:
        return conversations.writer(row)

    @admin.display(description="text")
    def not_yours(self, row: Press) -> str:
        return (
            "Withheld: only a gamesmaster of the game reads questions and answers, and letters"
            " between nations only if the game says so and they play no nation."
        )


@admin.register(Proposal)
class ProposalPage(RowsOfGames):
    """Proposed deals: only for administrators, because their number shows who bargains."""

    game = None
    list_display = ["game", "seat", "to", "phase", "made_at"]
    list_select_related = ["game", "seat__game", "to__game", "phase__game"]

    def replacements(self, request: HttpRequest, row: Proposal | None) -> dict[str, str]:
        reads = row is None or permissions.reads_deal(request.user, row)
        return {} if reads else {"text": "not_yours"}

    @admin.display(description="text")
    def not_yours(self, row: Proposal) -> str:
        return "Withheld: deals are private to the two nations until the game is over."
