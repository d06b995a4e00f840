"""The headers of a letter: its thread, where it is answered to, how it is stopped, and where it
comes back to."""

from __future__ import annotations

import re
from datetime import datetime
from email.utils import format_datetime, parseaddr
from typing import Any

from django.conf import settings
from django.urls import reverse

from games.accounts import tokens
from games.models import Address, Game, Invitation, Letter
from orders.models import Handling

from .context import Batch

#: Letters that answer somebody's own (RFC 3834, 5): the rest the service writes unasked.
ANSWERS = ("answer", "word", "confirm")
#: Letters that hold keys are not for a thread of a game, and are answered to with no orders.
KEYS = ("login", "invitation", "runs", "address")
#: Letters that ask for a yes: an answer that says so counts as the button of their link. With the
# first sign of their keys.
ASKS = {"invitation": "i", "confirm": "c", "address": "a"}
#: Letters between nations have a thread for each circle of nations (games.letters.press), apart
# from the game's.
OWN_THREADS = ("press", "question", "proposal", "proposal_answer")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]+")


def safe(value: str) -> str:
    """A value that can begin no header of its own, whatever somebody has managed to write into
    it."""
    return _CONTROL.sub(" ", value).strip()


def answerable(letter: Letter) -> bool:
    """Whether the reader may answer by mail: the letter is one to a person about a game, and mail
    comes in."""
    return bool(
        settings.MAIL_IN and letter.person_id and letter.game_id and letter.kind not in KEYS
    )


def asks(letter: Letter) -> bool:
    """Whether the letter asks for a yes that may come by mail."""
    return bool(settings.MAIL_IN and letter.kind in ASKS)


def _asked(letter: Letter) -> Any:
    """The row that a letter which asks for a yes is about."""
    match letter.kind:
        case "invitation":
            return Invitation.objects.get(pk=letter.about["invitation"])
        case "address":
            return Address.objects.get(pk=letter.about["address"])
    return Handling.objects.only("nonce").get(pk=letter.about["handling"])


def reply_to(letter: Letter, now: datetime, batch: Batch | None = None) -> str:
    """Where an answer goes: the reader's own address of the game, else the one address of the
    service. `batch` holds the rows of letters that are sent together."""
    if asks(letter):
        return tokens.plus(
            settings.MAIL_REPLY, tokens.asking_token(ASKS[letter.kind], _asked(letter))
        )
    if answerable(letter):
        assert letter.person is not None
        assert letter.game is not None
        addresses = (batch or Batch.of([letter])).reply_addresses
        known = addresses.get((letter.game.pk, letter.person.pk))
        return tokens.reply_address(letter.person, letter.game, now, known)
    return str(getattr(settings, "REPLY_TO", settings.DEFAULT_FROM_EMAIL))


def envelope_sender(letter: Letter) -> str:
    """The address that the letter is returned to: one of its own where that is set (VERP), else the
    From address."""
    if not settings.MAIL_BOUNCES:
        return str(settings.DEFAULT_FROM_EMAIL)
    return tokens.plus(settings.MAIL_BOUNCES, tokens.bounce_token(letter))


def headers_of(letter: Letter, answered_to: str, batch: Batch | None = None) -> dict[str, str]:
    """Every header but subject and addresses. `answered_to` is what `reply_to` gave."""
    headers = {
        "Message-ID": letter.message_id,
        "Date": format_datetime(letter.written_at),
        "From": safe(settings.DEFAULT_FROM_EMAIL),
        "Auto-Submitted": "auto-replied" if letter.kind in ANSWERS else "auto-generated",
        "X-Auto-Response-Suppress": "All",
    }
    thread = (
        [_thread(letter, letter.game)]
        if letter.game is not None and letter.kind not in OWN_THREADS
        else []
    )
    if answered := safe(letter.in_reply_to):
        headers["In-Reply-To"] = answered
        thread.append(answered)
    elif thread:
        headers["In-Reply-To"] = thread[0]
    if thread:
        headers["References"] = " ".join(thread)
    return headers | _unsubscribing(letter, answered_to, batch or Batch.of([letter]))


def _thread(letter: Letter, game: Game) -> str:
    """Return the Message-ID that holds a reader's letters of a game, or of a phase, together. A
    report belongs to the phase that it opens."""
    phase = letter.about.get("next") or letter.phase_id
    if phase is not None and letter.person is not None and letter.person.thread_by_phase:
        return f"<phase-{phase}.{game.thread_id[1:]}"
    return game.thread_id


def _unsubscribing(letter: Letter, answered_to: str, batch: Batch) -> dict[str, str]:
    """By mail and by one click (RFC 2369, 8058). Not for keys, and not for who runs the game: it
    needs him."""
    if not answerable(letter) or letter.kind in ANSWERS:
        return {}
    assert letter.game is not None
    assert letter.person is not None
    place = letter.game.pk, letter.person.pk
    if place in batch.run:
        return {}
    # not of the batch where `reply_to` has just made it
    reply = batch.reply_addresses.get(place) or tokens.valid_reply(letter.person, letter.game)
    if reply is None:
        return {}
    page = f"{settings.SITE_URL}{reverse('mute', args=[letter.game_id, tokens.mute_token(reply)])}"
    return {
        "List-Unsubscribe": f"<mailto:{parseaddr(answered_to)[1]}?subject=MUTE>, <{page}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
