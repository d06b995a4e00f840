"""Write letters about inbound mail: confirmation links, short answers, reports to gamesmasters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from games.base.links import link
from games.models import Address, Game, Invitation, Letter, Person, Phase
from games.outbox import rows
from games.outbox.outgoing import Outgoing

if TYPE_CHECKING:
    from orders.models import Handling

#: The letter that asks whether a message is for another player, or orders.
CHOICE = "choice"
_MESSAGE_ID = re.compile(r"<[^<>\s\x00-\x1f\x7f]{1,498}>")


def answering(letter: Letter, message_id: str) -> Letter:
    """Make the row an answer to a message, in the sender's thread.

    An invalid Message-ID is left out.
    """
    match = _MESSAGE_ID.fullmatch(message_id.strip())
    letter.in_reply_to = match[0] if match else ""
    return letter


def address(row: Address, now: datetime) -> None:
    """Send the link that confirms another address to that address. The text is never stored."""
    letter = rows.row(
        f"address-{row.pk}",
        "address",
        now,
        person=row.person,
        about={"address": row.pk},
        secret=True,
    )
    letter.address = row.email
    rows.write([letter])


def confirm(handling: Handling, person: Person, game: Game, now: datetime) -> Letter | None:
    """Ask a person, at their main address, to confirm mail in their name that has no proof of its
    sender.

    Following the link executes the mail. The text is never stored.
    """
    key = f"mail-{handling.mail_id}/confirm"
    letter = rows.row(
        key, "confirm", now, person=person, game=game, about={"handling": handling.pk}, secret=True
    )
    return _write(answering(letter, handling.mail.message_id))


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
        secret=True,
    )
    letter.address = to
    return _write(answering(letter, handling.mail.message_id))


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
) -> Letter | None:
    """Send a few sentences in answer to a person's message, once per key.

    `to`: the address they wrote from, if it is proven to be theirs.
    """
    if Letter.objects.filter(key=key).exists():
        return None
    about = {
        "heading": heading,
        "sentences": list(sentences),
        "links": [list(pair) for pair in links],
    }
    letter = answering(rows.row(key, "word", now, person=person, game=game, about=about), answers)
    letter.address = to or letter.address
    return _write(letter)


def report_decline(invitation: Invitation, now: datetime) -> None:
    """Tell the gamesmasters that an invited person declined; once per invitation."""
    event, about = f"declined-{invitation.pk}", {"invitation": invitation.pk}
    _write_to_gamesmasters(invitation.seat.game, "declined", event, now, about)


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


def report_bounces(
    letter: Letter, person: Person, count: int, first: Letter, now: datetime
) -> None:
    """Tell the gamesmasters that a player's letters bounce; once per series of bounces."""
    assert letter.game is not None
    game, event = letter.game, f"bouncing-{person.pk}-{first.pk}"
    about = {"person": person.pk, "letter": letter.pk, "count": count}
    with Outgoing([game]) as out:
        readers = [reader for reader in out.gamesmasters(game) if reader.person.pk != person.pk]
        out.write_to(readers, game, None, "bouncing", event, now, about)


def report_mute(person: Person, game: Game, now: datetime, *, silent: bool) -> None:
    """Tell the gamesmasters that a player muted the game or unmuted it."""
    event = f"{'muted' if silent else 'unmuted'}-{person.pk}-{now:%Y%m%d%H%M%S}"
    _write_to_gamesmasters(game, "muted", event, now, {"person": person.pk, "silent": silent})


def report_held_mail(handling: Handling, game: Game, now: datetime) -> None:
    """Tell the gamesmasters that mail waits for them; at most once an hour per game."""
    about = {"sender": handling.sender, "words": handling.words}
    _write_to_gamesmasters(game, "mailheld", f"mailheld-{now:%Y%m%d%H}", now, about)


def report_mail_set_aside(handling: Handling, game: Game, now: datetime) -> None:
    """Tell the gamesmasters that mail of a player was set aside; at most once a day per game."""
    about = {"sender": handling.sender, "words": handling.words}
    _write_to_gamesmasters(game, "mailaside", f"mailaside-{now:%Y%m%d}", now, about)


def report_failed_mail(handling: Handling, game: Game, now: datetime) -> None:
    """Tell the gamesmasters that a player's mail could not be handled."""
    about = {"sender": handling.sender, "person": handling.person_id, "fault": handling.fault}
    _write_to_gamesmasters(game, "mailfailed", f"mailfailed-{handling.mail_id}", now, about)


def _write_to_gamesmasters(
    game: Game, kind: str, event: str, now: datetime, about: dict[str, Any]
) -> None:
    with Outgoing([game]) as out:
        out.write_to_gamesmasters(game, None, kind, event, now, about)


def _write(letter: Letter) -> Letter | None:
    """Write a row and return it as saved, or the existing row with its key.

    Return None if it was dropped because it has no reader.
    """
    rows.write([letter])
    return Letter.objects.filter(key=letter.key).first()
