"""Find inbound mail that is not handled yet; closing a phase waits for it briefly."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from orders.models import Handling


def arrivals(games: Collection[int], until: datetime) -> list[tuple[int | None, datetime]]:
    """Return game and time of each unhandled message for these games that arrived by an instant.

    The game is None for mail to the general address, whose game is not known before it is read.
    """
    waiting = Handling.objects.filter(
        Q(game__in=games) | Q(game=None),
        status=Handling.Status.WAITING,
        attempts__lte=2,
        mail__received_at__lte=until,
    )
    return list(waiting.values_list("game_id", "mail__received_at"))
