"""Write letters about inbound mail: confirmation links, short answers, reports to gamesmasters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from games.base.links import link
from games.models import Address, Game, Invitation, Letter, Person, Phase
from games.outbox import rows
from games.outbox.kinds import Kind
from games.outbox.outgoing import Outgoing

from .account_letters import INVITATION

if TYPE_CHECKING:
    from orders.models import Handling

_MESSAGE_ID = re.compile(r"<[^<>\s\x00-\x1f\x7f]{1,498}>")


def answering(letter: Letter, message_id: str) -> Letter:
    """Make the row an answer to a message, in the sender's thread.

    An invalid Message-ID is left out.
    """
    match = _MESSAGE_ID.fullmatch(message_id.strip())
    letter.in_reply_to = match[0] if match else ""
    return letter


ADDRESS = Kind(
    "address",
    "the letter that confirms an address",
    secret=True,
    to_muted=True,
    asks="a",
    replies="",
)


def address(row: Address, now: datetime) -> None:
    """Send the link that confirms another address to that address. The text is never stored."""
    letter = rows.row(
        f"address-{row.pk}",
        ADDRESS,
        now,
        person=row.person,
        about={"address": row.pk},
    )
    letter.address = row.email
    rows.write([letter])


CONFIRM = Kind(
    "confirm",
    "the letter that asks who wrote",
    secret=True,
    to_muted=True,
    answers=True,
    awaited=True,
    asks="c",
)


def confirm(handling: Handling, person: Person, game: Game, now: datetime) -> Letter | None:
    """Ask a person, at their main address, to confirm mail in their name that has no proof of its
    sender.

    Following the link executes the mail. The text is never stored.
    """
    key = f"mail-{handling.mail_id}/confirm"
    letter = rows.row(key, CONFIRM, now, person=person, game=game, about={"handling": handling.pk})
    return _write(answering(letter, handling.mail.message_id))


CHOICE = Kind(
    "choice",
    "the letter that asks what an answer is",
    secret=True,
    to_muted=True,
    answers=True,
    awaited=True,
    asks="c",
    of_phase=True,
)


def choice_key(handling: Handling) -> str:
    return f"mail-{handling.mail_id}/choice"


def ask_for_choice(
    handling: Handling,
    person: Person,
    game: Game,
    phase: Phase | None,
    about: dict[str, Any],
    now: datetime,
    *,
    to: str,
) -> Letter | None:
    """Ask a person, at address `to`, whether their message is a letter to another player, or
    orders. The text is never stored."""
    letter = rows.row(
        choice_key(handling),
        CHOICE,
        now,
        person=person,
        game=game,
        phase=phase,
        about=about,
    )
    letter.address = to
    return _write(answering(letter, handling.mail.message_id))


WORD = Kind("word", "the answer to a letter", to_muted=True, answers=True, awaited=True)


def word(
    key: str,
    person: Person,
    game: Game | None,
    now: datetime,
    *,
    heading: str,
    sentences: Sequence[str],
    links: Sequence[tuple[str, str]] = (),
    answers: str = "",
    to: str = "",
    asks: Invitation | Address | None = None,
) -> Letter | None:
    """Send a few sentences in answer to a person's message, once per key.

    `to`: the address they wrote from, if it is proven to be theirs. `asks`: what they may still say
    yes to, so that a reply to these sentences is one to the letter that asked them first.
    """
    if Letter.objects.filter(key=key).exists():
        return None
    about: dict[str, Any] = {
        "heading": heading,
        "sentences": list(sentences),
        "links": [list(pair) for pair in links],
    }
    if asks is not None:
        first = INVITATION if isinstance(asks, Invitation) else ADDRESS
        about |= {"asks": first.asks, first.id: asks.pk}
    letter = answering(rows.row(key, WORD, now, person=person, game=game, about=about), answers)
    letter.address = to or letter.address
    return _write(letter)


DECLINED = Kind("declined", "the letter about an invitation that was declined")


def report_decline(invitation: Invitation, now: datetime) -> None:
    """Tell the gamesmasters that an invited person declined; once per invitation."""
    event, about = f"declined-{invitation.pk}", {"invitation": invitation.pk}
    _write_to_gamesmasters(invitation.seat.game, DECLINED, event, now, about)


def confirm_mute(person: Person, game: Game, now: datetime) -> None:
    """Tell a person that a link or their mail program muted a game.

    Anybody who has the letter can use that link.
    """
    word(
        f"game-{game.pk}/silenced-{now:%Y%m%d%H%M%S}/person-{person.pk}",
        person,
        game,
        now,
        heading="You get no more letters of this game",
        sentences=[
            (
                "You or your mail program used the link that turns off letters. The gamesmaster has"
                " been notified."
            ),
            (
                "The game goes on, and so do its deadlines. To get letters again, send the one word"
                " UNMUTE, or use the page of the game."
            ),
        ],
        links=[("The game", link("game", game.pk))],
    )


BOUNCING = Kind("bouncing", "the letter about undelivered letters")


def report_bounces(
    letter: Letter, person: Person, count: int, first: Letter, now: datetime
) -> None:
    """Tell the gamesmasters that a player's letters bounce; once per series of bounces."""
    assert letter.game is not None
    game, event = letter.game, f"bouncing-{person.pk}-{first.pk}"
    about = {"person": person.pk, "letter": letter.pk, "count": count}
    with Outgoing([game]) as out:
        readers = [reader for reader in out.gamesmasters(game) if reader.person.pk != person.pk]
        out.write_to(readers, game, None, BOUNCING, event, now, about)


