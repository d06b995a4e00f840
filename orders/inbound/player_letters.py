"""Ask what a message is that answers another player's letter without a command.

People answer a letter as they answer any other, so their lines may be words to its writer, or
orders. The service does not guess: it neither sends the message nor reads it as orders, and asks
once. The question ends with the phase in which the message came.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from games import permissions
from games.accounts import addresses, tokens
from games.base.signing import Salt
from games.models import Letter, Phase, Press, Proposal, Seat
from games.outbox.messages import KINDS, reply_letters
from games.press import conversations
from games.rules.names import all_of
from orders.inbound import parsed, queue
from orders.inbound.execution.execution import Sender, answered_letters, quotation
from orders.inbound.identity import limits
from orders.inbound.parsing import commands
from orders.inbound.parsing.quoting import own_words
from orders.inbound.replies.outcome import Section
from orders.models import Handling

#: Commands about orders, and letters with a heading and END: beside them the other lines of a
#: message are orders.
_SETTLING = (commands.Final, commands.Cancel, commands.Adopt, commands.PressItem)
#: The most lines of a message that the question shows; its page shows all.
_SHOWN_AT_MOST = 40


def answered_by(mail: parsed.ParsedMail, sender: Sender) -> Letter | None:
    """Return the other player's letter that a message answers, or None."""
    for letter in answered_letters(mail.message, sender):
        if letter.kind != reply_letters.CHOICE.id:  # it asks about an answer to the next one
            return letter if KINDS[letter.kind].between_people else None
    return None


def words_of(mail: parsed.ParsedMail) -> str:
    """Return what would be sent: the sender's own words, or lines of the subject or of a file."""
    if words := own_words(mail.message.text).text.strip():
        return words
    items = [item for item in mail.script.items if isinstance(item, commands.Orders)]
    return "\n".join(line.written for item in items for line in item.lines)


def is_unclear(mail: parsed.ParsedMail) -> bool:
    """Return whether a message to a player says by no command what it is."""
    items = mail.script.items
    if mail.message.encrypted or (not items and mail.script.refused):  # a letter without END, say
        return False
    return all(isinstance(item, commands.Orders) for item in items) and bool(words_of(mail))


def leave_out_lines(
    script: commands.Script,
) -> tuple[commands.Script, tuple[commands.WrittenLine, ...]]:
    """Return a script without lines that no command says are orders, and these lines.

    ACCEPT does what it says in an answer to a proposal; the words below it may be for its proposer.
    """
    if any(isinstance(item, _SETTLING) for item in script.items):
        return script, ()
    lines = tuple(
        line for item in script.items if isinstance(item, commands.Orders) for line in item.lines
    )
    others = tuple(item for item in script.items if not isinstance(item, commands.Orders))
    return replace(script, items=others), lines


def left_out(lines: tuple[commands.WrittenLine, ...]) -> Section:
    """Return the part of an answer about lines that were neither sent nor read as orders."""
    sentence = (
        "Your message answers another player's letter, so these lines may be words to that player:"
        " they were neither sent nor read as orders. To send them, answer that letter again with"
        " REPLY above them and END below. If they are orders, write them in answer to a letter of"
        " the service, such as this one."
    )
    return Section("Left aside", [sentence], kept=[quotation(line.written) for line in lines])


# --- the question ---


def ask(
    row: Handling,
    mail: parsed.ParsedMail,
    letter: Letter,
    sender: Sender,
    rehearsed: tuple[str, str],
    now: datetime,
) -> bool:
    """Ask what a message is; the caller saves the row. Return whether the message could be either.

    `rehearsed`: to whom it would be sent, and why it cannot be; one of the two is "". Postpone it
    if its sender has had too many answers.
    """
    game, person = sender.game, sender.person
    to = row.sender if addresses.belongs(person, row.sender) else person.email
    if not limits.may_answer(to, limits.TO_PROVEN, now):
        row.due_at = now + limits.PUT_OFF
        row.words = "This sender has had too many answers within an hour, so this one waits."
        return True
    addressees, why_not = rehearsed
    phase = game.phases.current()
    own = permissions.held_seats(person, game) if sender.seats is None else sender.seats
    may_order = bool(own) or bool(game.rules.referee.seats)
    if not (addressees or may_order):
        return False
    row.status, row.kind = Handling.Status.UNCONFIRMED, Handling.CHOICE
    row.words = "It answers another player's letter; its sender says whether it is one, or orders."
    if not row.nonce:
        row.nonce, row.token_hash = tokens.new_nonce(Salt.CONFIRMATION)
    row.save()  # the letter names the row
    lines = words_of(mail).split("\n")
    about = {
        "handling": row.pk,
        "letter": letter.pk,
        "answered": _description(letter),
        "addressees": addressees,
        "why_not": why_not,
        "may_order": may_order,
        "open": phase is not None and phase.status == Phase.Status.OPEN,
        "lines": lines[:_SHOWN_AT_MOST],
        "more": len(lines[_SHOWN_AT_MOST:]),
    }
    row.answer = reply_letters.ask_for_choice(row, person, game, phase, about, now, to=to)
    return True


def as_letter(mail: parsed.ParsedMail, letter: Letter) -> parsed.ParsedMail:
    """Return a message as if its words stood between REPLY and END."""
    seats = Seat.objects.filter(pk__in=letter.about.get("seats") or ())
    nations = list(seats.values_list("nation", flat=True))
    item = commands.PressItem(
        line=1,
        nation=nations[0] if len(nations) == 1 else "",
        kind="reply",
        to=(),
        to_all=False,
        to_gamesmaster=False,
        signed=True,
        n=None,
        body=words_of(mail),
    )
    return replace(mail, script=commands.Script((item,)))


def reason_not_sent(outcome: dict[str, Any]) -> str:
    """Return why a letter was not sent, from the content of its answer; "" if it was sent."""
    sections = outcome.get("sections", ())
    return " ".join(point for section in sections for point in section["points"])


def _description(letter: Letter) -> str:
    """Return the letter that was answered, in words, without the writer of an unsigned one."""
    if "press" in letter.about:
        row = Press.objects.select_related("seat").get(pk=letter.about["press"])
        return f"a letter from {conversations.writer(row)}"
    proposal = Proposal.objects.select_related("seat", "to").get(pk=letter.about["proposal"])
    both = [proposal.seat, proposal.to]
    others = [seat.nation for seat in both if seat.pk not in letter.about["seats"]]
    return f"a letter about a deal with {all_of(others)}"


def question_about(row: Handling) -> Letter | None:
    """Return the question that was asked about a message, or None."""
    key = reply_letters.choice_key(row)
    question: Letter | None = Letter.objects.select_related("phase").filter(key=key).first()
    return question


def has_ended(question: Letter, row: Handling, now: datetime) -> bool:
    """Return whether the phase in which a message came is over, so that nobody answers any more."""
    if question.phase is None:
        return now >= row.mail.received_at + queue.CONFIRMED_WITHIN
    if question.about["open"]:
        return question.phase.status != Phase.Status.OPEN
    assert row.game is not None
    return row.game.phases.current() != question.phase
