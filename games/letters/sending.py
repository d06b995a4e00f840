"""How letters get out: each one once, none lost (docs/design.md 4 and 7).

A worker takes letters by a lease: one conditional update whose rows are counted. A letter's text is
stored before it goes to the mail server, so that a second try sends the very same under the same
Message-ID. Dead between the server's 250 and our mark, a worker leaves a letter that goes out once
more when the lease has run out; the equal Message-ID lets the reader's mail program see it.
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
from django.db import (
    DatabaseError,
    OperationalError,
    close_old_connections,
    transaction,
)
from django.db.models import Case, F, Q, QuerySet, Value, When

from games.letters import entries, headers, rendering, report_files
from games.letters.context import Batch
from games.letters.pictures import Envelope
from games.models import Address, Game, Invitation, Letter, LoginKey, Person, Phase
from games.models.leased import LeasedQuerySet
from games.outbox.messages import game as letters
from gamesmaster import clock, logs

from .delivery import Permanent, Server, ServerGone, in_a_line
from .marks import mark_sent

logger = logging.getLogger(__name__)

Status = Letter.Status
UNSENT = (Status.QUEUED, Status.SENDING, Status.DEFERRED)
#: Minutes until the next try, by number of failures; then doubling up to six hours.
RETRY_MINUTES = (1, 2, 5, 15, 60)
LONGEST_WAIT = timedelta(hours=6)
#: While the mail server does not answer at all every letter is tried at least this often.
LONGEST_OUTAGE_WAIT = timedelta(minutes=15)
#: So many letters are held and set at a time: as many as go out in a moment.
TOGETHER = 200
#: After so long by the clock that leases go by, a lease is looked at again before the next letter.
MOMENT = timedelta(seconds=1)
#: Seconds until a letter that has gone out is marked as sent once more, where the database did not
# take it.
MARKED_WITHIN = (0.2, 1.0, 5.0)


class LeaseLost(Exception):
    """Another worker has taken the letter over meanwhile: it is his to send."""


# --- what is due ---


#: What goes out: a letter under a lease that has run out (`SENDING`) too.
_GOES_OUT = Q(status__in=UNSENT)
#: Of letters due at once those of one game go together, for they have most of what they say in
#: common; and the report on a phase goes before the letter that opens the next.
_ORDER = (
    "due_at",
    F("game").asc(nulls_first=True),
    Case(When(kind="opened", then=Value(1)), default=Value(0)),
    "pk",
)


def claim(now: datetime, most: int) -> tuple[str, list[int]]:
    """Take up to `most` letters that are due, by a lease."""
    return Letter.objects.claim(now, most, _GOES_OUT, _ORDER, status=Status.SENDING)


def in_flight(now: datetime) -> int:
    """Count the letters that workers hold. The tick hands out no more than they can send before
    their leases run out."""
    return Letter.objects.filter(status=Status.SENDING).in_flight(now)


def release(ids: Sequence[int], token: str) -> None:
    """End the lease of letters that could not be handed out."""
    _held().release(ids, token, status=Status.QUEUED)


def _held() -> LeasedQuerySet[Letter]:
    return Letter.objects.filter(status=Status.SENDING)


def pending(now: datetime) -> int:
    """How many letters are due and not out yet, those that a worker holds just now included."""
    return Letter.objects.filter(status__in=UNSENT, due_at__lte=now).count()


def oldest_unsent() -> datetime | None:
    """When the oldest letter was written that has neither gone out nor failed; None where there is
    none. For the health page."""
    unsent = Letter.objects.filter(status__in=UNSENT, due_at__isnull=False)
    return unsent.order_by("written_at").values_list("written_at", flat=True).first()


# --- sending ---


def send(ids: Sequence[int], token: str, now: datetime) -> int:
    """Sends the letters of a claim through one connection and returns how many went out.

    A few at a time are held and set together (`_hold_some`). Where that was more than a moment ago,
    the lease is made sure of and renewed before the next letter: where a slow mail server has used
    it up, or the clock has leapt beyond its end (the machine slept, say), another worker may have
    the rest. No letter stops another, but for a mail server that does not answer: then all that are
    left wait.

    Whoever holds letters does so under a token of his own: a task that the queue delivers twice
    finds nothing the second time.
    """
    began, sent, own = clock.now(), 0, secrets.token_hex(16)

    def wall() -> datetime:
        """The lease alone follows the clock on the wall, by which all others judge it, wherever
        that leaps; everything else of this call happens at one moment."""
        return now + (clock.now() - began)

    with Server() as server:
        for first in range(0, len(ids), TOGETHER):
            group, held_at = ids[first : first + TOGETHER], clock.now()
            some = _hold_some(group, token, own, wall()) if len(group) > 1 else []
            batch = Batch.of(some)
            ready = _make_messages(_set_batch(some, batch, own, now), batch, now)
            held = {letter.pk for letter, _ in ready}
            for place, (letter, message) in enumerate(ready):
                if (
                    not held_at <= clock.now() <= held_at + MOMENT
                ):  # set back, too: a lease of a time to come is nobody's
                    held_at = clock.now()
                    held = _held().renew([one.pk for one, _ in ready[place:]], own, wall())
                if letter.pk in held:
                    following = next(iter(ready[place + 1 : place + 2]), None)
                    server.expect(following[1] if following is not None else None)
                    sent += _deliver(letter, server, own, now, message)
            # One that kills its worker must not use up the tries of those beside it: what has been
            # tried before is tried alone.
            fresh = {letter.pk for letter in some}
            for pk in group:
                if pk not in fresh and (alone := _hold(pk, token, own, wall())) is not None:
                    sent += _deliver(alone, server, own, now)
    return sent


def _sending(pk: int, token: str) -> QuerySet[Letter]:
    """A letter as long as its claim is this caller's."""
    return Letter.objects.filter(pk=pk, claim=token, status=Status.SENDING)


