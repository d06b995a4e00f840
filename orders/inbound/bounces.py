"""Handle letters that bounce.

Each bounce marks the letter it is about. After a few, the gamesmaster is told, with the telephone
number on file.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Value
from django.db.models.functions import Coalesce

from games.accounts import tokens
from games.models import Game, Letter, Person
from games.outbox.messages import account_letters, reply_letters
from orders.models import Mail

from .parsing.message import Bounce
from .queue import key_in

#: A letter counts as delivered if it was sent this long ago and has not bounced.
COMES_BACK_WITHIN = timedelta(days=1)
#: A letter can come back in these: a try whose end we did not hear may have arrived all the same.
HANDED_OVER = (Letter.Status.SENT, Letter.Status.SENDING, Letter.Status.DEFERRED)


def note(bounce: Bounce, mail: Mail, now: datetime) -> str:
    """Mark the letter that bounced. Return in one sentence what was done."""
    letters_by_key = (tokens.find_bounced(key_in(address)) for address in mail.envelope_to)
    letter = next(
        (candidate for candidate in letters_by_key if candidate), None
    ) or letter_by_message_id(bounce.message_id)
    if letter is None:
        return "A bounce names no letter of ours."
    if not bounce.permanent:
        return f"{letter} is delayed; its mail server keeps trying."
    mark(letter, bounce.diagnostic or bounce.status, now)
    return f"{letter} came back."


def letter_by_message_id(message_id: str) -> Letter | None:
    """Return the letter with this Message-ID, with or without its angle brackets, or None."""
    return Letter.objects.filter(code=Letter.code_in(message_id)).first()


def mark(letter: Letter, diagnostic: str, now: datetime) -> None:
    """Mark a letter as returned, unless it was marked before.

    A mail server may be faster than the worker that handed it the letter, which then still holds
    it as being sent: no worker writes over the mark, and none tries again. The gamesmaster is told
    once for each run of bounces. `diagnostic` is the mail server's reason.
    """
    fault = (
        " ".join(diagnostic.replace("\0", "").split())[:1000] or "The mail server does not say why."
    )
    handed_over = Letter.objects.filter(pk=letter.pk, status__in=HANDED_OVER)
    if not handed_over.update(
        status=Letter.Status.BOUNCED,
        fault=fault,
        sent_at=Coalesce("sent_at", Value(now)),
        due_at=None,
        claim="",
        claimed_until=None,
    ):
        return
    letter = Letter.objects.select_related("game", "person").get(pk=letter.pk)
    if letter.game is not None and letter.person is not None:
        _tell(letter, letter.game, letter.person, now)
    elif letter.game is not None:  # an invitation; nobody else would notice that it did not arrive
        account_letters.report_undelivered(letter, now)


def _tell(letter: Letter, game: Game, person: Person, now: datetime) -> None:
    """Count the person's newest bounces in a row, and tell the gamesmaster at the limit.

    A letter that was delivered ends the run. Letters just sent may still bounce and do not end it.
    The limit is settings.BOUNCES_BEFORE_TELLING.
    """
    sent = Letter.objects.filter(
        game=game, person=person, status__in=(Letter.Status.SENT, Letter.Status.BOUNCED)
    ).order_by("-pk")
    run: list[Letter] = []
    for earlier in sent[:200]:
        if earlier.status == Letter.Status.BOUNCED:
            run.append(earlier)
        elif earlier.sent_at is None or earlier.sent_at <= now - COMES_BACK_WITHIN:
            break
    if len(run) < settings.BOUNCES_BEFORE_TELLING:
        return
    earlier_notices = Letter.objects.filter(
        game=game,
        kind="bouncing",
        key__contains=f"/bouncing-{person.pk}-",
        written_at__gte=run[-1].written_at,
    )
    if not earlier_notices.exists():
        reply_letters.report_bounces(letter, person, len(run), run[-1], now)
