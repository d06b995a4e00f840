"""Inbound mail that nobody has read yet: a lock waits for it a little."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from orders.models import Handling


def arrivals(games: Collection[int], until: datetime) -> list[tuple[int | None, datetime]]:
    """Return game and time of each message for one of these games that came by an instant and has
    not been looked at yet. Of mail to the address of everybody nobody knows yet whose it is: None.
    """
    waiting = Handling.objects.filter(
        Q(game__in=games) | Q(game=None),
        status=Handling.Status.WAITING,
        attempts__lte=2,
        mail__received_at__lte=until,
    )
    return list(waiting.values_list("game_id", "mail__received_at"))