def _hold(pk: int, token: str, own: str, now: datetime) -> Letter | None:
    """The letter, if this token still holds it, from now on under its holder's own, with the lease
    renewed and this try counted.

    A try counts from here and not from the claim: letters that wait long in a full queue have not
    been tried.
    """
    if not _held().take_over([pk], token, now, own, attempts=F("attempts") + 1)[1]:
        return None
    return next(iter(_load([pk], own)), None)


def _hold_some(ids: Sequence[int], token: str, own: str, now: datetime) -> list[Letter]:
    """`_hold` of those of these letters that have not been tried yet, in their order, each kind of
    row asked for once."""
    untried = _held().filter(attempts=0)
    _, first = untried.take_over(ids, token, now, own, attempts=F("attempts") + 1)
    return _load(first, own)


def _load(ids: Sequence[int], own: str) -> list[Letter]:
    """Those of these letters that this token holds, in this order, with what they are about."""
    found = {letter.pk: letter for letter in _held().filter(pk__in=ids, claim=own)}
    games = Game.objects.in_bulk({letter.game_id for letter in found.values() if letter.game_id})
    phases = Phase.objects.in_bulk(
        {letter.phase_id for letter in found.values() if letter.phase_id}
    )
    people = Person.objects.in_bulk(
        {letter.person_id for letter in found.values() if letter.person_id}
    )
    for letter in found.values():
        _belongs(
            letter,
            games.get(letter.game_id or 0),
            phases.get(letter.phase_id or 0),
            people.get(letter.person_id or 0),
        )
    return [found[pk] for pk in ids if pk in found]


def _belongs(letter: Letter, game: Game | None, phase: Phase | None, person: Person | None) -> None:
    """What a letter is about and to whom. A game's sheet is long: it is read once."""
    letter.game, letter.phase, letter.person = game, phase, person
    if phase is not None and game is not None and phase.game_id == game.pk:
        phase.game = game


