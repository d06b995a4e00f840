"""The outbox with the state of each letter. Failed ones can be sent again."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from games import permissions
from games.models import Letter, Pulse
from games.outbox import rows as outbox
from gamesmaster import clock

from .rows import RowsOfGames


@admin.register(Letter)
class LetterPage(RowsOfGames):
    hidden = ("claim", "html")
    list_display = [
        "kind",
        "address",
        "game",
        "status",
        "attempts",
        "written_at",
        "due_at",
        "sent_at",
    ]
    list_filter = ["status", "kind", ("game", admin.RelatedOnlyFieldListFilter)]
    search_fields = ["address", "subject", "message_id"]
    list_select_related = ["game", "person"]
    actions = ["try_again"]

    def replacements(self, request: HttpRequest, row: Letter | None) -> dict[str, str]:
        if row is None:
            return {}
        if row.secret:
            return {"text": "secret_text", "subject": "secret_text"}
        # `about` contains the whole forecast; the text only shows public parts.
        if (
            row.kind == "approval"
            and row.game is not None
            and permissions.held_seats(request.user, row.game)
        ):
            return {"about": "not_yours"}
        if permissions.reads_letter(request.user, row):
            return {}
        return {"text": "not_yours", "subject": "not_yours"}

    @admin.display(description="text")
    def secret_text(self, row: Letter) -> str:
        return "Withheld: this letter contains a personal link."

    @admin.display(description="text")
    def not_yours(self, row: Letter) -> str:
        return "Withheld: this letter is private to its reader, and you play in this game."

    @admin.action(description="Send the failed letters again", permissions=["view"])
    def try_again(self, request: HttpRequest, rows: QuerySet[Letter]) -> None:
        """Put failed letters back into the outbox, due now, with all tries left."""
        failed = Letter.objects.filter(
            pk__in=list(rows.values_list("pk", flat=True)),
            status__in=(Letter.Status.FAILED, Letter.Status.BOUNCED),
        )
        count = outbox.send_again(failed, clock.now())
        if count:
            messages.success(
                request,
                f"{count} letter{'' if count == 1 else 's'} will be sent again with the next tick.",
            )
        else:
            messages.warning(request, "None of these letters failed.")


@admin.register(Pulse)
class PulsePage(RowsOfGames):
    game = None
    list_display = ["name", "at"]
