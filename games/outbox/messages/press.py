"""Write press between nations, and questions to the gamesmaster, into the outbox."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

from django.conf import settings

from games.models import Block, Complaint, Letter, Person, Press, Seat
from games.outbox import rows
from games.press import circles

PRESS, QUESTION = "press", "question"


#: How many earlier letters of a circle are searched for the one that a reader's own thread
# goes on from.
LOOKED_BACK = 40


def carry(press: Press, now: datetime) -> None:
    """Write one letter to all its readers, in the transaction that stores it.

    The writer gets no copy, but an answer or the page.
    """
    readers: dict[int, rows.Reader] = {}
    blocking = (
        set(Block.objects.filter(blocked=press.person_id).values_list("person", flat=True))
        if press.seat_id is not None
        else set()
    )
    for sitting in rows.sittings(press.game).filter(seat__in=_seats(press)):
        if sitting.person_id not in {press.person_id, *blocking}:
            readers.setdefault(sitting.person_id, rows.Reader(sitting.person)).seats.append(
                sitting.seat_id
            )
    asked = (
        [reader for reader in rows.gamesmasters(press.game) if reader.person.pk != press.person_id]
        if press.to_gamesmaster
        else []
    )
    earlier = _earlier(press)
    letters = [_row(press, PRESS, reader, earlier, now) for reader in readers.values()]
    letters += [
        _row(press, QUESTION, reader, earlier, now)
        for reader in asked
        if reader.person.pk not in readers
    ]
    rows.write(letters)


def reported(complaint: Complaint, readers: Iterable[Person], now: datetime) -> None:
    """To those who hear of it: a reader has reported a letter. Once for each."""
    about = {"complaint": complaint.pk}
    key = f"complaint-{complaint.pk}/person-"
    rows.write([rows.row(f"{key}{one.pk}", "complaint", now, one, about=about) for one in readers])


def _seats(press: Press) -> list[Seat]:
    """Return the seats whose people get the letter: recipients and writer."""
    own = press.seat_id
    seats = list(press.game.seats.filter(bot=False))
    return [seat for seat in seats if press.to_all or seat.nation in press.to or seat.pk == own]


def _row(
    press: Press, kind: str, reader: rows.Reader, earlier: Iterable[str], now: datetime
) -> Letter:
    person = reader.person
    about = {"press": press.pk, "seats": reader.seats}
    letter = rows.row(
        f"{_key(press)}/person-{person.pk}",
        kind,
        now,
        person,
        game=press.game,
        phase=press.phase,
        about=about,
    )
    own = Letter.objects.filter(key__in=[f"{key}/person-{person.pk}" for key in earlier])
    letter.in_reply_to = own.order_by("-pk").values_list("message_id", flat=True).first() or _root(
        press
    )
    return letter


def _root(press: Press) -> str:
    """What the first letter of a circle refers to, so that the circle is a thread of its own and
    not a part of the game's."""
    name = sha256("|".join(circles.conversation(press)).encode()).hexdigest()[:12]
    return f"<game-{press.game_id}.circle-{name}@{settings.MAIL_DOMAIN}>"


def _key(press: Press) -> str:
    return f"{rows.place(press.game, press.phase)}/press-{press.code}"


def _earlier(press: Press) -> list[str]:
    """Keys of the newest letters of the same circle, so that a reader's mail program puts this one
    below the one he had last."""
    before = (
        Press.objects.filter(game=press.game, number__lt=press.number)
        .select_related("seat", "phase", "game")
        .order_by("-number")
    )
    circle = circles.conversation(press)
    found: list[str] = []
    for other in before[:1000]:
        if circles.conversation(other) == circle:
            found.append(_key(other))
            if len(found) == LOOKED_BACK:
                break
    return found
