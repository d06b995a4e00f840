"""The ledger in the admin: every submission as it was received, to be read by those who may read orders (games.sight)."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from games import sight
from games.admin.rows import RowsOfGames

from .models import StockCheck, Submission


@admin.register(Submission)
class SubmissionPage(RowsOfGames):
    hidden = ("salt", "hash", "previous_hash")
    list_display = ["game", "number", "seat", "phase", "received_at", "channel", "final", "late", "counts"]
    list_filter = ["channel", "late", "counts", ("game", admin.RelatedOnlyFieldListFilter)]
    search_fields = ["seat__nation", "game__title"]
    list_select_related = ["game", "seat__game", "phase__game"]

    def withheld(self, request: HttpRequest, row: Submission | None) -> dict[str, str]:
        """Orders that this person may not read. The pages leave such rows out already; this asks once more, for the row itself."""
        if row is None or sight.reads_orders(request.user, row):
            return {}
        return dict.fromkeys(("text", "understood", "remarks"), "not_yours")

    @admin.display(description="orders")
    def not_yours(self, row: Submission) -> str:
        return "Withheld: these orders may be read by their sender and the gamesmaster."


@admin.register(StockCheck)
class StockCheckPage(RowsOfGames):
    """The queue of stocks to be looked up. For administrators alone: a row tells a part of somebody's orders."""

    game = None
    list_display = ["submission", "symbol", "due_at", "claimed_until"]
    search_fields = ["symbol"]
    list_select_related = ["submission__seat__game"]
