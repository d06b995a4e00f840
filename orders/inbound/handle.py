"""What becomes of one message: whose it is, of which game, whether it proves that, and then it is
obeyed and answered once.

Nothing is obeyed on the strength of From alone: a message comes to the reader's own address of a
game (games.accounts.tokens), from an address of his that is on file, and is proven as the setting
demands. What falls short is held for the gamesmaster or confirmed by a link that goes to the
player's first address, never to the stranger. Everything here happens in the transaction of
`intake.handle`.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from games import permissions
from games.accounts import addresses
from games.models import Letter, ReplyAddress
from games.outbox.messages import inbound as messages_inbound
from orders.inbound import parsed, queue, respond
from orders.inbound.identity import offers
from orders.models import Handling, Mail

from . import bounces
from .identity import consent, limits, trust

logger = logging.getLogger(__name__)

Status = Handling.Status


def decide(
    row: Handling,
    now: datetime,
    reply: ReplyAddress | None = None,
    proof: trust.Trust | None = None,
) -> None:
    """Deals with a message and leaves in its row what was done and why; the caller saves it.

    `reply` is the address that it came to, where that has been looked up a moment ago; `proof` is
    what `ask_beforehand` gave.
    """
    if row.status == Status.UNCONFIRMED:
        row.status, row.words = Status.REFUSED, "The sender never confirmed it."
        return
    reply = reply or parsed.reply_of(row)
    game = reply.game if reply else None
    if game is not None:
        # Asked for again and again: whose nations are read, which state it is.
        permissions.load_seats(game)
    found = parsed.parse_mail(row, game, proof, reply.person if reply else None)
    message = found.message
    row.sender = message.from_.address[:254].replace("\0", "")
    too_large = row.kind == queue.TOO_LARGE
    row.kind = queue.TOO_LARGE if too_large else message.kind
    if message.bounce is not None:
        row.status, row.words = Status.IGNORED, bounces.note(message.bounce, row.mail, now)
    elif message.auto:
        respond.ignore(row, f"A program wrote it: {message.auto}.")
        if (
            reply is not None
            and respond.mutes_only(found.script) is True
            and not respond.from_us(message)
        ):
            respond.mute_silently(row, reply, now)
    elif reply is not None and respond.names_several(message, reply.person):
        respond.ask_for_one_sender(row, reply, now)
    elif not row.sender:
        respond.ignore(row, "It names no sender, or several.")
    elif too_large:
        respond.refuse_large(row, reply, now)
    elif (asked := offers.find(row)) is not None:
        consent.decide(row, found, asked, now)
    elif reply is None:
        _without_key(row, found, now)
    elif not reply.person.is_active:
        respond.ignore(row, "The account is closed.")
    else:
        row.game, row.person = reply.game, reply.person
        respond.with_key(row, found, reply.game, reply.person, now)


# --- to the address of everybody ---


def _without_key(row: Handling, found: parsed.ParsedMail, now: datetime) -> None:
    """Mail to no reader's own address. Obeyed if it is proven whose it is, and he plays in one game
    alone; else answered once a day."""
    people = addresses.people_at(row.sender)
    if not people:
        respond.ignore(row, "Nobody here has this address, and it arrived at no reply address.")
        return
    games = [(person, game) for person in people for game in addresses.running_games(person)]
    proven = found.proof.ok and found.proof.how != "address"
    if len(games) == 1 and proven:
        row.person, row.game = games[0]
        # Once more, for now the nations are known.
        found = parsed.parse_mail(row, row.game, found.proof)
        respond.with_key(row, found, row.game, row.person, now)
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
    row.answer = messages_inbound.word(
        f"lost-{now:%Y%m%d}/person-{person.pk}",
        person,
        None,
        now,
        heading="We cannot tell which game your message is about",
        sentences=[*sentences, "We answer no more messages like it today."],
        links=[("Your games", f"{settings.SITE_URL}/")],
        answers=row.mail.message_id,
    )


# --- asking for no more letters ---


#: So many addresses of one message are looked at.
MOST_AT_ONCE = 50


def take_in(
    raw: bytes,
    *,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
) -> Mail:
    """What every way in calls: store a message and deals with it at once, so that its answer comes
    within seconds.

    Raises `TooLarge`, and whatever the database raises while it is stored: then the way in must be
    handed it once more. What fails after that is the service's own matter: the tick tries again.

    A message to several readers' own addresses is one for each of them, as where a mail server
    hands it in for each. Gives the first.
    """
    own = [address for address in envelope_to or queue.own_addresses(raw) if queue.key_in(address)]
    if len(own) > 1:
        kept = [
            take_in(raw, way=way, envelope_from=envelope_from, envelope_to=[address], now=now)
            for address in own[:MOST_AT_ONCE]
        ]
        return kept[0]
    claim = secrets.token_hex(16)
    return _deal_at_once(queue.keep(raw, way, envelope_from, own or envelope_to, now, claim), now)


def take_in_headers(
    raw: bytes,
    *,
    way: Mail.Way | str,
    envelope_from: str | None,
    envelope_to: Sequence[str],
    now: datetime,
) -> Mail:
    """Store the headers of a message that is too large, and tell its sender that nothing was taken.

    For ways in that cannot refuse a message as an LMTP server does. Arguments as of `take_in`.
    """
    claim = secrets.token_hex(16)
    return _deal_at_once(queue.keep_headers(raw, way, envelope_from, envelope_to, now, claim), now)


def _deal_at_once(kept: queue.Kept, now: datetime) -> Mail:
    mail, fresh, reply = kept
    try:
        if fresh is not None:
            _deal(fresh.pk, fresh.claim, now, fresh, reply)
        elif token := queue.claim_one(mail.pk, now):
            handle_mail(Handling.objects.only("pk").get(mail=mail).pk, token, now)
    except Exception:
        logger.exception("mail %s was stored and could not be read at once", mail.pk)
    return mail


def handle_mail(handling: int, token: str, now: datetime) -> None:
    """Deals with one claimed message, to its end, in one transaction. A failure puts it off; after
    some it is given up and told."""
    waiting = Handling.objects.filter(due_at__isnull=False)
    # A try counts from its beginning: a message that kills its worker is given up too.
    own, mine = waiting.take_over([handling], token, now, attempts=F("attempts") + 1)
    if mine:
        _deal(handling, own, now)


def _deal(
    handling: int,
    token: str,
    now: datetime,
    fresh: Handling | None = None,
    reply: ReplyAddress | None = None,
) -> None:
    """One try, which has been counted. `fresh` is the row as it was written a moment ago: under
    this lease nobody has changed it."""
    try:
        proof = None
        if settings.MAIL_TRUST == "dkim":
            mail = fresh.mail if fresh else Mail.objects.get(handling=handling)
            proof = parsed.ask_beforehand(mail)
        with transaction.atomic():
            # Once more, and now to the end of the transaction: the row is taken, and nobody else
            # answers this message.
            held = Handling.objects.filter(pk=handling, claim=token, due_at__isnull=False)
            if held.update(claim=token) != 1:
                return
            row = fresh or Handling.objects.select_related("mail", "game", "person").get(
                pk=handling
            )
            if row.attempts > settings.MAIL_TRIES:
                raise RuntimeError("Every attempt to read it was interrupted.")
            decide(row, now, reply, proof)
            if row.due_at is None or row.due_at <= now:
                queue.finish(row, now)
            else:  # put off by a limit: no try
                row.attempts, row.claim, row.claimed_until = 0, "", None
                row.save()
    except Exception as error:
        logger.exception("mail of handling %s could not be read", handling)
        _handle_failure(handling, token, f"{type(error).__name__}: {error}", now)


def _handle_failure(handling: int, token: str, fault: str, now: datetime) -> None:
    """Put a message off, or give it up and tell gamesmasters and sender."""
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
    reply = parsed.reply_of(row)
    if reply is None:
        return None
    row.game, row.person = reply.game, reply.person
    messages_inbound.report_failed_mail(row, reply.game, now)
    return messages_inbound.word(
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
