"""Limit how much mail of one sender is executed, and how much is answered.

Everything is stored, whatever the limits.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from games.models import Letter
from games.outbox.messages import KINDS
from orders.models import Handling

HOUR = timedelta(hours=1)
ANSWERS = tuple(kind.id for kind in KINDS.values() if kind.answers)
#: How long to postpone a message that exceeds its sender's limit.
PUT_OFF = timedelta(minutes=10)


def has_reached_limit(sender: str, now: datetime) -> bool:
    """Return whether this address has reached its limit of obeyed messages within the last hour.

    Only obeyed messages count: anybody can send others in a player's name. The limit is
    settings.MAIL_OBEYED_AN_HOUR.
    """
    obeyed = Handling.objects.filter(
        sender=sender, handled_at__gt=now - HOUR, status=Handling.Status.DONE, kind="commands"
    )
    return obeyed.count() >= int(settings.MAIL_OBEYED_AN_HOUR)


def may_answer(address: str, now: datetime) -> bool:
    """Return whether an address may get another answer within this hour.

    The limit, settings.MAIL_ANSWERS_AN_HOUR, ends loops of two programs that answer each other.
    """
    answered = Letter.objects.filter(
        address=address, kind__in=ANSWERS, written_at__gt=now - HOUR
    ).count()
    return answered < int(settings.MAIL_ANSWERS_AN_HOUR)
