"""Handle answers to letters that ask for a yes.

Those are invitations, requests to confirm a message or an address, and the question whether a
message is for another player, or orders. Such an answer does by mail
what the button behind the letter's link does. The letter's reply address contains a key that only
its reader has seen, so the answer is as well proven as the link. It must still come from the
address that the letter went to, because letters get forwarded. Automatic answers have been sorted
out before (`decide.decide`).
"""

from __future__ import annotations

from datetime import datetime

from games.accounts import addresses
from games.base.text import one_line
from games.desk import addresses as desk_addresses
from games.models import Address, Invitation, Person
from games.models.people import tidy_address
from games.outbox.messages import reply_letters
from orders.inbound import canned, player_letters
from orders.inbound.identity import offers
from orders.inbound.parsed import ParsedMail
from orders.models import Handling

from . import waiting

Status = Handling.Status


def answer(row: Handling, mail: ParsedMail, asked: offers.Asked, now: datetime) -> bool:
    """Handle the answer to a letter that asked for a yes, and answer it once.

    Return False if it says neither yes nor no, so that it is a letter to the row's game.
    """
    match asked:
        case Invitation():
            _handle_invitation_answer(row, mail, asked, now)
        case Handling():
            return _handle_confirmation_answer(row, mail, asked, now)
        case Address():
            _handle_address_answer(row, mail, asked, now)
    return True


# --- invitations ---


def _handle_invitation_answer(
    row: Handling, mail: ParsedMail, offer: Invitation, now: datetime
) -> None:
    person, game = Person.objects.at(offer.email), offer.seat.game
    row.game, row.person = game, person
    if not person.is_active:
        canned.ignore(row, "The account is closed.")
    elif addresses.belongs(person, row.sender):
        offers.take_seat(row, mail.message, offer, person, now)
    else:
        waiting.hold(row, f"“{row.sender}” is not the address that was invited.", now)


# --- messages that wait for their sender ---


def _handle_confirmation_answer(
    row: Handling, mail: ParsedMail, asked: Handling, now: datetime
) -> bool:
    """Handle an answer about a message that waits. Return False if it is no answer.

    CONFIRM obeys an unproven message, NOT MINE disowns it; SEND sends a message to the player
    whose letter it answers, ORDERS obeys it.
    """
    if asked.person is None or asked.game is None or not asked.person.is_active:
        canned.ignore(row, "The account is closed.")
        return True
    row.game, row.person = asked.game, asked.person
    chooses = player_letters.question_about(asked) is not None
    meant = (offers.choice_in if chooses else offers.wish_in)(mail.message)
    if meant is None:
        return False
    row.status, row.kind = Status.DONE, "confirmation"
    if not addresses.belongs(row.person, row.sender):
        why = (
            f"The answer came from “{one_line(row.sender)}”, which is not one of your addresses."
            " Answer the question from one that is."
        )
        offers.answer(row, now, "Nothing was done", [why])
        return True
    try:
        if isinstance(meant, offers.Choice):
            _choose(row, asked, meant, now)
        else:
            _confirm(row, asked, meant, now)
    except waiting.NotWaitingError as refused:
        offers.answer(row, now, "Nothing was done", [str(refused)])
    return True


def _confirm(row: Handling, asked: Handling, wish: offers.Wish, now: datetime) -> None:
    if wish is offers.Wish.NO:
        waiting.disown(asked, now)
        sentences = [
            f"The letter from “{one_line(asked.sender)}” is stored, but it changes nothing."
        ]
        offers.answer(row, now, "The letter was not yours", sentences)
        return
    if not waiting.is_fresh(asked, now):
        raise waiting.NotWaitingError(waiting.USED)
    confirmed = waiting.confirm(asked, now)
    row.words = "The letter that waited was confirmed, and counts."
    if wish is offers.Wish.ALWAYS:
        _add(row, confirmed, now)
    _thread_answer(row, asked, confirmed)


def _choose(row: Handling, asked: Handling, choice: offers.Choice, now: datetime) -> None:
    chosen = waiting.choose(asked, choice, now)
    what = "a letter" if choice is offers.Choice.SEND else "orders"
    row.words = f"The message that waited is {what}, its sender says."
    _thread_answer(row, asked, chosen)


def _thread_answer(row: Handling, asked: Handling, done: Handling) -> None:
    """Thread the answer about a message that waited to this message.

    The one that waited has already been answered with the question. Orders without remarks may have
    no answer.
    """
    if done.answer is not None and done.answer_id != asked.answer_id:
        answer = reply_letters.answering(done.answer, row.mail.message_id)
        answer.save(update_fields=["in_reply_to"])
        row.answer = done.answer


def _add(row: Handling, done: Handling, now: datetime) -> None:
    """Add the sender's address to the person's addresses, after CONFIRM ALWAYS."""
    assert done.person is not None
    if addresses.belongs(done.person, done.sender):
        return
    try:
        desk_addresses.add(done.person, done.sender, now)
    except addresses.AddressRefused as refused:
        row.words += f" The address was not added: {refused}"


# --- further addresses ---


def _handle_address_answer(row: Handling, mail: ParsedMail, asked: Address, now: datetime) -> None:
    row.person, row.status, row.kind = asked.person, Status.DONE, "address"
    wish, email, again = offers.wish_in(mail.message), asked.email, None
    if tidy_address(row.sender) != email:
        heading = "Nothing was confirmed"
        sentence = (
            f"Whether “{email}” is yours can be said from there alone. Answer the question from"
            " that address."
        )
    elif wish is None:
        heading, again = "Nothing was confirmed", asked
        sentence = (
            "No line of your answer says CONFIRM. Answer once more with that one word, or with NOT"
            " MINE."
        )
    elif wish is offers.Wish.NO:
        addresses.remove(asked.person, asked.code, now)
        heading = "The address was rejected"
        sentence = f"Mail from “{email}” counts as nobody's."
    else:
        heading, first_address = "The address is yours", asked.person.email
        sentence = f"From now on mail from “{email}” counts as mail from “{first_address}”."
        try:
            addresses.confirm(addresses.valid_address(asked, now), now)
        except addresses.AddressRefused as refused:
            heading, sentence = "The address was rejected", str(refused)
    offers.answer(row, now, heading, [sentence], to=email, asks=again)
