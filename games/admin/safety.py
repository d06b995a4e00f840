"""Rate-limit counters, second factors, erasures, restores; no secrets (docs/security.md)."""

from __future__ import annotations

from django.contrib import admin

from games.models import Erasure, RecoveryCode, Restoration, SecondFactor, Tally

from .rows import RowsOfGames


@admin.register(Tally)
class TallyPage(RowsOfGames):
    """Counters of tries, under a keyed hash of who tried; deleted after their time."""

    game = None
    hidden = ("whose",)
    list_display = ["what", "since", "number"]
    list_filter = ["what"]


@admin.register(SecondFactor)
class SecondFactorPage(RowsOfGames):
    """People's second factors. Owners end them, or `manage.py second_factor --end ADDRESS`."""

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


@admin.register(Restoration)
class RestorationPage(RowsOfGames):
    """Restores of the service. It resumes with `manage.py resume` (docs/operations.md)."""

    game = None
    list_display = ["restored_at", "taken_at", "released_at", "released_by"]
    list_select_related = ["released_by"]
