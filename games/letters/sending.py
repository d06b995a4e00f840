"""Send every letter once and lose none (docs/design.md 4 and 7).

A worker leases letters with one conditional update and counts the rows. A letter's text is stored
before it goes to the mail server, so that a retry sends the same text under the same Message-ID.
If a worker dies between the server's 250 and our mark, the letter goes out again when its lease
expires; the equal Message-ID lets the reader's mail program recognize the duplicate.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import smtplib
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, OperationalError, close_old_connections, transaction
from django.db.models import Case, F, Q, QuerySet, Value, When

from games.base import clock, ending, logs
from games.base.text import storable
from games.letters import messages, rendering
from games.letters.builders import reason_not_to_send
from games.letters.context import Batch
from games.letters.mime import Message
from games.models import Game, Letter, Person, Phase
from games.models.leased import LeasedQuerySet
from games.outbox.messages import account_letters, game_letters

from .delivery import Permanent, Server, ServerGone, error_line

logger = logging.getLogger(__name__)

Status = Letter.Status
UNSENT = (Status.QUEUED, Status.SENDING, Status.DEFERRED)
#: Minutes until the next try, by number of failures; after that, doubling up to 6 hours.
RETRY_MINUTES = (1, 2, 5, 15, 60)
LONGEST_WAIT = timedelta(hours=6)
#: While the mail server does not answer at all, every letter is retried at least this often.
LONGEST_OUTAGE_WAIT = timedelta(minutes=15)
#: Letters to hold and render at a time: about as many as go out within `MOMENT`.
TOGETHER = 200
#: When this much wall-clock time has passed, renew the lease before the next letter.
MOMENT = timedelta(seconds=1)
#: The columns with a letter's content.
_CONTENT = ("subject", "text", "html")
#: Seconds to wait before each retry of marking a letter as sent, where the database failed.
MARKED_WITHIN = (0.2, 1.0, 5.0)


class LeaseLost(Exception):
    """Raised where another worker has taken over the letter and sends it."""


# --- due letters ---


#: Letters that may be sent, including those whose lease has expired (`SENDING`).
_GOES_OUT = Q(status__in=UNSENT)
#: Letters that are due at the same time are sent game by game, because the letters of a game share
#: most of their content; the report on a phase goes before the letter that opens the next phase.
_ORDER = (
    "due_at",
    F("game").asc(nulls_first=True),
    Case(When(kind=game_letters.OPENED.id, then=Value(1)), default=Value(0)),
    "pk",
)


def claim(now: datetime, most: int) -> tuple[str, list[int]]:
    """Lease up to `most` letters that are due; return the claim and their ids."""
    return Letter.objects.claim(now, most, _GOES_OUT, _ORDER, status=Status.SENDING)


def count_in_flight(now: datetime) -> int:
    """Count the letters that workers hold. The tick hands out no more than workers can send before
    their leases expire."""
    return Letter.objects.filter(status=Status.SENDING).in_flight(now)


def release(ids: Sequence[int], token: str) -> None:
    """End the lease on letters that could not be handed to a worker."""
    _leased_letters().release(ids, token, status=Status.QUEUED)


def _leased_letters() -> LeasedQuerySet[Letter]:
    return Letter.objects.filter(status=Status.SENDING)


def pending(now: datetime) -> int:
    """Count the letters that are due and not sent yet, including those that a worker holds."""
    return Letter.objects.filter(status__in=UNSENT, due_at__lte=now).count()


# --- sending ---


def send(ids: Sequence[int], token: str, now: datetime) -> int:
    """Send the letters of a claim through one connection and return how many were sent.

    Letters are taken and rendered in groups of `TOGETHER` (`_take_letters`). If one was taken more
    than `MOMENT` ago, its lease is checked and renewed before the next letter: after a slow mail
    server or a jump of the clock (a machine that slept, say), another worker may have the rest. A
    failing letter does not stop the others, unless the mail server does not answer: then all the
    remaining letters wait. If the process is asked to end, they are released after this letter:
    killed in the midst of a letter, it would send it twice.

    Each worker holds letters under its own token, so that a task the queue delivers twice gets no
    letters the second time.
    """
    began, sent, own_token = clock.now(), 0, secrets.token_hex(16)

    def wall() -> datetime:
        """Return `now` plus the time since the call began. Only leases use it, because other
        workers compare them with the wall clock; everything else in this call uses `now`."""
        return now + (clock.now() - began)

    with Server() as server:
        for first in range(0, len(ids), TOGETHER):
            group, held_at = ids[first : first + TOGETHER], clock.now()
            some = _take_letters(group, token, own_token, wall()) if len(group) > 1 else []
            batch = Batch.for_letters(some)
            ready = messages.make(_set_batch(some, batch, own_token, now), batch, now)
            held = {letter.pk for letter, _ in ready}
            for place, (letter, message) in enumerate(ready):
                if ending.is_asked():
                    break
                # Also after the clock was set back: a lease from the future protects nothing.
                if not held_at <= clock.now() <= held_at + MOMENT:
                    held_at = clock.now()
                    held = _leased_letters().renew(
                        [waiting_letter.pk for waiting_letter, _ in ready[place:]],
                        own_token,
                        wall(),
                    )
                if letter.pk in held:
                    sent += _deliver(letter, server, own_token, now, message)
            # A letter that kills its worker must not use up its neighbors' tries, so letters that
            # have been tried before are tried alone.
            fresh = {letter.pk for letter in some}
            for pk in group:
                if ending.is_asked():
                    _release_unsent(ids, token, own_token)
                    return sent
                if (
                    pk not in fresh
                    and (alone := _take_letter(pk, token, own_token, wall())) is not None
                ):
                    sent += _deliver(alone, server, own_token, now)
    return sent


def _release_unsent(ids: Sequence[int], token: str, own: str) -> None:
    """Release what a claim still holds, and what its worker took; that was no try."""
    release(ids, token)
    _leased_letters().release(ids, own, status=Status.QUEUED, attempts=F("attempts") - 1)


def _sending(pk: int, token: str) -> QuerySet[Letter]:
    """Return a letter, but only while this claim holds it."""
    return Letter.objects.filter(pk=pk, claim=token, status=Status.SENDING)


def _take_letter(pk: int, token: str, own: str, now: datetime) -> Letter | None:
    """Move a letter from the claim `token` to this worker's token `own`, renew its lease and count
    a try; return it, or None if `token` no longer holds it.

    Tries are counted here and not at the claim, because letters that wait in a full queue have not
    been tried.
    """
    if not _leased_letters().take_over([pk], token, now, own, attempts=F("attempts") + 1)[1]:
        return None
    return next(iter(_load([pk], own)), None)


def _take_letters(ids: Sequence[int], token: str, own: str, now: datetime) -> list[Letter]:
    """Like `_take_letter`, but for those of several letters not tried yet, in their order,
    with one query for each kind of row."""
    untried = _leased_letters().filter(attempts=0)
    _, first = untried.take_over(ids, token, now, own, attempts=F("attempts") + 1)
    return _load(first, own)


def _load(ids: Sequence[int], own: str) -> list[Letter]:
    """Return the letters that this token holds, in the order of `ids`, each with its game, phase
    and person."""
    letters_by_id = {
        letter.pk: letter for letter in _leased_letters().filter(pk__in=ids, claim=own)
    }
    games = Game.objects.in_bulk(
        {letter.game_id for letter in letters_by_id.values() if letter.game_id}
    )
    phases = Phase.objects.in_bulk(
        {letter.phase_id for letter in letters_by_id.values() if letter.phase_id}
    )
    people = Person.objects.in_bulk(
        {letter.person_id for letter in letters_by_id.values() if letter.person_id}
    )
    for letter in letters_by_id.values():
        # Letters share one game object: a game's scenario is long and should be loaded once.
        letter.game = game = games.get(letter.game_id or 0)
        letter.phase = phase = phases.get(letter.phase_id or 0)
        letter.person = people.get(letter.person_id or 0)
        if phase is not None and game is not None and phase.game_id == game.pk:
            phase.game = game
    return [letters_by_id[pk] for pk in ids if pk in letters_by_id]


def _set_batch(
    some: Sequence[Letter], batch: Batch, token: str, now: datetime
) -> list[tuple[Letter, rendering.RenderedLetter | None]]:
    """Render these letters and store their content in one transaction; return those that this token
    still holds, each with its content.

    The content is None for a letter that failed to render, is out of date, or was rendered before;
    `_deliver` handles these one by one.
    """
    if not some:
        return []
    content_by_id: dict[int, rendering.RenderedLetter] = {}
    for letter in some:
        # `_deliver` renders a letter that fails here again, and reports the error.
        with contextlib.suppress(Exception):
            if (
                not letter.text
                and letter.attempts <= settings.LETTER_TRIES
                and not reason_not_to_send(letter, now)
            ):
                content_by_id[letter.pk] = rendering.render(letter, batch)
    try:
        with transaction.atomic():
            own_rows = Letter.objects.filter(
                pk__in=[letter.pk for letter in some], claim=token, status=Status.SENDING
            )
            held = set(
                own_rows.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True)
            )
            # another worker has taken over the others
            some = [letter for letter in some if letter.pk in held]
            rendered = []
            for letter in some:
                if letter.pk in content_by_id and not letter.secret:
                    content = content_by_id[letter.pk]
                    letter.subject, letter.text = content.subject, content.text
                    letter.html = content.html
                    rendered.append(letter)
            # The rows are there and locked, so this only changes their content: in one statement,
            # in a fifth of the time of one for each, or of `bulk_update`.
            Letter.objects.bulk_create(
                rendered, update_conflicts=True, unique_fields=["pk"], update_fields=_CONTENT
            )
    except DatabaseError:
        logger.warning(
            "%d letters could not be kept together; they are set one by one",
            len(content_by_id),
            exc_info=True,
        )
        for letter in some:
            if letter.pk in content_by_id:
                letter.subject = letter.text = letter.html = ""
        return [(letter, None) for letter in some]
    return [(letter, content_by_id.get(letter.pk)) for letter in some]


def _deliver(
    letter: Letter,
    server: Server,
    token: str,
    now: datetime,
    message: Message | None = None,
) -> bool:
    """Send, defer or fail one letter; return whether it was sent. `message` is the finished
    message, if there is one."""
    logs.set_log_context(game=letter.game_id, phase=letter.phase_id)
    try:
        if message is None:
            if why := reason_not_to_send(letter, now):
                _finish(letter, token, Status.DROPPED, fault=why)
                return False
            if letter.attempts > settings.LETTER_TRIES:  # the worker died each time
                raise Permanent("No try to send it ever came to an end.")
            message = messages.message_of(letter, _content(letter, token), now)
        server.send(message)
    except LeaseLost:
        return False
    except Exception as error:
        _handle_refusal(letter, token, error, now)
        return False
    _mark_sent(letter, token, now)
    return True


def _handle_refusal(letter: Letter, token: str, error: Exception, now: datetime) -> None:
    """Handle a letter that could not be made, or that the mail server did not take."""
    match error:
        case Permanent():
            _fail(letter, token, str(error), now)
        # This try does not count: an outage never makes a letter fail, however long it lasts.
        case ServerGone():
            wait = min(
                LONGEST_OUTAGE_WAIT, max(timedelta(minutes=1), (now - letter.written_at) / 2)
            )
            letter.attempts -= 1
            _postpone(letter, token, str(error), now + wait)
        case smtplib.SMTPException() | OSError():
            _defer(letter, token, error_line(error), now)
        case _:
            logger.error("letter %s (%s) could not be made", letter.pk, letter.kind, exc_info=error)
            _defer(letter, token, error_line(error), now)


def _mark_sent(letter: Letter, token: str, now: datetime) -> None:
    """Mark a letter that the mail server has accepted. Retry if the database is too busy, because
    an unmarked letter would be sent again."""
    for wait in MARKED_WITHIN:
        try:
            _finish(letter, token, Status.SENT, sent_at=now)
            return
        except OperationalError:
            logger.warning(
                "letter %s has gone out and could not be marked yet", letter.pk, exc_info=True
            )
            time.sleep(wait)
            close_old_connections()
    _finish(letter, token, Status.SENT, sent_at=now)


def _content(letter: Letter, token: str) -> rendering.RenderedLetter:
    """Return the content of a letter, rendered once and stored unless it contains a token. Raise
    `LeaseLost` where another worker has taken the letter over."""
    if letter.text:
        return rendering.from_row(letter)
    content = rendering.render(letter)
    facts = {"subject": content.subject, "text": content.text, "html": content.html}
    if not letter.secret and _sending(letter.pk, token).update(**facts) != 1:
        raise LeaseLost
    return content


# --- outcomes ---


def _finish(
    letter: Letter, token: str, status: Status, *, fault: str = "", sent_at: datetime | None = None
) -> bool:
    values = {"status": status, "fault": storable(fault)[:2000], "sent_at": sent_at}
    done = _sending(letter.pk, token).update(due_at=None, claim="", claimed_until=None, **values)
    if done != 1:
        logger.warning(
            "letter %s was taken over by another worker; it may go out twice under %s",
            letter.pk,
            letter.message_id,
        )
    return done == 1


def _defer(letter: Letter, token: str, fault: str, now: datetime) -> None:
    if letter.attempts >= settings.LETTER_TRIES:
        _fail(letter, token, f"{letter.attempts} tries failed, the last with {fault}", now)
        return
    _postpone(letter, token, fault, now + delay(letter.attempts))


def _postpone(letter: Letter, token: str, fault: str, until: datetime) -> None:
    own_row = Letter.objects.filter(pk=letter.pk, claim=token, status=Status.SENDING)
    own_row.update(
        status=Status.DEFERRED,
        due_at=until,
        claim="",
        claimed_until=None,
        attempts=letter.attempts,
        fault=storable(fault)[:2000],
    )
    logger.warning("letter %s (%s) deferred: %s", letter.pk, letter.kind, fault)


def delay(failures: int) -> timedelta:
    """Return the wait after this many failures: 1, 2, 5, 15, 60 minutes, then doubling up to
    6 hours."""
    if failures <= len(RETRY_MINUTES):
        return timedelta(minutes=RETRY_MINUTES[max(failures, 1) - 1])
    return min(
        LONGEST_WAIT, timedelta(minutes=RETRY_MINUTES[-1] * 2 ** (failures - len(RETRY_MINUTES)))
    )


def _fail(letter: Letter, token: str, fault: str, now: datetime) -> None:
    """Give up on a letter and notify the gamesmasters of its game, in one transaction."""
    with transaction.atomic():
        if _finish(letter, token, Status.FAILED, fault=fault):
            account_letters.report_undelivered(letter, now)
    logger.error(
        "letter %s (%s) to person %s failed: %s", letter.pk, letter.kind, letter.person_id, fault
    )
