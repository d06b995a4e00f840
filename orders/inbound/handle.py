"""Handle one message: find its sender, game and proof; then execute it and answer it once.

From alone is never enough. A message must be sent to the reader's own address of a game
(games.accounts.tokens), from an address of theirs on file, and be proven as the settings demand.
Otherwise it is held for the gamesmaster, or confirmed by a link that is sent to the player's first
address, never to the stranger. Everything here happens in the transaction of `handle_mail`.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from games import permissions
from games.accounts import addresses
from games.models import Letter, ReplyAddress
from games.outbox.messages import reply_letters
from orders.inbound import parsed, queue, respond, set_aside
from orders.inbound.identity import offers
from orders.models import Handling, Mail

from . import bounces
from .identity import consent, limits, trust, waiting

logger = logging.getLogger(__name__)

Status = Handling.Status


def decide(
    row: Handling,
    now: datetime,
    reply: ReplyAddress | None = None,
    proof: trust.Trust | None = None,
) -> None:
    """Handle a message and record in its row what was done and why; the caller saves it.

    `reply` is the address that it was sent to, if the caller has looked it up. `proof` is the
    result of `ask_beforehand`.
    """
    if row.status == Status.UNCONFIRMED and (until := waiting.still_asked(row, now)):
        row.due_at = until
        return
    if row.status == Status.UNCONFIRMED:
        row.status, row.words = Status.REFUSED, "The sender never confirmed it."
        return
    reply = reply or parsed.reply_of(row)
    game = reply.game if reply else None
    if game is not None:
        # Load the seats once; parsing and permissions read them many times.
        permissions.load_seats(game)
    mail = parsed.parse_mail(row, game, proof, reply.person if reply else None)
    message = mail.message
    row.sender = message.from_.address[:254].replace("\0", "")
    too_large = row.kind == queue.TOO_LARGE
    row.kind = queue.TOO_LARGE if too_large else message.kind
    if message.bounce is not None:
        row.status, row.words = Status.IGNORED, bounces.note(message.bounce, row.mail, now)
    elif why := set_aside.reason(row, message, reply):
        words = f"{why[0].upper()}{why[1:]}."
        if (
            reply is not None
            and respond.mutes_only(mail.script) is True
            and not respond.is_from_us(message)
        ):
            respond.ignore(row, words)
            respond.mute_silently(row, reply, now)
        else:
            set_aside.record(row, message, reply, words, now)
    elif reply is not None and respond.names_several(message, reply.person):
        respond.ask_for_one_sender(row, reply, now)
    elif not row.sender:
        respond.ignore(row, "It names no sender, or several.")
    elif too_large:
        respond.refuse_large(row, reply, now)
    elif (offer := offers.find(row)) is not None:
        consent.decide(row, mail, offer, now)
    elif reply is None:
        _handle_without_key(row, mail, now)
    elif not reply.person.is_active:
        respond.ignore(row, "The account is closed.")
    else:
        row.game, row.person = reply.game, reply.person
        respond.handle_with_key(row, mail, reply.game, reply.person, now)


# --- to the general address ---


def _handle_without_key(row: Handling, mail: parsed.ParsedMail, now: datetime) -> None:
    """Handle mail to the general address.

    Obey it if its sender is proven, wrote to this address, and plays in only one game; otherwise
    answer at most once a day.
    """
    people = addresses.people_at(row.sender)
    if not people:
        respond.ignore(row, "Nobody here has this address, and it arrived at no reply address.")
        return
    games = [(person, game) for person in people for game in addresses.running_games(person)]
    proven = mail.proof.ok and mail.proof.how != "address"
    if len(games) == 1 and proven:
        row.person, row.game = games[0]
        proof = mail.proof
        if not parsed.is_addressed_to_us(mail.message, bytes(row.mail.raw)):
            why = "It does not name our address in To or Cc, so it may have been written to others."
            proof = replace(proof, ok=False, why=why)
        # Parse again, now that the nations are known.
        mail = parsed.parse_mail(row, row.game, proof)
        respond.handle_with_key(row, mail, row.game, row.person, now)
        return
    if mail.message.wants_no_answer:
        words = "It arrived at no reply address and asks not to be answered, so it changed nothing."
        set_aside.record(row, mail.message, None, words, now)
        return
    person = people[0]
    row.person = person
    row.status, row.kind = Status.DONE, "no address"
    row.words = "It arrived at no reply address, without proof of its game and player."
    if not limits.may_answer(row.sender, now):
        return
    if games:
        sentences = [
            (
                "Your message arrived, but not at your own reply address, so we cannot tell which"
                " game it is about."
            ),
            (
                "Reply to a letter of the game instead: your mail program then writes to the"
                " right address."
            ),
        ]
    else:
        sentences = [
            "Your message arrived, but you play in no running game, so it changed nothing."
        ]
    row.answer = reply_letters.word(
        f"lost-{now:%Y%m%d}/person-{person.pk}",
        person,
        None,
        now,
        heading="We cannot tell which game your message is about",
        sentences=[*sentences, "We answer no more messages like it today."],
        links=[("Your games", f"{settings.SITE_URL}/")],
        answers=row.mail.message_id,
    )


# --- receiving ---


#: The most addresses handled for one message.
MOST_AT_ONCE = 50


def take_in(
    raw: bytes,
    *,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
) -> Mail:
    """Store a message from any transport, and handle it at once.

    The answer then arrives within seconds. Raise `TooLarge`, and any database error while it is
    being stored: then the transport must deliver the message again. Later failures are not raised;
    the tick tries again.

    A message to several readers' own addresses is handled once for each, as if a mail server had
    delivered it to each. Return the first row.
    """
    own_addresses = [
        address for address in envelope_to or queue.own_addresses(raw) if queue.key_in(address)
    ]
    if len(own_addresses) > 1:
        rows = [
            take_in(raw, way=way, envelope_from=envelope_from, envelope_to=[address], now=now)
            for address in own_addresses[:MOST_AT_ONCE]
        ]
        return rows[0]
    claim = secrets.token_hex(16)
    return _deal_at_once(
        queue.keep(raw, way, envelope_from, own_addresses or envelope_to, now, claim), now
    )


def take_in_headers(
    raw: bytes,
    *,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
) -> Mail:
    """Store the headers of a message that is too large, and tell its sender.

    For transports that cannot refuse a message as an LMTP server does. Arguments as for `take_in`.
    """
    claim = secrets.token_hex(16)
    return _deal_at_once(queue.keep_headers(raw, way, envelope_from, envelope_to, now, claim), now)


def _deal_at_once(stored: queue.StoredMail, now: datetime) -> Mail:
    """Handle a message that was just stored. Log failures; the tick tries again."""
    mail, fresh, reply = stored
    try:
        if fresh is not None:
            _deal(fresh.pk, fresh.claim, now, fresh, reply)
        elif token := queue.claim_one(mail.pk, now):
            handle_mail(Handling.objects.only("pk").get(mail=mail).pk, token, now)
    except Exception:
        logger.exception("mail %s was stored and could not be read at once", mail.pk)
    return mail


def handle_mail(handling: int, token: str, now: datetime) -> None:
    """Handle one claimed message in one transaction.

    After a failure it is tried again later; after settings.MAIL_TRIES attempts it is given up and
    the gamesmaster and the sender are told.
    """
    waiting = Handling.objects.filter(due_at__isnull=False)
    # Count an attempt when it begins, so that a message that kills its worker is given up too.
    own_token, claimed = waiting.take_over([handling], token, now, attempts=F("attempts") + 1)
    if claimed:
        _deal(handling, own_token, now)


def _deal(
    handling: int,
    token: str,
    now: datetime,
    fresh: Handling | None = None,
    reply: ReplyAddress | None = None,
) -> None:
    """Handle a message once; the attempt has been counted.

    `fresh` is the row as just inserted: under this lease nobody else has changed it.
    """
    try:
        proof = None
        if settings.MAIL_TRUST == "dkim":
            mail = fresh.mail if fresh else Mail.objects.get(handling=handling)
            proof = parsed.ask_beforehand(mail)
        with transaction.atomic():
            # Lock the row until the end of the transaction, so that nobody else answers this
            # message.
            claimed_rows = Handling.objects.filter(pk=handling, claim=token, due_at__isnull=False)
            if claimed_rows.update(claim=token) != 1:
                return
            row = fresh or Handling.objects.select_related("mail", "game", "person").get(
                pk=handling
            )
            if row.attempts > settings.MAIL_TRIES:
                raise RuntimeError("Every attempt to read it was interrupted.")
            decide(row, now, reply, proof)
            if row.due_at is None or row.due_at <= now:
                queue.finish(row, now)
            else:  # postponed by a limit; this is no failed attempt
                row.attempts, row.claim, row.claimed_until = 0, "", None
                row.save()
    except Exception as error:
        logger.exception("mail of handling %s could not be read", handling)
        _handle_failure(handling, token, f"{type(error).__name__}: {error}", now)


def _handle_failure(handling: int, token: str, fault: str, now: datetime) -> None:
    """Postpone a message, or give it up and tell the gamesmasters and the sender."""
    with transaction.atomic():
        rows = Handling.objects.select_related("mail", "game", "person")
        row = rows.filter(pk=handling, claim=token).first()
        if row is None:
            return
        row.fault, row.claim, row.claimed_until = queue.storable(fault)[:2000], "", None
        if row.attempts < settings.MAIL_TRIES:
            wait = queue.RETRY_MINUTES[min(row.attempts, len(queue.RETRY_MINUTES)) - 1]
            row.due_at = now + timedelta(minutes=wait)
            row.save()
            return
        row.status, row.words = Handling.Status.FAILED, "It could not be read."
        row.due_at, row.handled_at = None, now
        row.answer = _give_up(row, now)
        row.save()


def _give_up(row: Handling, now: datetime) -> Letter | None:
    """Tell the gamesmasters and the sender that a message could not be read. Return the letter."""
    reply = parsed.reply_of(row)
    if reply is None:
        return None
    row.game, row.person = reply.game, reply.person
    reply_letters.report_failed_mail(row, reply.game, now)
    return reply_letters.word(
        f"mail-{row.mail_id}/failed",
        reply.person,
        reply.game,
        now,
        heading="Your message could not be read",
        sentences=[
            "Your message arrived and is stored, but the service tried to read it several times"
            " and failed.",
            (
                "It changed nothing. The gamesmaster was informed. You can send your orders on"
                " the page of the game."
            ),
        ],
        answers=row.mail.message_id,
    )
