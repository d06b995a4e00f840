"""Write letters about mail that came in: keys for it, short answers, and what the gamesmaster must
know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from games.models import Address, Game, Invitation, Letter, Person
from games.outbox import rows
from gamesmaster.links import link

if TYPE_CHECKING:
    from orders.models import Handling

_MESSAGE_ID = re.compile(r"<[^<>\s\x00-\x1f\x7f]{1,498}>")


def answering(letter: Letter, message_id: str) -> Letter:
    """The row as an answer to a message, in the sender's thread; what is no Message-ID is left
    out."""
    match = _MESSAGE_ID.fullmatch(message_id.strip())
    letter.in_reply_to = match[0] if match else ""
    return letter


def address(row: Address, now: datetime) -> None:
    """The link by which a further address is confirmed, to that address. The text is never kept."""
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
    """To the first address of a person: mail in his name has come that proves nothing. The link
    obeys it. The text is never kept."""
    key = f"mail-{handling.mail_id}/confirm"
    letter = rows.row(
        key, "confirm", now, person=person, game=game, about={"handling": handling.pk}, secret=True
    )
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
    """A few sentences to somebody who wrote. None where the same has been said under this key
    already.

    `to` is the address that he wrote from, where it is proven to be his.
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


def declined(invitation: Invitation, now: datetime) -> None:
    """To the gamesmasters: somebody would rather not play. Once for each invitation, which stands
    until it is withdrawn."""
    game, about = invitation.seat.game, {"invitation": invitation.pk}
    rows.to(
        rows.gamesmasters(game), game, None, "declined", f"declined-{invitation.pk}", now, about
    )


def silenced(person: Person, game: Game, now: datetime) -> None:
    """To somebody who gets no more letters of a game by a link, or by his mail program: whoever has
    a letter of his can do that."""
    word(
        f"game-{game.pk}/silenced-{now:%Y%m%d%H%M%S}/person-{person.pk}",
        person,
        game,
        now,
        heading="You get no more letters of this game",
        sentences=[
            (
                "It was asked for by the link of a letter to you, most likely by you or your mail"
                " program. The gamesmaster has been told."
            ),
            (
                "The game goes on, and so do its deadlines. To get letters again, send the one word"
                " UNMUTE, or use its page."
            ),
        ],
        links=[("The game", link("game", game.pk))],
    )


def bouncing(letter: Letter, person: Person, count: int, first: Letter, now: datetime) -> None:
    """To the gamesmasters: letters to somebody come back, and where else he may be reached. Once
    for each run of them."""
    assert letter.game is not None
    readers = [reader for reader in rows.gamesmasters(letter.game) if reader.person.pk != person.pk]
    about = {"person": person.pk, "letter": letter.pk, "count": count}
    rows.to(readers, letter.game, None, "bouncing", f"bouncing-{person.pk}-{first.pk}", now, about)


def muted(person: Person, game: Game, now: datetime, *, silent: bool) -> None:
    """To the gamesmasters: somebody wants no more letters of the game, or wants them again."""
    event = f"{'muted' if silent else 'unmuted'}-{person.pk}-{now:%Y%m%d%H%M%S}"
    rows.to(
        rows.gamesmasters(game),
        game,
        None,
        "muted",
        event,
        now,
        {"person": person.pk, "silent": silent},
    )


def mail_held(handling: Handling, game: Game, now: datetime) -> None:
    """To the gamesmasters: mail waits for them. Once an hour at most for each game."""
    about = {"sender": handling.sender, "words": handling.words}
    rows.to(rows.gamesmasters(game), game, None, "mailheld", f"mailheld-{now:%Y%m%d%H}", now, about)


def mail_failed(handling: Handling, game: Game, now: datetime) -> None:
    """To the gamesmasters: a letter of a player has come in that could not be dealt with."""
    about = {"sender": handling.sender, "person": handling.person_id, "fault": handling.fault}
    rows.to(
        rows.gamesmasters(game),
        game,
        None,
        "mailfailed",
        f"mailfailed-{handling.mail_id}",
        now,
        about,
    )


def _write(letter: Letter) -> Letter | None:
    """Written, and with its number: an equal row that stands already is the one that counts. None
    where nobody could read it."""
    rows.write([letter])
    return Letter.objects.filter(key=letter.key).first()
