"""Read answers to letters that ask for a yes, and seat people who accept invitations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import TypeVar

from django.conf import settings

from games import desk
from games.accounts import addresses, tokens
from games.base.links import link
from games.base.text import one_line
from games.models import Address, Game, Invitation, Person
from games.outbox.messages import reply_letters
from games.timing import schedule
from orders.inbound import queue
from orders.inbound.identity import limits
from orders.inbound.parsing.message import Message
from orders.inbound.parsing.quoting import own_words
from orders.inbound.replies import questions
from orders.models import Handling

#: What a word in an answer means.
Word = TypeVar("Word")
Asked = Invitation | Handling | Address


class Wish(Enum):
    """What an answer says."""

    YES = "yes"
    ALWAYS = "always"  # yes, and the sender's address is theirs
    NO = "no"


class Choice(Enum):
    """What a message is that answers another player's letter."""

    SEND = "send"  # a letter to that player
    ORDERS = "orders"


_WORDS = {
    **dict.fromkeys(("ACCEPT", "I ACCEPT", "ACCEPTED", "YES ACCEPT", "YES I ACCEPT"), Wish.YES),
    **dict.fromkeys(("YES", "YES PLEASE", "I WILL PLAY"), Wish.YES),
    **dict.fromkeys(("CONFIRM", "I CONFIRM", "CONFIRMED"), Wish.YES),
    **dict.fromkeys(("YES CONFIRM", "YES I CONFIRM"), Wish.YES),
    **dict.fromkeys(("CONFIRM ALWAYS", "ALWAYS"), Wish.ALWAYS),
    **dict.fromkeys(
        ("DECLINE", "I DECLINE", "NO", "NO THANKS", "NO THANK YOU", "NO I DECLINE", "NOT MINE"),
        Wish.NO,
    ),
}


_CHOICES = {
    **dict.fromkeys(("SEND", "SEND IT", "SEND THIS", "YES SEND", "YES SEND IT"), Choice.SEND),
    **dict.fromkeys(("ORDERS", "MY ORDERS", "THESE ARE MY ORDERS"), Choice.ORDERS),
}


def wish_in(message: Message) -> Wish | None:
    """Return the wish in the sender's own words, or in the subject of a message without words.

    The wish must be alone on its line. Return None if no line says one, or if they contradict each
    other.
    """
    return _meaning(message, _WORDS)


def choice_in(message: Message) -> Choice | None:
    """Return the choice in the sender's own words, under the same conditions as a wish."""
    return _meaning(message, _CHOICES)


def _meaning(message: Message, meanings: Mapping[str, Word]) -> Word | None:
    lines = [line for line in own_words(message.text).text.split("\n") if line.strip()] or [
        message.subject
    ]
    meant = {
        meanings.get(" ".join(re.sub(r"[^A-Z]+", " ", line.upper()).split())) for line in lines[:40]
    } - {None}
    return meant.pop() if len(meant) == 1 else None


def find(row: Handling) -> Asked | None:
    """Return the question that a message answers, by the key in its address, or None."""
    for address in row.mail.envelope_to:
        token = queue.key_in(address)
        if (match := tokens.ASKING_KEY.fullmatch(token)) is None:
            continue
        question = _row(match[1], match[2])
        if question is not None and tokens.is_asking(token, match[1], question):
            return question
    return None


def _row(kind: str, code: str) -> Asked | None:
    match kind:
        case "i":
            return (
                Invitation.objects.select_related("seat__game", "invited_by")
                .filter(code=code)
                .first()
            )
        case "c":
            rows = Handling.objects.select_related("mail", "game", "person")
            return rows.filter(code=code).first()
    return Address.objects.select_related("person").filter(code=code).first()