MUTED = Kind("muted", "the letter about muted letters")


def report_mute(person: Person, game: Game, now: datetime, *, silent: bool) -> None:
    """Tell the gamesmasters that a player muted the game or unmuted it."""
    event = f"{'muted' if silent else 'unmuted'}-{person.pk}-{now:%Y%m%d%H%M%S}"
    _write_to_gamesmasters(game, MUTED, event, now, {"person": person.pk, "silent": silent})


MAIL_HELD = Kind("mailheld", "the letter about messages on hold")


def report_held_mail(handling: Handling, game: Game, now: datetime) -> None:
    """Tell the gamesmasters that mail waits for them; at most once an hour per game."""
    about = {"sender": handling.sender, "words": handling.words}
    _write_to_gamesmasters(game, MAIL_HELD, f"mailheld-{now:%Y%m%d%H}", now, about)


MAIL_ASIDE = Kind("mailaside", "the letter about mail that was set aside")


def report_mail_set_aside(handling: Handling, game: Game, now: datetime) -> None:
    """Tell the gamesmasters that mail of a player was set aside; at most once a day per game."""
    about = {"sender": handling.sender, "words": handling.words}
    _write_to_gamesmasters(game, MAIL_ASIDE, f"mailaside-{now:%Y%m%d}", now, about)


MAIL_FAILED = Kind("mailfailed", "the letter about an unreadable message")


def report_failed_mail(handling: Handling, game: Game, now: datetime) -> None:
    """Tell the gamesmasters that a player's mail could not be handled."""
    about = {"sender": handling.sender, "person": handling.person_id, "fault": handling.fault}
    _write_to_gamesmasters(game, MAIL_FAILED, f"mailfailed-{handling.mail_id}", now, about)


def _write_to_gamesmasters(
    game: Game, kind: Kind, event: str, now: datetime, about: dict[str, Any]
) -> None:
    with Outgoing([game]) as out:
        out.write_to_gamesmasters(game, None, kind, event, now, about)


def _write(letter: Letter) -> Letter | None:
    """Write a row and return it as saved, or the existing row with its key.

    Return None if it was dropped because it has no reader.
    """
    rows.write([letter])
    return Letter.objects.filter(key=letter.key).first()
