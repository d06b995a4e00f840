"""Letters between nations, and questions to the gamesmaster, as letters: who gets them, in which
thread, and what they say.

The people of a nation read its letters: those who sit there when one is sent get it, the writer's
own team a copy. Programs get none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from hashlib import sha256

from django.conf import settings

from games.models import Letter, Press, Seat
from games.outbox import rows

from . import facts, headers
from .facts import Facts

PRESS, QUESTION = "press", "question"
#: So many earlier letters of a circle are looked through for the one that a reader's own thread
# goes on from.
LOOKED_BACK = 40

# How the service speaks of these letters to third parties: neither who wrote to whom nor about
# what.
facts.NAMES |= {PRESS: "a letter between nations", QUESTION: "a question to the gamesmaster"}


def carry(press: Press, now: datetime) -> None:
    """One letter to everybody it is for, in the transaction that keeps it. The writer has no copy
    but his answer or his page."""
    readers: dict[int, rows.Reader] = {}
    for sitting in rows.sittings(press.game).filter(seat__in=_seats(press)):
        if press.person_id != sitting.person_id:
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


def _seats(press: Press) -> list[Seat]:
    """The seats whose people get the letter: those it goes to and the writer's own."""
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
    name = sha256("|".join(conversation(press)).encode()).hexdigest()[:12]
    return f"<game-{press.game_id}.circle-{name}@{settings.MAIL_DOMAIN}>"


def _key(press: Press) -> str:
    return f"{rows.place(press.game, press.phase)}/press-{press.number}"


def _earlier(press: Press) -> list[str]:
    """Keys of the newest letters of the same circle, so that a reader's mail program puts this one
    below the one he had last."""
    before = (
        Press.objects.filter(game=press.game, number__lt=press.number)
        .select_related("seat", "phase", "game")
        .order_by("-number")
    )
    circle = conversation(press)
    found: list[str] = []
    for other in before[:1000]:
        if conversation(other) == circle:
            found.append(_key(other))
            if len(found) == LOOKED_BACK:
                break
    return found


def conversation(press: Press) -> tuple[str, ...]:
    """The circle of a letter, in card order: nations, "the Gamesmaster", "all nations"; one of
    unsigned letters says so and not whose."""
    from games.press.conversations import ALL, GAMESMASTER, UNSIGNED

    if press.to_all:
        return (ALL,)
    nations = [
        seat.nation for seat in sorted(press.game.seats.all(), key=lambda seat: seat.ordinal)
    ]
    inside = {*press.to, *([press.seat.nation] if press.seat is not None and press.signed else [])}
    masters = [GAMESMASTER] if press.to_gamesmaster or press.seat is None else []
    return (
        *(nation for nation in nations if nation in inside),
        *masters,
        *([] if press.signed else [UNSIGNED]),
    )


# --- what they say ---


def _press(letter: Letter) -> Facts:
    from games.press import conversations as rules

    press = Press.objects.select_related("seat", "game", "person", "answers__seat").get(
        pk=letter.about["press"]
    )
    own = press.seat_id is not None and press.seat_id in letter.about["seats"]
    return {
        "number": press.number,
        "circle": _circle(press),
        "writer": rules.writer(press, known=own),
        "to": rules.goes_to(press),
        "own": own,
        "unsigned": not press.signed,
        "who": facts.who(press.person) if own else "",
        "sent": facts.told_at(letter, press.sent_at.replace(second=0, microsecond=0)),
        "lines": press.text.split("\n"),
        "answers": press.answers.number if press.answers else None,
        "asked": press.answers.text.split("\n") if press.answers else [],
        "by_mail": headers.answerable(letter),
        "reply_link": _link(letter, press),
    }


def _circle(press: Press) -> str:
    from games.press.conversations import ALL, UNSIGNED
    from games.rules.names import all_of

    circle = conversation(press)
    if press.to_all:
        return f"To {ALL}"
    named = [name for name in circle if name != UNSIGNED]
    return f"Unsigned, to {all_of(named)}" if UNSIGNED in circle else all_of(named)


def _link(letter: Letter, press: Press) -> str:
    if letter.kind == QUESTION:
        return f"{facts.link('questions', press.game_id)}#question-{press.number}"
    return f"{facts.link('press-write', press.game_id)}?answer={press.number}"


TELLERS: dict[str, Callable[[Letter], Facts]] = {PRESS: _press, QUESTION: _press}
