"""Send a letter of a game once more, with the same text and to the same reader."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from games.models import Letter, Person
from games.outbox import rows

from . import acts
from .words import DeskError

#: Only letters that went out or failed; queued ones go out by themselves.
SENT_AGAIN = (Letter.Status.SENT, Letter.Status.FAILED, Letter.Status.BOUNCED)
#: A second click within this time sends nothing.
APART = timedelta(minutes=5)


@transaction.atomic
def send_again(letter: Letter, by: Person, now: datetime) -> None:
    """Put a letter of a game back into the outbox. Raise `DeskError`."""
    assert letter.game is not None
    acts.take_row(letter.game, by)
    sent = Letter.objects.filter(pk=letter.pk, status__in=SENT_AGAIN)
    if letter.sent_at is not None and letter.sent_at > now - APART:
        raise DeskError("This letter went out less than 5 minutes ago. Wait before sending again.")
    if not rows.send_again(sent, now):
        raise DeskError("This letter is already on its way.")
    words = "A letter was sent again."
    game, pk = letter.game, letter.pk
    acts.write(game, "sent-again", words, now, by=by, private=True, letter=pk)
