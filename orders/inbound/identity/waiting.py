"""Decide about mail that waits: for the gamesmaster or its supposed sender, if it is unproven, or
for its sender to say what it is."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from games import permissions
from games.accounts import addresses, tokens
from games.base.signing import Salt
from games.desk import addresses as desk_addresses
from games.models import Game, Invitation, Letter, Person
from games.outbox.messages import reply_letters
from games.positions import game_row
from games.rules import time_credit
from orders.inbound import canned, parsed, player_letters, queue
from orders.inbound.execution import execute
from orders.inbound.identity import limits, offers
from orders.models import Handling, Submission

Status = Handling.Status


#: For a person who confirms by mail a message that is no longer waiting.
USED = (
    "That letter has been decided about, or has waited too long. Send it once more, from your"
    " address on file."
)


class NotWaitingError(Exception):
    """The message is no longer waiting. `str()` is one sentence."""


def hold(row: Handling, why: str, now: datetime) -> None:
    """Ask about a message that is not proven, of the row's person in the row's game.

    By settings.MAIL_UNPROVEN, the gamesmaster decides, or the person it claims to come from
    confirms it by a link sent to their first address. One question stands for all such messages of
    a phase: once it is answered, the next is asked.
    """
    game, person = row.game, row.person
    assert game is not None
    assert person is not None
    row.words = why
    if settings.MAIL_UNPROVEN == "hold":
        reply_letters.report_held_mail(row, game, now)
        canned.give(row, canned.HELD, now)
        return
    row.status = Status.UNCONFIRMED
    row.nonce, row.token_hash = tokens.new_nonce(Salt.CONFIRMATION)
    row.save()  # the letter names the row
    phase = game.phases.current()
    asked = others_waiting(row, now).filter(answer__kind=reply_letters.CONFIRM.id)
    if phase is not None:
        asked = asked.filter(mail__received_at__gte=phase.opened_at)
    if not asked.exists():
        _ask(row, now)


def others_waiting(row: Handling, now: datetime) -> QuerySet[Handling]:
    """Return the other messages in a person's name that wait for them in a game, newest first."""
    rows = Handling.objects.filter(
        game=row.game,
        person=row.person,
        status=Status.UNCONFIRMED,
        mail__received_at__gt=now - Handling.CONFIRMED_WITHIN - time_credit.AT_MOST,
    )
    rows = rows.exclude(pk=row.pk).exclude(kind=Handling.CHOICE)
    return rows.select_related("mail", "game", "person").order_by("-pk")


def _ask(row: Handling, now: datetime) -> None:
    """Ask the row's person whether they wrote a message; the caller saves the row."""
    assert row.game is not None
    assert row.person is not None
    if limits.may_answer(row.person.email, limits.QUESTIONS, now):
        row.answer = reply_letters.confirm(row, row.person, row.game, now)


def _ask_next(row: Handling, now: datetime) -> None:
    """Ask about the newest message that waits without a question, after one was answered."""
    others = others_waiting(row, now)
    following = others.filter(answer=None).first()
    if following is not None and not others.exclude(answer=None).exists():
        _ask(following, now)
        following.save(update_fields=["answer"])


def find(token: str, now: datetime) -> Handling:
    """Return the message behind the link in a letter, without obeying it.

    Raise `NotWaitingError`.
    """
    rows = (
        Handling.objects.select_related("mail", "game", "person").filter(
            token_hash=tokens.hash_of(token)
        )
        if token
        else None
    )
    row = rows.first() if rows is not None else None
    if row is not None and player_letters.question_about(row) is not None:
        _check_undecided(row, now)
    elif row is None or not is_fresh(row, now):
        raise NotWaitingError(
            "This link has been used or has expired. Send your message again from your address"
            " on file."
        )
    assert row is not None
    return row


def is_fresh(row: Handling, now: datetime) -> bool:
    """Return whether a message still waits for its sender's confirmation."""
    return bool(row.status == Status.UNCONFIRMED and now < row.answerable_until)


def confirm(row: Handling, now: datetime, *, add_address: bool = False) -> Handling:
    """Obey a message as of the time it arrived. `add_address`: add its sender's address."""
    with transaction.atomic():
        row = _lock_row(row, Status.UNCONFIRMED)
        _carry_out(row, _parse(row), now, "confirmed by the player")
        _ask_next(row, now)
    if add_address and row.person is not None and not addresses.belongs(row.person, row.sender):
        desk_addresses.add(row.person, row.sender, now)
    return row


def choose(row: Handling, choice: offers.Choice, now: datetime) -> Handling:
    """Send a message to the player whose letter it answers, or obey it as of its arrival.

    Raise `NotWaitingError` if its sender has chosen before, if the phase in which it came is over,
    or if it cannot be sent now: then it still waits.
    """
    with transaction.atomic():
        Handling.objects.filter(pk=row.pk).update(status=F("status"))  # lock the row
        row = Handling.objects.select_related("mail", "game", "person").get(pk=row.pk)
        assert row.game is not None
        game_row.take_row(row.game)  # the phase cannot close meanwhile
        question = _check_undecided(row, now)
        mail = _parse(row)
        if choice is offers.Choice.ORDERS:
            _carry_out(row, mail, now, "orders, says the player", chosen=True)
            return row
        letter = player_letters.as_letter(mail, player_letters.addressee_in(question))
        _carry_out(row, letter, now, "says the player", chosen=True)
        if why_not := player_letters.reason_not_sent(row.outcome):
            raise NotWaitingError(f"Your message was not sent. {why_not}")
    return row


