"""Pages of sheets that gamesmasters type in, printed codes of classes, calendars,
access tokens, channels of chat programs.

Drafts of orders have no page here: they are no record, and nobody's but their writer's
(games.permissions.reads_draft).
"""

from __future__ import annotations

from django.contrib import admin

from games.models import AccessToken, Channel, Feed, Notice, PrintedCode, Sheet, WrongCode

from .rows import RowsOfGames


@admin.register(Sheet)
class SheetPage(RowsOfGames):
    """Cards that people have typed in, and their owners'; a game has its own copy."""

    game = None
    list_display = ["title", "name", "owner", "shared", "fault", "changed_at", "removed_at"]
    list_filter = ["shared", "ruleset_id"]
    search_fields = ["title", "name", "owner__email"]
    list_select_related = ["owner"]


@admin.register(PrintedCode)
class PrintedCodePage(RowsOfGames):
    """For a teacher who asks why a slip opens nothing. It is revoked on the page of the class."""

    hidden = ("nonce", "code_hash")
    list_display = ["person", "game", "made_at", "last_used_at", "revoked_at"]
    list_filter = [
        ("game", admin.RelatedOnlyFieldListFilter),
        ("revoked_at", admin.EmptyFieldListFilter),
    ]
    search_fields = ["person__name", "game__title"]
    list_select_related = ["person", "game"]


@admin.register(WrongCode)
class WrongCodePage(RowsOfGames):
    game = None
    hidden = ("origin_hash",)
    list_display = ["pk", "tried_at"]
    date_hierarchy = "tried_at"


@admin.register(Feed)
class FeedPage(RowsOfGames):
    """Whose calendar has an address of its own. Nothing here opens one."""

    game = None
    hidden = ("nonce", "token_hash")
    list_display = ["person", "made_at", "ended_at"]
    search_fields = ["person__email"]
    list_select_related = ["person"]


@admin.register(AccessToken)
class AccessTokenPage(RowsOfGames):
    """Whose programs may ask the API. Nothing here opens it; owners revoke tokens themselves."""

    game = None
    hidden = ("token_hash",)
    list_display = ["person", "label", "sends_orders", "made_at", "last_used_at", "revoked_at"]
    list_filter = ["sends_orders", ("revoked_at", admin.EmptyFieldListFilter)]
    search_fields = ["person__email", "label"]
    list_select_related = ["person"]


@admin.register(Channel)
class ChannelPage(RowsOfGames):
    """Webhooks of games and people. Anybody who has an address can write there: it is not shown."""

    hidden = ("url", "nonce")
    list_display = ["label", "kind", "game", "person", "added_by", "added_at", "removed_at"]
    list_filter = ["kind", ("game", admin.RelatedOnlyFieldListFilter)]
    search_fields = ["label", "game__title"]
    list_select_related = ["game", "person", "added_by"]


@admin.register(Notice)
class NoticePage(RowsOfGames):
    """The outbox of channels."""

    game = "channel__game"
    hidden = ("claim",)
    list_display = ["key", "channel", "status", "attempts", "written_at", "due_at", "sent_at"]
    list_filter = ["status", ("channel__game", admin.RelatedOnlyFieldListFilter)]
    search_fields = ["key", "channel__label"]
    list_select_related = ["channel__game", "channel__person"]