def _set_batch(
    some: Sequence[Letter], batch: Batch, token: str, now: datetime
) -> list[tuple[Letter, rendering.Rendered | None]]:
    """Sets these letters and keeps what they say, in one transaction; gives those that this token
    still holds, each with what it says.

    What fails here is met again, alone, by `_deliver`, and comes without; so does a letter that is
    out of date, or was set before.
    """
    if not some:
        return []
    found: dict[int, rendering.Rendered] = {}
    for letter in some:
        with contextlib.suppress(
            Exception
        ):  # whatever a template or a missing row raises, `_deliver` meets it once more and says it
            if (
                not letter.text
                and letter.attempts <= settings.LETTER_TRIES
                and not _out_of_date(letter, now)
            ):
                found[letter.pk] = rendering.render(letter, batch)
    try:
        with transaction.atomic():
            mine = Letter.objects.filter(
                pk__in=[letter.pk for letter in some], claim=token, status=Status.SENDING
            )
            held = set(
                mine.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True)
            )
            some = [
                letter for letter in some if letter.pk in held
            ]  # the others another worker has taken over
            kept = [letter for letter in some if letter.pk in found and not letter.secret]
            for letter in kept:
                content = found[letter.pk]
                letter.subject, letter.text, letter.html = (
                    content.subject,
                    content.text,
                    content.html,
                )
            if kept:
                # Rows that are there: `bulk_update` writes a CASE of all rows for each column.
                Letter.objects.bulk_create(
                    kept,
                    update_conflicts=True,
                    unique_fields=["pk"],
                    update_fields=["subject", "text", "html"],
                )
    except DatabaseError:
        logger.warning(
            "%d letters could not be kept together; they are set one by one",
            len(found),
            exc_info=True,
        )
        for letter in some:
            if letter.pk in found:
                letter.subject = letter.text = letter.html = ""
        return [(letter, None) for letter in some]
    return [(letter, found.get(letter.pk)) for letter in some]


def _make_messages(
    some: Sequence[tuple[Letter, rendering.Rendered | None]], batch: Batch, now: datetime
) -> list[tuple[Letter, Envelope | None]]:
    """The messages of letters that have been set, so that nothing need be asked as they go out;
    what fails is met again by `_deliver`."""
    ready: list[tuple[Letter, Envelope | None]] = []
    for letter, content in some:
        message = None
        if content is not None:
            with contextlib.suppress(Exception):
                message = _message(letter, content, now, batch)
        ready.append((letter, message))
    return ready


def _deliver(
    letter: Letter,
    server: Server,
    token: str,
    now: datetime,
    message: Envelope | None = None,
) -> bool:
    """One letter, to its end: sent, deferred or failed. `message` is what goes out, where it has
    been made. Returns whether it was sent."""
    logs.concerns(game=letter.game_id, phase=letter.phase_id)
    try:
        if message is None:
            if why := _out_of_date(letter, now):
                _finish(letter, token, Status.FAILED, fault=why)
                return False
            if letter.attempts > settings.LETTER_TRIES:  # the worker died over it every time
                raise Permanent("No try to send it ever came to an end.")
            message = _message(letter, _content(letter, token), now)
        server.send(message)
    except LeaseLost:
        return False
    except Exception as error:
        _handle_refusal(letter, token, error, now)
        return False
    _mark_sent(letter, token, now)
    return True


def _handle_refusal(letter: Letter, token: str, error: Exception, now: datetime) -> None:
    """What becomes of a letter that could not be made, or that the mail server did not take."""
    match error:
        case Permanent():
            _fail(letter, token, str(error), now)
        # however long it lasts, no letter is given up for it: such a try does not count
        case ServerGone():
            wait = min(
                LONGEST_OUTAGE_WAIT, max(timedelta(minutes=1), (now - letter.written_at) / 2)
            )
            letter.attempts -= 1
            _postpone(letter, token, str(error), now + wait)
        case smtplib.SMTPException() | OSError():
            _defer(letter, token, in_a_line(error), now)
        case _:
            logger.error("letter %s (%s) could not be made", letter.pk, letter.kind, exc_info=error)
            _defer(letter, token, in_a_line(error), now)


def _mark_sent(letter: Letter, token: str, now: datetime) -> None:
    """Marks a letter that the mail server has taken. A database too busy to answer is asked again:
    unmarked, it would go out once more."""
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