def _check_undecided(row: Handling, now: datetime) -> Letter:
    """Return the question what a message is. Raise `NotWaitingError` if it is answered or over."""
    question = player_letters.question_about(row)
    if question is None or row.status != Status.UNCONFIRMED or row.kind != Handling.CHOICE:
        raise NotWaitingError(
            "You have said before what your message is. The answer that you got says what was done"
            " with it; nothing more was done now."
        )
    if player_letters.has_ended(question, row, now):
        ended = question.phase.short_title if question.phase is not None else "The time for it"
        raise NotWaitingError(
            f"{ended} is over, and with it this question: your message was neither sent nor read as"
            " orders. If you still want to send it, answer the player's letter again, with REPLY"
            " above your words and END below them."
        )
    return question


def still_asked(row: Handling, now: datetime) -> datetime | None:
    """Return when to look again whether a message still waits for an answer; None if it does not.

    One whose question stands as long as a phase is looked at again and again.
    """
    if is_fresh(row, now):  # an outage gave time back
        return row.answerable_until
    question = player_letters.question_about(row)
    if question is None or player_letters.has_ended(question, row, now):
        return None
    return now + Handling.CONFIRMED_WITHIN


def disown(row: Handling, now: datetime) -> None:
    """Record that the person did not write a message: it stays stored and is never obeyed."""
    with transaction.atomic():
        row = _lock_row(row, Status.UNCONFIRMED)
        row.status, row.words = Status.REFUSED, "The player says that they did not write it."
        queue.finish(row, now)
        _ask_next(row, now)


def held_mail(game: Game) -> QuerySet[Handling]:
    """Return the messages held for the gamesmasters of a game, oldest first."""
    return (
        Handling.objects.filter(game=game, status=Status.HELD)
        .select_related("mail", "person")
        .order_by("pk")
    )


def let_in(row: Handling, by: Person, now: datetime) -> Handling:
    """Accept a held message: obey it as of the time it arrived."""
    with transaction.atomic():
        row = _lock_row(row, Status.HELD)
        _allow(row, by)
        row.decided_by = by
        _carry_out(row, _parse(row), now, "let in by the gamesmaster")
    return row


def refuse(row: Handling, by: Person, now: datetime) -> None:
    """Refuse a held message, and tell its supposed sender at their first address."""
    with transaction.atomic():
        row = _lock_row(row, Status.HELD)
        _allow(row, by)
        row.decided_by = by
        canned.give(row, canned.NOT_LET_IN, now)
        queue.finish(row, now)


def newer_orders(row: Handling) -> int | None:
    """Return the number of the newest orders that arrived after the message, or None.

    They stay in force if it is obeyed.
    """
    if row.person is None or row.game is None:
        return None
    # Orders for an ally count as theirs because they sent them.
    own_orders = Q(seat__in=permissions.held_seats(row.person, row.game)) | Q(person=row.person)
    newer = Submission.objects.filter(
        own_orders, game=row.game, counts=True, received_at__gt=row.mail.received_at
    )
    newest = newer.order_by("-number").first()
    return newest.seat_number if newest else None


def _allow(row: Handling, by: Person) -> None:
    """Lock the game's row. Raise `NotWaitingError` if the person does not run the game."""
    if row.game is not None:
        game_row.take_row(row.game)  # it may have been handed over while they waited
    if row.game is None or not permissions.runs(by, row.game):
        raise NotWaitingError("Only the gamesmaster of the game decides about mail that is held.")


def _lock_row(row: Handling, status: str) -> Handling:
    """Lock the row until the end of the transaction. Raise `NotWaitingError` if it is decided."""
    if Handling.objects.filter(pk=row.pk, status=status).update(status=status) != 1:
        raise NotWaitingError("This message is already decided.")
    return Handling.objects.select_related("mail", "game", "person").get(pk=row.pk)


def _parse(row: Handling) -> parsed.ParsedMail:
    return parsed.parse_mail(row, row.game, parsed.NOT_ASKED)


def _carry_out(
    row: Handling, mail: parsed.ParsedMail, now: datetime, how: str, *, chosen: bool = False
) -> None:
    """Obey a message as if proven.

    Raise `NotWaitingError` if the game is over, if the person has no seat any more, or if the
    sender has sent too many messages.
    """
    assert row.game is not None
    row.due_at = None
    game, person = row.game, row.person
    assert person is not None
    # An invitation may have been answered from an address not on file.
    if isinstance(offer := offers.find(row), Invitation):
        offers.take_seat(row, mail.message, offer, person, now)
        queue.finish(row, now)
        return
    if game.is_over:
        raise NotWaitingError(f"“{game.title}” is over: this message changes nothing.")
    if not (permissions.held_seats(person, game) or permissions.runs(person, game)):
        raise NotWaitingError(f"{person} has no seat in “{game.title}” any more.")
    execute.obey(row, mail, now, how=how, chosen=chosen)
    if row.due_at is not None:
        raise NotWaitingError(
            "This sender has sent too many messages within an hour, so this one waits. Try again"
            " in an hour."
        )
    queue.finish(row, now)
