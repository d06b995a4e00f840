"""Answers to letters that ask for a yes: an invitation, a message that is to be confirmed, an
address that is to be confirmed.

Whoever has nothing but a mail program says by it what the button of the letter's link says. The
letter's reply address holds a key that only its reader has seen, so that the answer is proven as
the link is; it must come from the address that the letter went to all the same, for letters are
forwarded. Programs that answer by themselves have been sorted out before (deciding.decide).
"""

from __future__ import annotations

from datetime import datetime

from games.accounts import addresses
from games.desk import addresses as desk_addresses
from games.models import Address, Invitation, Person
from games.models.people import tidy_address
from games.outbox.messages import inbound as messages_inbound
from gamesmaster.text import one_line
from orders.inbound import respond
from orders.inbound.identity import offers
from orders.inbound.parsed import ParsedMail
from orders.models import Handling

from . import waiting

Status = Handling.Status


def decide(row: Handling, found: ParsedMail, asked: offers.Asked, now: datetime) -> None:
    """Deals with the answer to a letter that asked for a yes, and answers it once."""
    match asked:
        case Invitation():
            _to_invitation(row, found, asked, now)
        case Handling():
            _to_confirmation(row, found, asked, now)
        case Address():
            _to_address(row, found, asked, now)


# --- an invitation ---


def _to_invitation(row: Handling, found: ParsedMail, offer: Invitation, now: datetime) -> None:
    person, game = Person.objects.at(offer.email), offer.seat.game
    row.game, row.person = game, person
    if not person.is_active:
        row.status, row.words = Status.IGNORED, "The account is closed."
    elif addresses.belongs(person, row.sender):
        offers.take_seat(row, found.message, offer, person, now)
    else:
        respond.unproven(
            row, game, person, f"“{row.sender}” is not the address that was invited.", now
        )


# --- a message that waits for its sender ---


def _to_confirmation(row: Handling, found: ParsedMail, asked: Handling, now: datetime) -> None:
    """CONFIRM obeys the message that waits, NOT MINE disowns it. An answer that says neither is a
    letter to the game like another."""
    person, game = asked.person, asked.game
    if person is None or game is None or not person.is_active:
        row.status, row.words = Status.IGNORED, "The account is closed."
        return
    row.game, row.person = game, person
    wish = offers.wish_in(found.message)
    if wish is None:
        respond.with_key(row, found, game, person, now)
        return
    row.status, row.kind = Status.DONE, "confirmation"
    if not addresses.belongs(person, row.sender):
        why = "A letter is confirmed from your own address alone. Answer the question from there."
        offers.answer(row, now, "Nothing was confirmed", [why])
        return
    _obey_confirmed(row, asked, wish, now)


def _obey_confirmed(row: Handling, asked: Handling, wish: offers.Wish, now: datetime) -> None:
    try:
        if wish is offers.Wish.NO:
            waiting.disown(asked, now)
            sentences = [
                f"The letter from “{one_line(asked.sender)}” is stored, but it changes nothing."
            ]
            offers.answer(row, now, "The letter was not yours", sentences)
            return
        if not waiting.is_fresh(asked, now):
            raise waiting.NotWaiting(waiting.USED)
        done = waiting.confirm(asked, now)
    except waiting.NotWaiting as refused:
        offers.answer(row, now, "Nothing was confirmed", [str(refused)])
        return
    row.words = "The letter that waited was confirmed, and counts."
    if wish is offers.Wish.ALWAYS:
        _add(row, done, now)
    if done.answer is not None:
        # What was done is told in answer to this message: the other one has had its question.
        answer = messages_inbound.answering(done.answer, row.mail.message_id)
        answer.save(update_fields=["in_reply_to"])
        row.answer = done.answer


def _add(row: Handling, done: Handling, now: datetime) -> None:
    assert done.person is not None
    if addresses.belongs(done.person, done.sender):
        return
    try:
        desk_addresses.add(done.person, done.sender, now)
    except addresses.AddressRefused as refused:
        row.words += f" The address was not added: {refused}"


# --- a further address ---


def _to_address(row: Handling, found: ParsedMail, asked: Address, now: datetime) -> None:
    row.person, row.status, row.kind = asked.person, Status.DONE, "address"
    wish, email = offers.wish_in(found.message), asked.email
    if tidy_address(row.sender) != email:
        heading = "Nothing was confirmed"
        said = (
            f"Whether “{email}” is yours can be said from there alone. Answer the question from"
            " that address."
        )
    elif wish is None:
        heading = "Nothing was confirmed"
        said = (
            "No line of your answer says CONFIRM. Answer once more with that one word, or with NOT"
            " MINE."
        )
    elif wish is offers.Wish.NO:
        addresses.remove(asked.person, asked.pk, now)
        heading = "The address was not taken"
        said = f"Letters from “{email}” are not taken as anybody's."
    else:
        heading, mine = "The address is yours", asked.person.email
        said = f"Letters from “{email}” are taken as those of “{mine}” from now on."
        try:
            addresses.confirm(addresses.valid_address(asked, now), now)
        except addresses.AddressRefused as refused:
            heading, said = "The address was not taken", str(refused)
    offers.answer(row, now, heading, [said], to=email)