def take_seat(
    row: Handling, message: Message, offer: Invitation, person: Person, now: datetime
) -> None:
    """Handle an answer to an invitation: seat the person, or report that they decline."""
    seat, game, wish = offer.seat, offer.seat.game, wish_in(message)
    row.status, row.kind = Handling.Status.DONE, "invitation"
    if wish is Wish.NO:
        reply_letters.report_decline(offer, now)
        sentences = [
            "We told the gamesmaster that you would rather not play. The invitation stays open"
            " until it is withdrawn; reply with the one word ACCEPT to take the seat after all."
        ]
        answer(row, now, f"You have declined the seat of {seat.nation}", sentences, asks=offer)
    elif offer.accepted_at is not None:
        why = f"This invitation to play {seat.nation} has been accepted before."
        answer(row, now, "The seat is taken", [why])
    elif not tokens.is_open(offer, now):
        answer(row, now, "The invitation no longer stands", [tokens.NO_LONGER])
    elif wish is None:
        sentences = [
            (
                f"Your answer to the invitation to play {seat.nation} has arrived, but no line of"
                " it says ACCEPT or DECLINE."
            ),
            (
                "Answer once more with the one word ACCEPT to take the seat, or DECLINE to tell the"
                " gamesmaster that you would rather not."
            ),
        ]
        answer(row, now, "Nothing changed", sentences, asks=offer)
    else:
        try:
            desk.accept(offer, person, now)
        except desk.DeskError as error:
            answer(row, now, "The seat could not be taken", [str(error)])
            return
        _take_name(person, message, row.sender, offer.name)
        person.show_times_in(game.zone)
        answer(row, now, f"You play {seat.nation}", _welcome_sentences(game, seat.nation, person))


def _take_name(person: Person, message: Message, sender: str, given: str) -> None:
    """Give a person without a name the name in From, or else the gamesmaster's.

    The answer tells them which name the others know.
    """
    own_name = one_line(message.from_.name)[: Person.LONGEST_NAME]
    if "@" in own_name or sender != person.email:
        own_name = ""
    if not person.name and (name := own_name or given):
        person.name = name
        person.save(update_fields=["name"])


def _welcome_sentences(game: Game, nation: str, person: Person) -> list[str]:
    phase = game.phases.current()
    if phase is None:
        begins = "The game begins" if game.starts_when_full else "The gamesmaster starts the game"
        deadline_sentence = (
            f"{begins} once every seat is taken: a letter then names the first deadline."
            f" Deadlines come {schedule.in_words(game.schedule, game.zone)}."
        )
    else:
        deadline_sentence = " ".join(questions.deadline(game, phase, person).paragraphs)
    name_sentence = (
        "The others learn who you are when the game is over."
        if game.anonymous
        else f"The others know you as “{person.name}”."
        if person.name
        else "The others see “a player without a name”. Choose a name on your page."
    )
    return [
        f"You play {nation} in “{one_line(game.title)}”. {name_sentence}",
        deadline_sentence,
        (
            "You can play by mail alone. To send orders, answer a letter of the game with one"
            " order per line; the letter that opens a phase shows how they are written."
        ),
        (
            "HELP, as an answer to any letter, tells what else can be written: BOARD shows the"
            " board, DEADLINE the time that is left, and PRESS TO with the name of a nation begins"
            " a letter to it."
        ),
    ]


def answer(
    row: Handling,
    now: datetime,
    heading: str,
    sentences: list[str],
    *,
    to: str = "",
    asks: Invitation | Address | None = None,
) -> None:
    """Answer once, at the sender's address if it is on file, otherwise at the first address.

    The key that the message came to is its proof. `asks`: what the person may still say yes to.
    """
    assert row.person is not None
    row.words = f"{heading}."
    on_file = addresses.belongs(row.person, row.sender)
    to = to or (row.sender if on_file else row.person.email)
    if not limits.may_answer(to, limits.TO_PROVEN, now):
        return
    links = (
        [("The game", link("game", row.game.pk))]
        if row.game is not None
        else [("Your games", f"{settings.SITE_URL}/")]
    )
    row.answer = reply_letters.word(
        f"mail-{row.mail_id}/consent",
        row.person,
        row.game,
        now,
        heading=heading,
        sentences=sentences,
        links=links,
        answers=row.mail.message_id,
        to=to,
        asks=asks,
    )
