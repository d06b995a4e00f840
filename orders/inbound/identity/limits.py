"""Limit how much mail of one sender is executed, and how much is answered.

Everything is stored, whatever the limits. What anybody can cause in a player's name is counted
apart, so that it does not use up the answers to the player's own mail.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from games.models import Letter
from games.outbox.messages import answer_letters, reply_letters
from orders.models import Handling

HOUR = timedelta(hours=1)
#: Kinds of letters that are counted together: answers to mail whose sender is proven, questions
#: about mail whose sender is not, and short answers that need no proof.
TO_PROVEN = (answer_letters.ANSWER.id, reply_letters.CHOICE.id)
QUESTIONS = (reply_letters.CONFIRM.id,)
TO_ANYBODY = (reply_letters.WORD.id,)
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


def may_answer(address: str, kinds: tuple[str, ...], now: datetime) -> bool:
    """Return whether an address may get another letter of these kinds within this hour.

    The limit for each of the three, settings.MAIL_ANSWERS_AN_HOUR, ends loops of two programs that
    answer each other.
    """
    answered = Letter.objects.filter(
        address=address, kind__in=kinds, written_at__gt=now - HOUR
    ).count()
    return answered < int(settings.MAIL_ANSWERS_AN_HOUR)
