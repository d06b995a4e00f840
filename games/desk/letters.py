"""Send a letter of a game once more: the same text, to the same reader."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from games.models import Letter, Person
from games.outbox import rows

from . import acts
from .words import DeskError

#: Only what has gone out or was lost; what waits goes out by itself.
SENT_AGAIN = (Letter.Status.SENT, Letter.Status.FAILED, Letter.Status.BOUNCED)
#: A second click within this time sends nothing.
APART = timedelta(minutes=5)


@transaction.atomic
def send_again(letter: Letter, by: Person, now: datetime) -> None:
    """Put a letter of a game back into the outbox. Raises `DeskError`."""
    assert letter.game is not None
    sent = Letter.objects.filter(pk=letter.pk, status__in=SENT_AGAIN)
    if letter.sent_at is not None and letter.sent_at > now - APART:
        raise DeskError("This letter went out less than 5 minutes ago. Wait before sending again.")
    if not rows.send_again(sent, now):
        raise DeskError("This letter is on its way already.")
    words = "A letter was sent again."
    game, pk = letter.game, letter.pk
    acts.write(game, "sent-again", words, now, by=by, private=True, letter=pk)
