"""Mail headers of a letter: thread, reply address, unsubscribing, and bounce address."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from email.utils import format_datetime, parseaddr
from typing import Any

from django.conf import settings
from django.urls import reverse

from games.accounts import tokens
from games.models import Address, Game, Invitation, Letter
from games.outbox.messages import KINDS
from orders.models import Handling

from .context import Batch

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]+")


def remove_control_characters(value: str) -> str:
    """Remove control characters from a header value, so that user input cannot start another
    header."""
    return _CONTROL.sub(" ", value).strip()


def answerable(letter: Letter) -> bool:
    """Return whether the reader may reply by mail: inbound mail is on, and the letter is to a
    person who gets mail, and about a game."""
    return bool(
        settings.MAIL_IN
        and letter.person is not None
        and not letter.person.by_post
        and letter.game_id
        and KINDS[letter.kind].replies
    )


def asks(letter: Letter) -> bool:
    """Return whether the letter asks for a yes that may be sent by mail."""
    return bool(settings.MAIL_IN and _asks(letter))


def _asks(letter: Letter) -> str:
    """Return the first character of the token of a letter that asks, or asks again; else ""."""
    return KINDS[letter.kind].asks or str(letter.about.get("asks", ""))


def _row_to_confirm(letter: Letter) -> Any:
    match _asks(letter):
        case "i":
            return Invitation.objects.get(pk=letter.about["invitation"])
        case "a":
            return Address.objects.get(pk=letter.about["address"])
    return Handling.objects.only("nonce").get(pk=letter.about["handling"])


def reply_to(letter: Letter, now: datetime, batch: Batch | None = None) -> str:
    """Return the Reply-To address: the reader's own address for the game, else the service's.
    `batch` holds the rows of letters that are sent together."""
    if asks(letter):
        return tokens.plus(
            settings.MAIL_REPLY,
            tokens.asking_token(_asks(letter), _row_to_confirm(letter)),
        )
    if answerable(letter):
        assert letter.person is not None
        assert letter.game is not None
        addresses = (batch or Batch.for_letters([letter])).reply_addresses
        row = addresses.get((letter.game.pk, letter.person.pk))
        return tokens.reply_address(letter.person, letter.game, now, row)
    return str(getattr(settings, "REPLY_TO", settings.DEFAULT_FROM_EMAIL))


def make_reply_addresses(letters: Iterable[Letter], batch: Batch, now: datetime) -> None:
    """Create the addresses that readers get with the first of these letters about a game."""
    needed = {
        (letter.game.pk, letter.person.pk)
        for letter in letters
        if answerable(letter) and letter.game is not None and letter.person is not None
    }
    if missing := needed - batch.reply_addresses.keys():
        batch.reply_addresses.update(tokens.new_replies(missing, now))


def envelope_sender(letter: Letter) -> str:
    """Return the envelope sender: the letter's own address if bounces are configured (VERP), else
    the From address."""
    if not settings.MAIL_BOUNCES:
        return str(settings.DEFAULT_FROM_EMAIL)
    return tokens.plus(settings.MAIL_BOUNCES, tokens.bounce_token(letter))


def headers_of(letter: Letter, answered_to: str, batch: Batch | None = None) -> dict[str, str]:
    """Return all headers but subject and addresses. `answered_to` is the result of `reply_to`."""
    kind, batch = KINDS[letter.kind], batch or Batch.for_letters([letter])
    headers = {
        "Message-ID": letter.message_id,
        "Date": format_datetime(letter.written_at),
        "From": remove_control_characters(settings.DEFAULT_FROM_EMAIL),
        "Auto-Submitted": "auto-replied" if kind.answers else "auto-generated",
        # not “All”, which includes reports that a letter could not be delivered (MS-OXCMAIL)
        "X-Auto-Response-Suppress": "DR, RN, NRN, OOF, AutoReply",
    }
    thread = (
        [_thread(letter, letter.game, batch)]
        if letter.game is not None and not kind.between_people
        else []
    )
    if answered := remove_control_characters(letter.in_reply_to):
        headers["In-Reply-To"] = answered
        thread.append(answered)
    elif thread:
        headers["In-Reply-To"] = thread[0]
    if thread:
        headers["References"] = " ".join(thread)
    return headers | _unsubscribing(letter, answered_to, batch)


def _thread(letter: Letter, game: Game, batch: Batch) -> str:
    """Return the Message-ID that groups a reader's letters by game, or by phase. A report belongs
    to the phase that it opens."""
    phase = letter.about.get("next") or letter.phase_id
    if phase is not None and letter.person is not None and letter.person.thread_by_phase:
        return f"<phase-{batch.phases[phase].number}.{game.thread_id[1:]}"
    return game.thread_id


def _unsubscribing(letter: Letter, answered_to: str, batch: Batch) -> dict[str, str]:
    """Return headers to unsubscribe by mail and by one click (RFC 2369, 8058). None for letters
    with tokens, nor for gamesmasters, whom the game needs."""
    if not answerable(letter) or KINDS[letter.kind].answers:
        return {}
    assert letter.game is not None
    assert letter.person is not None
    place = letter.game.pk, letter.person.pk
    if place in batch.run:
        return {}
    reply = batch.reply_addresses.get(place)
    if reply is None:
        return {}
    page = f"{settings.SITE_URL}{reverse('mute', args=[letter.game_id, tokens.mute_token(reply)])}"
    return {
        "List-Unsubscribe": f"<mailto:{parseaddr(answered_to)[1]}?subject=MUTE>, <{page}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
