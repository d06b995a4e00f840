"""Claim phases that are due, and count those that workers hold."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from games.models import Game, Phase
from games.turns.lifecycle import ACTIVE


def claim(now: datetime, most: int) -> tuple[str, list[int]]:
    """Lease phases that are due.

    `process` checks again that the game is running.
    """
    in_play = Phase.objects.filter(game__status=Game.Status.RUNNING)
    return in_play.claim(now, most, Q(status__in=ACTIVE))


def count_in_flight(now: datetime) -> int:
    """Count the phases that workers hold.

    A tick dispatches no more than workers can finish within their leases.
    """
    return Phase.objects.filter(status__in=ACTIVE).in_flight(now)
