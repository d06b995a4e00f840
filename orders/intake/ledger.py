"""Receive orders.

Every intake (page, mail, telephone, program) ends in `receive`; nothing else writes to the ledger.

A seat's newest submission that counts is in force. A text that arrives late, of which no line could
be read, or which is in doubt, is stored and answered but replaces nothing: a mistake never loses
orders (docs/design.md 1). Orders in doubt are a question to their sender, whose yes sends the lines
of `Submission.question` as new orders.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction

from games import permissions, positions
from games.models import Game, Person, Phase, Seat
from games.outbox.messages import game_letters
from games.positions import game_row, in_force
from games.rules import Reading, doubts
from games.rules.orders import LINE_END
from games.rules.plain import editions
from games.rules.verification import record
from games.seats import teams
from games.turns import deadlines
from orders.intake import from_page, named_stocks
from orders.intake.chain import LedgerError as LedgerError
from orders.intake.chain import LockedGame, enter, take
from orders.models import Draft, Submission

#: A full order set with every wish and comment is far shorter; more is a mistake or an attack.
LONGEST_TEXT = 20_000
#: Each rejected line gets a sentence in the answer. This limit is 10 times what any nation needs
#: and still fits in a letter.
MOST_LINES = 500


def refusal(text: str) -> str:
    """Return why a text cannot be received, whatever it says, in one sentence; or ""."""
    if len(text) > LONGEST_TEXT:
        return (
            f"These orders are {len(text):,} characters long; at most {LONGEST_TEXT:,} are allowed."
            " Send the order lines alone."
        )
    if (number := len(LINE_END.findall(text)) + 1) > MOST_LINES:
        return (
            f"These orders have {number:,} lines; at most {MOST_LINES} are allowed. Send the order"
            " lines alone."
        )
    for number, line in enumerate(LINE_END.split(text), start=1):
        # Refuse text that cannot be stored as sent: PostgreSQL stores no zero character, and no
        # encoding has lone surrogates.
        if "\0" in line or any("\ud800" <= sign <= "\udfff" for sign in line):
            return (
                f"Line {number} contains a character we cannot store. Retype the line and send the"
                " orders again."
            )
    return ""


def reading(
    seat: Seat, phase: Phase, text: str, now: datetime, *, hushed: bool = False, state: Any = None
) -> Reading:
    """Return how the service understands a text, with its remarks, for a check before sending.

    Nothing is stored, and no market source is queried. `state`: the state in which the phase is
    played, if the caller has it. `hushed`: the reader may not know what the nation knows
    (`permissions.lacks_secrets_of`), so remarks must not reveal it.
    """
    state = positions.state_of(phase) if state is None else state
    state = seat.game.rules.view(state, None) if hushed else state
    return named_stocks.review(
        seat.game.rules.read(text, seat.nation, state), text, seat, phase, state, now
    ).reading


@dataclass(frozen=True)
class TakenDown:
    """Who took orders down from the telephone or from paper (orders.intake.telephone).

    `posted_on` is the postmark, `read_back` the code under which they were read back.
    """

    by: Person | None = None
    posted_on: date | None = None
    read_back: str = ""


@dataclass(frozen=True)
class Arrival:
    """How orders came: by which channel, from whom, and when.

    `person` is the sender; None where the service sends, or where nobody was named to those who
    took the orders down.

    `meant_for` is the phase that the sender had on screen, or its number, if the intake knows it.
    If that phase has been closed in the meantime, the orders are late for it and do not count for
    the phase that has opened since. An unknown number stands for the current phase.

    `request_key` is a program's Idempotency-Key (games.api.requests). `written` is when mail was
    written, which may be hours before it came.
    """

    channel: Submission.Channel | str
    person: Person | None
    at: datetime
    meant_for: Phase | int | None = None
    taken_down: TakenDown = TakenDown()
    page: from_page.SentPage | None = None
    request_key: str = ""
    written: datetime | None = None


def receive(
    seat: Seat, text: str, arrival: Arrival, *, final: bool = False, held: LockedGame | None = None
) -> Submission:
    """Write one order set to the ledger, and answer it by letter.

    Raise `LedgerError` where there is no phase to receive it for, where the sender may not order,
    and where the text is empty or cannot be stored; for orders from a page also `DuplicateOrders`,
    `NewerOrders`, `Unconfirmed` and `OrdersInDoubt`.

    The sender gets a receipt, except by mail, whose own answer says what the receipt would say
    (orders.inbound.execution). Of orders that were taken down, everybody in the seat gets it.

    The game's row is locked first, as closing a phase does too, so a submission is either wholly
    before the lock or wholly after it. `held` is the result of `chain.take` where the caller has
    locked the row already.
    """
    if why := refusal(text):
        raise LedgerError(why)
    with transaction.atomic():
        held = held or take(seat.game, seat)
        phase = _phase_for(held, arrival.meant_for, "orders are accepted from the first letter on")
        sender = _sending_member(seat, phase, arrival.person)
        if why := game_row.refusal_to_run(held.game, arrival.taken_down.by):
            raise LedgerError(why)
        state = positions.state_of(phase)
        parsed = _parse(seat, text, state)
        if held.game.is_over:
            raise LedgerError(f"“{held.game.title}” is over: no more orders are accepted.")
        submission = _submission(seat, phase, text, arrival, sender)
        submission.final, submission.read_in = final, state
        submission.understood = [list(line) for line in parsed.understood]
        submission.doubt = doubts.as_json(parsed.doubt)
        in_time = not submission.late and seat.nation in held.game.rules.acting_nations(state)
        in_order = in_time and bool(parsed.understood)
        submission.proposal = _may_only_propose(sender, held.game)
        submission.counts = in_order and not submission.proposal
        page = arrival.page
        confirmed = page is not None and from_page.check_unseen(submission, sender, page)
        reviewed = (
            named_stocks.review(parsed, text, seat, phase, state, arrival.at)
            if in_order
            else named_stocks.ReviewedOrders(parsed)
        )
        if page is not None and page.whole and in_time:
            from_page.check_lines(reviewed.reading, submission, confirmed)
        submission.remarks = [remark.as_json() for remark in reviewed.reading.remarks]
        if submission.counts:
            _replace_service(submission, held)
        enter(submission, held)
        if arrival.person is not None or arrival.taken_down.by is not None:
            by_mail = submission.channel == Submission.Channel.MAIL
            game_letters.receipt(submission, arrival.at, answered=by_mail)
            named_stocks.ask(submission, reviewed.unknown, arrival.at)
        if submission.channel == Submission.Channel.WEB:
            Draft.objects.filter(seat=seat, phase=phase, person=arrival.person).delete()
        if submission.counts:
            deadlines.update_due_time(phase, arrival.at)
    return submission


def _submission(
    seat: Seat, phase: Phase, text: str, arrival: Arrival, sender: teams.Member | None = None
) -> Submission:
    """Return a submission as it arrived, before it is judged; it is not saved."""
    return Submission(
        game=phase.game,
        seat=seat,
        phase=phase,
        received_at=arrival.at,
        written_at=arrival.written,
        channel=arrival.channel,
        person=arrival.person,
        text=text,
        entered_by=arrival.taken_down.by,
        posted_on=arrival.taken_down.posted_on,
        read_back=arrival.taken_down.read_back,
        request_key=arrival.request_key,
        member=sender.number if sender is not None else 0,
        late=not phase.takes_orders or arrival.at > phase.closes_at,
        counts=False,
        salt=secrets.token_hex(16),
        edition=editions.EDITION,
    )


def _phase_for(held: LockedGame, meant_for: Phase | int | None, before_it_begins: str) -> Phase:
    """Return the phase that a submission is for: the one its sender saw, else the current one.

    Raise `LedgerError` for a game that has not begun; `before_it_begins` ends its sentence.
    """
    if held.phase is None:
        raise LedgerError(f"“{held.game.title}” has not begun: {before_it_begins}.")
    if isinstance(meant_for, int):
        if meant_for == held.phase.number:
            return held.phase
        return held.game.phases.filter(number=meant_for).first() or held.phase
    if meant_for is None or meant_for.pk == held.phase.pk:
        return held.phase
    # Read the row again: the phase may have been locked or undone since the page was shown.
    return held.game.phases.get(pk=meant_for.pk)


def _parse(seat: Seat, text: str, state: Any) -> Reading:
    """Return how the rules read a text. Raise `LedgerError` if nothing was written."""
    parsed: Reading = seat.game.rules.read(text, seat.nation, state)
    if parsed.sent:
        return parsed
    instruction = (
        "For a report that does every line and ends the Player-Turn, write REST DONE and END."
        if seat.referee
        else "To send no orders on purpose, write PASS."
    )
    raise from_page.NothingWritten(f"Nothing was written. {instruction}")


def _replace_service(submission: Submission, held: LockedGame) -> None:
    """Take back what the service has sent for a seat before newer orders count for it.

    Needed where lines are merged: otherwise those of the player, or of a bot that has made a deal
    since, would only be added. A team's votes are never merged with orders for the whole seat,
    which count until the votes give a text.
    """
    game = submission.game
    votes = submission.member and teams.decides_by_vote(game)
    if game.options["orders.amend"] != "merge_lines" or votes:
        return
    before = in_force.submission_in_force(submission.seat, submission.phase)
    if before is None or before.channel != Submission.Channel.PROGRAM:
        return
    by_service = Arrival(Submission.Channel.PROGRAM, None, submission.received_at)
    seat, phase = submission.seat, submission.phase
    enter(_submission(seat, phase, record.CANCELLED, by_service), held)


def cancel(seat: Seat, arrival: Arrival, *, held: LockedGame | None = None) -> Submission:
    """Take back everything that a seat has sent in this phase.

    Raise `LedgerError` where there is nothing to take back. Nothing is deleted: the withdrawal is
    itself a submission that consists of one comment (record.is_withdrawal). If it is late, it is
    stored and changes nothing.
    """
    with transaction.atomic():
        held = held or take(seat.game, seat)
        game = held.game
        phase = _phase_for(held, arrival.meant_for, "there are no orders to take back")
        if game.is_over:
            raise LedgerError(f"“{game.title}” is over: no orders can be taken back any more.")
        sender = _sending_member(seat, phase, arrival.person)
        _check_withdrawal(seat, phase, sender)
        if not (
            in_force.submission_in_force(seat, phase)
            or in_force.open_question(seat, phase, arrival.person)
            or (sender and sender.number in in_force.votes(phase).get(seat.nation, {}))
        ):
            nothing_text = (
                "a report back, but there is none"
                if seat.referee
                else f"orders back, but none of {seat.nation} are in force"
            )
            raise LedgerError(f"CANCEL takes {nothing_text}. Nothing needs to be taken back.")
        submission = _submission(seat, phase, record.CANCELLED, arrival, sender)
        enter(submission, held)
        if not submission.late:
            deadlines.update_due_time(phase, arrival.at)
    return submission


def is_in_time(received: datetime, deadline: datetime, game: Game) -> bool:
    """Return whether orders arrived before the announced deadline, with the game's grace.

    Orders in time can still be late where the phase was closed early.
    """
    return received <= deadline + game.grace


def _sending_member(seat: Seat, phase: Phase, person: Person | None) -> teams.Member | None:
    """Return the team member who sends for a seat; None where no team holds it.

    The caller has locked the game's row. Raise `LedgerError` where the person may not order for the
    seat in this phase: they have left it, or another nation plays it this turn.
    """
    if seat.referee and (person is None or not permissions.may_order(person, seat, phase)):
        raise LedgerError(
            "Only a gamesmaster who does not play can send reports. Nothing was entered."
        )
    if person is None:
        return None
    if not permissions.may_order(person, seat, phase):
        raise LedgerError(
            f"You may not send orders for {seat.nation} in {phase.title}: nothing was entered."
        )
    return in_force.member_of(seat, phase, person)


def _may_only_propose(sender: teams.Member | None, game: Game) -> bool:
    return sender is not None and teams.has_spokesman(game) and not sender.spokesman


def _check_withdrawal(seat: Seat, phase: Phase, sender: teams.Member | None) -> None:
    """Raise `LedgerError` for a CANCEL by a member who may only propose.

    The orders in force are the spokesman's to take back.
    """
    if _may_only_propose(sender, phase.game):
        raise LedgerError(
            f"CANCEL takes orders back, but those of {seat.nation} are its spokesman’s: nothing was"
            " taken back. What you have sent are proposals; tell your team with TEAM that yours no"
            " longer counts."
        )
