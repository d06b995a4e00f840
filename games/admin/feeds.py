"""Admin pages of gamesmasters' scenarios, printed codes, calendars, access tokens and channels.

Drafts of orders have no page here: they are not part of the record, and only their writer reads
them (games.permissions.reads_draft).
"""

from __future__ import annotations

from django.contrib import admin

from games.models import AccessToken, Channel, Feed, Notice, PrintedCode, Scenario, WrongCode

from .rows import RowsOfGames


@admin.register(Scenario)
class ScenarioPage(RowsOfGames):
    """Scenarios that people have typed in, for their owners; a game has its own copy."""

    game = None
    list_display = ["title", "name", "owner", "shared", "fault", "changed_at", "removed_at"]
    list_filter = ["shared", "ruleset_id"]
    search_fields = ["title", "name", "owner__email"]
    list_select_related = ["owner"]


@admin.register(PrintedCode)
class PrintedCodePage(RowsOfGames):
    """Printed codes, to explain why one does not work. The class page revokes them."""

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
    """Calendar feeds of people. The rows do not contain their addresses."""

    game = None
    hidden = ("nonce", "token_hash")
    list_display = ["person", "made_at", "ended_at"]
    search_fields = ["person__email"]
    list_select_related = ["person"]


@admin.register(AccessToken)
class AccessTokenPage(RowsOfGames):
    """Access tokens of people. The rows do not contain the tokens; owners revoke them."""

    game = None
    hidden = ("token_hash",)
    list_display = ["person", "label", "sends_orders", "made_at", "last_used_at", "revoked_at"]
    list_filter = ["sends_orders", ("revoked_at", admin.EmptyFieldListFilter)]
    search_fields = ["person__email", "label"]
    list_select_related = ["person"]


@admin.register(Channel)
class ChannelPage(RowsOfGames):
    """Webhooks of games and people, without addresses: anybody who has one can write there."""

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