def _out_of_date(letter: Letter, now: datetime) -> str:
    """Why a letter is not worth sending any more: a key that opens nothing, a reminder of a
    deadline that has passed."""
    if letter.kind == "login":
        key = LoginKey.objects.filter(pk=letter.about["login"], used_at=None, expires_at__gt=now)
        if not key.exists():
            return "The login ran out before the letter could be sent."
    if (
        letter.kind == "invitation"
        and Invitation.objects.filter(pk=letter.about["invitation"])
        .exclude(withdrawn_at=None)
        .exists()
    ):
        return "The invitation was withdrawn before the letter could be sent."
    if (
        letter.kind == "address"
        and not Address.objects.filter(pk=letter.about["address"], removed_at=None).exists()
    ):
        return "The address was removed before the letter could be sent."
    if (
        letter.kind == "reminder"
        and letter.phase is not None
        and letter.phase.status != Phase.Status.OPEN
    ):
        return "The phase was closed before the reminder could be sent."
    if (
        letter.kind == "stock"
        and letter.phase is not None
        and letter.phase.status != Phase.Status.OPEN
    ):
        return "The phase was closed before the letter about a stock could be sent."
    return ""


def _content(letter: Letter, token: str) -> rendering.Rendered:
    """What the letter says: set once and kept, unless it holds a key."""
    if letter.text:
        return rendering.from_row(letter)
    content = rendering.render(letter)
    said = {"subject": content.subject, "text": content.text, "html": content.html}
    if not letter.secret and _sending(letter.pk, token).update(**said) != 1:
        raise LeaseLost
    return content


def _message(
    letter: Letter, content: rendering.Rendered, now: datetime, batch: Batch | None = None
) -> Envelope:
    batch = batch or Batch.of([letter])
    answered_to = headers.reply_to(letter, now, batch)
    message = Envelope(
        headers.safe(content.subject),
        content.text,
        headers.envelope_sender(letter),
        [letter.address],
        reply_to=[headers.safe(answered_to)],
        headers=headers.headers_of(letter, answered_to, batch),
    )
    if letter.person is None or not letter.person.plain_text:
        message.attach_alternative(content.html, "text/html")
        if content.picture is not None:
            message.attach_picture(content.picture)
    if (entry := entries.of_letter(letter, batch)) is not None:
        message.attach_entry(entry)
    message.others = report_files.parts(letter)
    return message


def _storable(fault: str) -> str:
    """A fault as PostgreSQL takes it, whatever the mail server has answered."""
    return fault.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


# --- what becomes of a letter ---


def _finish(
    letter: Letter, token: str, status: Status, *, fault: str = "", sent_at: datetime | None = None
) -> bool:
    if status == Status.SENT and sent_at is not None:
        done = mark_sent(letter, token, sent_at)
    else:
        over = {"status": status, "fault": _storable(fault)[:2000], "sent_at": sent_at}
        done = (
            _sending(letter.pk, token).update(due_at=None, claim="", claimed_until=None, **over)
            == 1
        )
    if not done:
        logger.warning(
            "letter %s was taken over by another worker; it may go out twice under %s",
            letter.pk,
            letter.message_id,
        )
    return done


def _defer(letter: Letter, token: str, fault: str, now: datetime) -> None:
    if letter.attempts >= settings.LETTER_TRIES:
        _fail(letter, token, f"{letter.attempts} tries failed, the last with {fault}", now)
        return
    _postpone(letter, token, fault, now + delay(letter.attempts))


def _postpone(letter: Letter, token: str, fault: str, until: datetime) -> None:
    held = Letter.objects.filter(pk=letter.pk, claim=token, status=Status.SENDING)
    held.update(
        status=Status.DEFERRED,
        due_at=until,
        claim="",
        claimed_until=None,
        attempts=letter.attempts,
        fault=_storable(fault)[:2000],
    )
    logger.warning("letter %s (%s) deferred: %s", letter.pk, letter.kind, fault)


def delay(failures: int) -> timedelta:
    """How long to wait after so many failures: 1, 2, 5, 15, 60 minutes, then twice as long each
    time up to six hours."""
    if failures <= len(RETRY_MINUTES):
        return timedelta(minutes=RETRY_MINUTES[max(failures, 1) - 1])
    return min(
        LONGEST_WAIT, timedelta(minutes=RETRY_MINUTES[-1] * 2 ** (failures - len(RETRY_MINUTES)))
    )


def _fail(letter: Letter, token: str, fault: str, now: datetime) -> None:
    """Gives a letter up and tells the gamesmasters of its game, in one transaction."""
    with transaction.atomic():
        if _finish(letter, token, Status.FAILED, fault=fault):
            letters.report_undelivered(letter, now)
    logger.error(
        "letter %s (%s) to person %s failed: %s", letter.pk, letter.kind, letter.person_id, fault
    )
