"""Write letters between nations and questions to the gamesmaster."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

from django.conf import settings

from games.models import Block, Complaint, Letter, Person, Press, Seat, Sitting
from games.outbox import rows
from games.outbox.kinds import Kind
from games.outbox.outgoing import Outgoing
from games.seats import press_rules

PRESS = Kind("press", "a letter between nations", between_people=True, replies="words")
QUESTION = Kind("question", "a question to the gamesmaster", between_people=True, replies="words")
COMPLAINT = Kind("complaint", "the letter about a reported letter")


#: How many earlier letters of a circle to search for the last one in a reader's thread.
LOOKED_BACK = 40
#: How many letters stay marked as unread for a person.
MOST_UNREAD = 200


def carry(press: Press, now: datetime) -> None:
    """Send a press letter to all its readers, in the transaction that stores it.

    The writer gets no copy: an answer or the page shows it.
    """
    # Unsigned letters reach everybody: one that does not would name its writer.
    blocks = Block.objects.in_effect(press.game).filter(blocked=press.person_id)
    named = press.seat_id is not None and press.signed
    blocking = set(blocks.values_list("person", flat=True)) if named else set()
    out, seats = Outgoing([press.game]), _seats(press)
    sittings = Sitting.objects.current().filter(seat__in=seats)
    unread = list(sittings.exclude(person__in={press.person_id, *blocking}))
    for sitting in unread:
        sitting.unread = [*sitting.unread, press.code][-MOST_UNREAD:]
    Sitting.objects.bulk_update(unread, ["unread"])
    players = [
        reader
        for reader in out.players(press.game, seats)
        if reader.person.pk not in {press.person_id, *blocking}
    ]
    reached = {press.person_id, *(reader.person.pk for reader in players)}
    gamesmasters = out.gamesmasters(press.game) if press.to_gamesmaster else []
    earlier = _earlier_keys(press)
    letters = [_row(press, PRESS, reader, earlier, now) for reader in players]
    letters += [
        _row(press, QUESTION, reader, earlier, now)
        for reader in gamesmasters
        if reader.person.pk not in reached
    ]
    rows.write(letters)


def report_complaint(complaint: Complaint, readers: Iterable[Person], now: datetime) -> None:
    """Tell these people, once each, that a reader has reported a letter."""
    about = {"complaint": complaint.pk}
    key = f"complaint-{complaint.pk}/person-"
    rows.write(
        [rows.row(f"{key}{reader.pk}", COMPLAINT, now, reader, about=about) for reader in readers]
    )


def _seats(press: Press) -> list[Seat]:
    """Return the seats whose people get the letter: recipients and writer's team."""
    writer_seat = press.seat_id
    seats = list(press.game.seats.filter(bot=False))
    return [
        seat for seat in seats if press.to_all or seat.nation in press.to or seat.pk == writer_seat
    ]


def _row(
    press: Press, kind: Kind, reader: rows.Reader, earlier: Iterable[str], now: datetime
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
    earlier_letters = Letter.objects.filter(
        key__in=[f"{key}/person-{person.pk}" for key in earlier]
    )
    newest = earlier_letters.order_by("-pk").only("code").first()
    letter.in_reply_to = newest.message_id if newest is not None else _root(press)
    return letter


def _root(press: Press) -> str:
    """Return the Message-ID that the first letter of a circle refers to, so that the circle is its
    own thread, separate from the game's."""
    name = sha256("|".join(press_rules.conversation(press)).encode()).hexdigest()[:12]
    return f"<game-{press.game_id}.circle-{name}@{settings.MAIL_DOMAIN}>"


def _key(press: Press) -> str:
    return f"{rows.place(press.game, press.phase)}/press-{press.code}"


def _earlier_keys(press: Press) -> list[str]:
    """Return the keys of the newest letters of the same circle, so that a reader's mail program
    places this letter below the last one they got."""
    before = (
        Press.objects.filter(game=press.game, number__lt=press.number)
        .select_related("seat", "phase", "game")
        .order_by("-number")
    )
    circle = press_rules.conversation(press)
    keys: list[str] = []
    for earlier_press in before[:1000]:
        if press_rules.conversation(earlier_press) == circle:
            keys.append(_key(earlier_press))
            if len(keys) == LOOKED_BACK:
                break
    return keys
