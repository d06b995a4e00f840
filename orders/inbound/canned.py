"""Canned answers, as one table: what becomes of a message that is not obeyed, and what is said.

Each is written once for its key. Answers about what was confirmed are in
orders.inbound.identity.offers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings

from games.base.links import link
from games.models import Seat
from games.outbox.messages import reply_letters
from games.positions import in_force
from games.rules.plain.sentences import is_of_orders
from orders.inbound.identity import limits
from orders.inbound.parsing.commands import Script
from orders.models import Handling

Status = Handling.Status
_YOUR_GAMES = "Your games"


@dataclass(frozen=True)
class CannedAnswer:
    """A row of the table: what is recorded about a message, and what its sender is told.

    Texts name fields in braces. `give` fills in its own and those that its caller adds; in `words`
    it fills in the caller's, and {words}: what the row said before.
    """

    key: str  # the letter's, which is written once
    heading: str
    sentences: tuple[str, ...]
    words: str = ""  # for the log; "": those that the row has
    status: Status = Status.DONE
    kind: str = ""  # `Handling.kind`; "": the one that the row has
    link: str = "The game"  # the text of the link to the game; "": no link
    limited: bool = True  # not written to an address that has had too many answers
    threaded: bool = True  # in the thread of the message


NO_ADDRESS = CannedAnswer(
    "lost-{day}/person-{person}",
    "We cannot tell which game your message is about",
    (
        "Your message arrived, but not at your own reply address, so we cannot tell which game it"
        " is about.",
        "Reply to a letter of the game instead: your mail program then writes to the right"
        " address.",
        "We answer no more messages like it today.",
    ),
    words="It arrived at no reply address, without proof of its game and player.",
    kind="no address",
    link=_YOUR_GAMES,
    limited=False,
)
NO_GAME = replace(
    NO_ADDRESS,
    sentences=(
        "Your message arrived, but you play in no running game, so it changed nothing.",
        NO_ADDRESS.sentences[-1],
    ),
)
UNREADABLE = CannedAnswer(
    "mail-{mail}/failed",
    "Your message could not be read",
    (
        "Your message arrived and is stored, but the service tried to read it several times and"
        " failed.",
        "It changed nothing. The gamesmaster was informed. You can send your orders on the page of"
        " the game.",
    ),
    words="It could not be read.",
    status=Status.FAILED,
    link="",
    limited=False,
)
TOO_LARGE = CannedAnswer(
    "mail-{mail}/too-large",
    "Your message was too large",
    (
        "Your message was larger than {largest} kB, so we did not read it.",
        "If you sent orders, send them again as plain text, without pictures or other attachments.",
    ),
    words="The message was too large; only its headers are stored.",
    status=Status.REFUSED,
)
SEVERAL_SENDERS = CannedAnswer(
    "mail-{mail}/several",
    "We did not read a message with several senders",
    (
        "A message to your address names several senders, so we did not read it. If you wrote it,"
        " send it again with one address in From.",
    ),
    words="It names several senders, without proof of which one wrote it.",
    status=Status.REFUSED,
    kind="several senders",
)
NOT_THEIRS = CannedAnswer(
    "mail-{mail}/not-yours",
    "You wrote to an address that is not yours",
    (
        "Your message went to the address of another player of this game. It changed nothing, and"
        " the other player did not get it.",
        "Reply to this letter, or to any other that you got: your mail program then writes to your"
        " own address. If you sent orders, send them again.",
    ),
    words="It arrived at another player's address; its sender was informed.",
    kind="another's address",
)
HELD = CannedAnswer(
    "mail-{mail}/held",
    "Mail in your name waits for the gamesmaster",
    (
        "Mail in your name arrived from “{sender}”. {words}",
        "It counts only if the gamesmaster accepts it. To be sure of your orders, send them on the"
        " page.",
    ),
    status=Status.HELD,
)
NOT_LET_IN = CannedAnswer(
    "mail-{mail}/refused",
    "A letter in your name was not let in",
    (
        "A letter in your name came from “{sender}” and did not prove that it was yours.",
        "The gamesmaster did not accept it, so it changed nothing. If you wrote it, send it from"
        " your address on file.",
    ),
    words="Not let in by the gamesmaster. {words}",
    status=Status.REFUSED,
    link="",
    limited=False,
)
GAME_OVER = CannedAnswer(
    "game-{game}/over-mail/person-{person}",
    "The game is over",
    (
        "Your message arrived, but the game is over: it changed nothing. BOARD, STATUS, HISTORY 2"
        " and PROOF are still answered.",
    ),
    words="The game is over.",
    kind="too late",
    link="How it ended",
    limited=False,
)
NO_PART = CannedAnswer(
    "game-{game}/no-part-{day}/person-{person}",
    "You have no seat in this game any more",
    ("Your message arrived, but you do not play in this game now: it changed nothing.",),
    words="The sender has no seat in the game any more.",
    kind="no part",
    link="",
    limited=False,
)
NO_ORDER = CannedAnswer(
    "game-{game}/no-order-{day}/person-{person}",
    "Your message contains no order",
    (
        "No line of your message looks like an order or a command, so nothing changed; HELP as the"
        " only word of a message lists what you can write.",
    ),
    words="No line of it looks like an order or a command.",
    kind="no order",
)
STILL_ASKED = CannedAnswer(
    "game-{game}/still-asked-{day}/person-{person}",
    "Your orders still wait for YES",
    (
        "No line of your message looks like an order or a command, so nothing changed: orders of"
        " yours are in doubt. Reply with the one word YES to send them as we read them, or CANCEL"
        " to withdraw them, or send them again.",
    ),
    words="No line of it looks like an order or a command; orders in doubt wait for YES.",
    kind="no order",
)
#: It answers “I withdraw my orders” also where chat was answered on that day.
STILL_STANDS = CannedAnswer(
    "game-{game}/still-stands-{day}/person-{person}",
    "Your orders stand",
    (
        "No line of your message looks like an order or a command, so nothing changed: the orders"
        " that you sent before stand. Reply with {cancel} to take them back, or with all orders"
        " that you want; ORDERS as the only word shows what stands.",
    ),
    words="No line of it looks like an order or a command; orders sent before stand.",
    kind="no order",
)
_MUTED = (
    "You get no more letters of this game: no reports and no reminders, only answers to your own"
    " mail."
)
MUTED = CannedAnswer(
    "mail-{mail}/mute",
    "No more letters of this game",
    (
        _MUTED,
        "The game and its deadlines go on. The gamesmaster was informed.",
        "To get letters again, reply with the one word UNMUTE.",
    ),
    words=_MUTED,
    kind="mute",
)
_UNMUTED = "You get letters of this game again. The page of the game has what you missed."
UNMUTED = CannedAnswer(
    MUTED.key, "You get letters of this game again", (_UNMUTED,), words=_UNMUTED, kind="mute"
)
NOT_MUTED = CannedAnswer(
    MUTED.key, "You still get the letters of this game", ("{why}",), words="{why}", kind="mute"
)
#: In place of the answer to a message that was obeyed, at most once an hour.
ENOUGH_ANSWERS = CannedAnswer(
    "game-{game}/enough-{hour}/person-{person}",
    "Your letters are read, but not answered one by one",
    (
        "You have had {most} answers within an hour.",
        "What you send is read and counts as before, but for the next hour not every letter is"
        " answered.",
        "What stands for you is on the page of the game at any time; and an hour from now a letter"
        " that says ORDERS asks for it.",
    ),
    link="",
    limited=False,
    threaded=False,
)


def ignore(row: Handling, why: str) -> None:
    """Record that a message is not answered, and why."""
    row.status, row.words = Status.IGNORED, why


def record(row: Handling, answer: CannedAnswer, **facts: str) -> None:
    """Record what a message comes to, without a letter; the caller saves the row."""
    row.status, row.kind = answer.status, answer.kind or row.kind
    row.words = answer.words.format(words=row.words, **facts) or row.words


def give_no_order(
    row: Handling, seats: Sequence[Seat], script: Script, now: datetime, *, to: str
) -> None:
    """Answer a message without orders: “Ok” is no YES to orders in doubt, and “Scrap what I sent”
    no CANCEL."""
    game, person = row.game, row.person
    assert game is not None
    assert person is not None
    phase = game.phases.current()
    answer, cancel = NO_ORDER, "the one word CANCEL"
    if phase is not None and any(in_force.open_question(seat, phase, person) for seat in seats):
        answer = STILL_ASKED
    elif phase is not None and any(is_of_orders(line.text) for line in script.lines):
        standing = [seat.nation for seat in seats if in_force.submission_in_force(seat, phase)]
        if standing:
            answer = STILL_STANDS
        if standing and len(seats) > 1:  # CANCEL needs a heading
            cancel = f"the lines FOR {standing[0]} and CANCEL"
    give(row, answer, now, to=to, cancel=cancel)


def give(
    row: Handling,
    answer: CannedAnswer,
    now: datetime,
    *,
    to: str = "",
    proven: bool = False,
    **facts: str,
) -> None:
    """Record what a message comes to, and tell the row's person, about the row's game if any.

    The letter goes to address `to`, by default to their first. `proven`: they wrote the message,
    so the limit is that of answers to it. The caller saves the row.
    """
    person, game = row.person, row.game
    assert person is not None
    reason = row.words
    record(row, answer, **facts)
    kinds = limits.TO_PROVEN if proven else limits.TO_ANYBODY
    if answer.limited and not limits.may_answer(to or person.email, kinds, now):
        return
    fields: dict[str, object] = {
        "mail": row.mail_id,
        "game": row.game_id,
        "person": person.pk,
        "day": f"{now:%Y%m%d}",
        "hour": f"{now:%Y%m%d%H}",
        "sender": row.sender,
        "words": reason,
        "largest": f"{settings.MAIL_LARGEST // 1000:,}",
        "most": settings.MAIL_ANSWERS_AN_HOUR,
        **facts,
    }
    url = f"{settings.SITE_URL}/" if answer.link == _YOUR_GAMES else ""
    url = url or (link("game", game.pk) if game is not None and answer.link else "")
    row.answer = reply_letters.word(
        answer.key.format(**fields),
        person,
        game,
        now,
        heading=answer.heading,
        sentences=[sentence.format(**fields) for sentence in answer.sentences],
        links=[(answer.link, url)] if url else [],
        answers=row.mail.message_id if answer.threaded else "",
        to=to,
    )
