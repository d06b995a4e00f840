"""Evidence, read-only: readings, figures, draws, resolutions, deadline changes."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from games import permissions
from games.desk import closure_evidence
from games.models import (
    Figure,
    Game,
    MarketClosure,
    Person,
    Reading,
    RecordEntry,
    Resolution,
)

from .columns import GameFilter
from .rows import RowsOfGames, person_in_admin


@admin.register(Reading)
class ReadingPage(RowsOfGames):
    list_display = ["symbol", "exchange", "session", "kind", "volume", "source", "read_at"]
    list_filter = ["kind", "source", "exchange"]
    search_fields = ["symbol", "session"]
    list_select_related = ["game", "entered_by"]

    def rows_of(self, person: Person, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the readings typed in for the person's games, and the shared ones they use."""
        own_games = Game.objects.filter(gamesmasters=person)
        return rows.filter(
            Q(game__in=own_games)
            | Q(pk__in=Figure.objects.filter(phase__game__in=own_games).values("readings"))
        )


@admin.register(Resolution)
class ResolutionPage(RowsOfGames):
    game = "phase__game"
    list_display = ["phase", "version", "resolved_at", "winners"]
    list_filter = [("phase__game", GameFilter)]
    list_select_related = ["phase__game"]

    def replacements(self, request: HttpRequest, row: Resolution | None) -> dict[str, str]:
        """Withhold secret positions until they are public from who may not read secret orders."""
        if row is None or row.phase.game.is_over:
            return {}
        if permissions.is_hidden_from_gamesmaster(row.phase.game, None):
            return dict.fromkeys(("before", "after", "orders", "remarks"), "not_before_the_end")
        if permissions.reads_secret_orders(request.user, row.phase.game):
            return {}
        has_secrets = row.phase.game.rules.needs_secret(
            row.phase.game.options
        ) or not permissions.is_settled(row.phase)
        return (
            dict.fromkeys(("before", "after", "orders", "remarks"), "not_yours")
            if has_secrets
            else {}
        )

    @admin.display(description="withheld")
    def not_yours(self, row: Resolution) -> str:
        return (
            "Withheld: it contains what players must not know yet of each other. Only a gamesmaster"
            " of the game who does not play reads it."
        )

    @admin.display(description="withheld")
    def not_before_the_end(self, row: Resolution) -> str:
        return (
            "Withheld until the game is over: it contains secret columns, which the gamesmaster"
            " cannot see either."
        )


@admin.register(RecordEntry)
class RecordEntryPage(RowsOfGames):
    list_display = ["game", "number", "made_at", "hash"]
    list_filter = [("game", GameFilter)]
    search_fields = ["hash"]
    list_select_related = ["game"]

    def replacements(self, request: HttpRequest, row: RecordEntry | None) -> dict[str, str]:
        """Withhold the salt: with it the content of an entry could be guessed."""
        return {} if row is None or row.game.is_over else {"salt": "not_before_the_end"}

    @admin.display(description="withheld")
    def not_before_the_end(self, row: RecordEntry) -> str:
        return "Withheld until the game is over: it helps to guess what the entry covers."


@admin.register(MarketClosure)
class MarketClosurePage(RowsOfGames):
    """Closures of exchanges, of all games: anybody in the admin sees them. Their own page enters
    them and moves sessions."""

    game = None
    hidden = ("claim", "claimed_until")
    list_select_related = ["entered_by"]
    list_display = [
        "exchange",
        "day",
        "reason",
        "entered_by",
        "needs_evidence",
        "confirmed_at",
        "waits",
        "removed_at",
        "removed_because",
    ]
    list_filter = ["exchange"]
    search_fields = ["reason"]
    date_hierarchy = "day"

    @admin.display(description="why it does not count yet")
    def waits(self, row: MarketClosure) -> str:
        return closure_evidence.describe_wait(row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return MarketClosure.objects.order_by(*self.ordering)

    def _sees(self, request: HttpRequest, row: Any | None) -> bool:
        return person_in_admin(request) is not None
