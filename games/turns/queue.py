"""Which phases are due, and how many workers hold."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from games.models import Game, Phase
from games.turns.lifecycle import ACTIVE


def claim(now: datetime, most: int) -> tuple[str, list[int]]:
    """Take phases that are due, by a lease. What has become of the game meanwhile, which the claim
    cannot check, `process` sees."""
    in_play = Phase.objects.filter(game__status=Game.Status.RUNNING)
    return in_play.claim(now, most, Q(status__in=ACTIVE))


def in_flight(now: datetime) -> int:
    """Count the phases that workers hold. The tick hands out no more than they can do before their
    leases run out."""
    return Phase.objects.filter(status__in=ACTIVE).in_flight(now)
