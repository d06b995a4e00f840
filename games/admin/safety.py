"""What keeps the service safe, to be looked up: tallies, second factors, erasures. Nothing here opens anything (docs/security.md)."""

from __future__ import annotations

from django.contrib import admin

from games.models import Erasure, RecoveryCode, SecondFactor, Tally

from .rows import RowsOfGames


@admin.register(Tally)
class TallyPage(RowsOfGames):
    """How often something was tried; by whom only the keyed hash tells. They are gone when their time is over."""

    game = None
    hidden = ("whose",)
    list_display = ["what", "since", "number"]
    list_filter = ["what"]


@admin.register(SecondFactor)
class SecondFactorPage(RowsOfGames):
    """Who has one. It is ended by its owner, or with `manage.py second_factor --end ADDRESS`."""

    game = None
    hidden = ("nonce", "last_step")
    list_display = ["person", "begun_at", "confirmed_at"]
    list_select_related = ["person"]


@admin.register(RecoveryCode)
class RecoveryCodePage(RowsOfGames):
    game = None
    hidden = ("code_hash",)
    list_display = ["factor", "used_at"]
    list_select_related = ["factor__person"]


@admin.register(Erasure)
class ErasurePage(RowsOfGames):
    game = None
    list_display = ["person", "erased_at", "press"]
    list_select_related = ["person"]
