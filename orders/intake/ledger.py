"""Receive orders.

Every intake (page, mail, telephone, program) ends in `receive`; nothing else writes to the ledger.

A seat's newest submission that counts is in force. A text that arrives late, or of which no line
could be read, is stored and answered but replaces nothing: a mistake never loses orders
(docs/design.md 1).
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Subquery

from games import permissions, positions
from games.models import Game, Person, Phase, Seat
from games.outbox.messages import game_letters
from games.positions import in_force
from games.rules import Reading
from games.rules.verification import record
from games.seats import teams
from games.turns import deadlines
from orders.intake import named_stocks
from orders.models import Draft, Submission

#: A full order set with every wish and comment is far shorter; more is a mistake or an attack.
LONGEST_TEXT = 20_000
#: Each rejected line gets a sentence in the answer. This limit is 10 times what any nation needs
#: and still fits in a letter.
MOST_LINES = 500
_LINE_END = re.compile(r"\r\n|\r|\n")  # the same line ends as in the rules


class LedgerError(Exception):
    """The orders could not be received. `str()` is one sentence for the sender."""


class DuplicateOrders(LedgerError):
    """The same orders were sent twice, for example by a double click.

    `submission` is the one stored the first time.
    """

    def __init__(self, submission: Submission) -> None:
        super().__init__(f"These orders have already arrived: No. {submission.seat_number}.")
        self.submission = submission


class NewerOrders(LedgerError):
    """Orders arrived that the sender had not seen. `newer` are in force, and stay in force."""

    def __init__(self, newer: Submission) -> None:
        super().__init__("Newer orders have arrived since you opened this page.")
        self.newer = newer


class RefusedLines(LedgerError):
    """Some lines would be rejected. Nothing was received; the sender is asked first."""

    def __init__(self, number: int, of: int) -> None:
        lines = (
            "the line" if of == 1 else "all lines" if number == of else f"{number} of {of} lines"
        )
        super().__init__(f"{lines[0].upper()}{lines[1:]} would be refused.")


def refusal(text: str) -> str:
    """Return why a text cannot be received, whatever it says, in one sentence; or ""."""
    if len(text) > LONGEST_TEXT:
        return (
            f"These orders are {len(text):,} characters long; at most {LONGEST_TEXT:,} are allowed."
            " Send the order lines alone."
        )
    if (number := len(_LINE_END.findall(text)) + 1) > MOST_LINES:
        return (
            f"These orders have {number:,} lines; at most {MOST_LINES} are allowed. Send the order"
            " lines alone."
        )
    for number, line in enumerate(_LINE_END.split(text), start=1):
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


#: The columns of a game that change during play and matter to what is received.
CHANGING = ("status", "last_submission", "may_lock_early", "paused_at", "record_hash")


@dataclass
class LockedGame:
    """A game whose row the caller has locked until the end of the transaction.

    `phase` is its current phase and `last_hash` the end of the chain. Both advance as submissions
    are written.
    """

    game: Game
    phase: Phase | None
    last_hash: str
    #: The last number of the seat, where locking the game's row has already reserved the next
    #: submission number of the game.
    seat_number: int | None = None


#: The columns of `CHANGING`, read together with the phase. The prefix keeps them apart from columns
#: of the phase with the same name.
_OF_GAME = {f"game_{name}": F(f"game__{name}") for name in CHANGING}


def take(game: Game, seat: Seat | None = None) -> LockedGame:
    """Lock a game's row and return its current phase and the end of its chain.

    Call it in a transaction. With a `seat`, for one submission of that seat: the row is locked by
    writing the submission's number. Without a seat, for an intake that does several things under
    one lock (orders.inbound.execution).
    """
    number = F("last_submission") + int(seat is not None)
    Game.objects.filter(pk=game.pk).update(last_submission=number)
    submissions = Submission.objects.filter(game=game).order_by("-number")
    phases = game.phases.annotate(newest_hash=Subquery(submissions.values("hash")[:1]), **_OF_GAME)
    # Only for one submission: a message may do several things, and a position read here gets stale.
    if seat is not None:
        own = submissions.filter(seat=seat).values("seat_number")[:1]
        phases = positions.annotate_positions(phases).annotate(newest_of_seat=Subquery(own))
    phase = phases.current()
    if phase is None:
        game.refresh_from_db(fields=CHANGING)
    else:
        phase.game = game
        for name in CHANGING:
            setattr(game, name, phase.__dict__[f"game_{name}"])
    if phase is None:
        return LockedGame(game, phase, "")
    last_hash = phase.__dict__["newest_hash"] or ""
    if seat is None:
        return LockedGame(game, phase, last_hash)
    game.last_submission -= 1
    return LockedGame(game, phase, last_hash, phase.__dict__["newest_of_seat"] or 0)


def _enter(submission: Submission, held: LockedGame) -> None:
    """Number a submission in its game and its seat, chain it to the one before, and save it."""
    submission.number = held.game.last_submission + 1
    last = held.seat_number
    if last is None:
        seat_rows = Submission.objects.filter(seat=submission.seat_id).order_by("-seat_number")
        last = seat_rows.values_list("seat_number", flat=True).first() or 0
        Game.objects.filter(pk=held.game.pk).update(last_submission=submission.number)
    submission.seat_number = last + 1
    submission.previous_hash = held.last_hash
    submission.hash = chain_hash(submission)
    submission.save()
    held.seat_number = None  # the next submission reads its own numbers
    held.game.last_submission, held.last_hash = submission.number, submission.hash


def receive(
    seat: Seat,
    text: str,
    *,
    channel: Submission.Channel | str,
    person: Person | None,
    now: datetime,
    final: bool = False,
    meant_for: Phase | int | None = None,
    answered: bool = False,
    entered_by: Person | None = None,
    posted_on: date | None = None,
    read_back: str = "",
    request_key: str = "",
    held: LockedGame | None = None,
    once: bool = False,
    seen: str | None = None,
    whole: bool = False,
) -> Submission:
    """Write one order set to the ledger, and answer it by letter.

    Raise `LedgerError` where there is no phase to receive it for, where the sender may not order,
    and where the text is empty or cannot be stored.

    `answered`: the intake writes its own answer, which says what the receipt would say
    (orders.inbound.execution).

    `meant_for` is the phase that the sender had on screen, or its number, if the intake knows it.
    If that phase has been closed in the meantime, the orders are late for it and do not count for
    the phase that has opened since. An unknown number stands for the current phase.

    `entered_by` took the orders down from the telephone or from paper, with the postmark
    `posted_on` or under the code `read_back` (orders.intake.telephone); then everybody in the seat
    gets the receipt. `request_key` is a program's Idempotency-Key (games.api.requests).

    `once`: raise `DuplicateOrders` for what this person sent last, unchanged. `seen` is the hash of
    the newest orders that the sender's page showed, "" if it showed none: where newer ones are in
    force, raise `NewerOrders` before replacing them. `whole`: raise `RefusedLines` if the orders
    are in time and a line would be rejected.

    The game's row is locked first, as closing a phase does too, so a submission is either wholly
    before the lock or wholly after it. `held` is the result of `take` where the caller has locked
    the row already.
    """
    if why := refusal(text):
        raise LedgerError(why)
    with transaction.atomic():
        held = held or take(seat.game, seat)
        game = held.game
        phase = _phase_for(held, meant_for, "orders are accepted from the first letter on")
        sender = _sending_member(seat, phase, person)
        state = positions.state_of(phase)
        parsed = _parse(seat, text, state)
        if game.is_over:
            raise LedgerError(f"“{game.title}” is over: no more orders are accepted.")
        last = _check_new(seat, phase, sender, person, text, final) if once else None
        late = phase.status != Phase.Status.OPEN or now > phase.closes_at
        acting = seat.nation in game.rules.acting_nations(state)
        proposal = sender is not None and teams.has_spokesman(game) and not sender.spokesman
        in_order = bool(parsed.understood) and acting and not late
        counts = in_order and not proposal
        if counts and seen is not None:
            # Outside teams, the newest submission is the one in force if it counts.
            known = once and sender is None and (last is None or last.counts)
            _check_seen(last if known else in_force.newest(seat, phase, sender), seen)
        reviewed = (
            named_stocks.review(parsed, text, seat, phase, state, now)
            if in_order
            else named_stocks.ReviewedOrders(parsed)
        )
        if whole and acting and not late:
            _check_lines(reviewed.reading)
        submission = Submission(
            game=game,
            seat=seat,
            phase=phase,
            received_at=now,
            channel=channel,
            person=person,
            text=text,
            understood=[list(line) for line in parsed.understood],
            remarks=[remark.as_json() for remark in reviewed.reading.remarks],
            final=final,
            entered_by=entered_by,
            posted_on=posted_on,
            read_back=read_back,
            request_key=request_key,
            member=sender.number if sender is not None else 0,
            proposal=proposal,
            late=late,
            counts=counts,
            salt=secrets.token_hex(16),
        )
        submission.read_in = state
        if counts and submission.channel != Submission.Channel.PROGRAM:
            _stand_aside(submission, held)
        _enter(submission, held)
        if person is not None or entered_by is not None:
            game_letters.receipt(submission, now, answered=answered)
            named_stocks.ask(submission, reviewed.unknown, now)
        if channel == Submission.Channel.WEB:
            Draft.objects.filter(seat=seat, phase=phase, person=person).delete()
        if submission.counts:
            deadlines.update_due_time(phase, now)
    return submission


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
    raise LedgerError(f"Nothing was written. {instruction}")


def _check_seen(newest: Submission | None, seen: str) -> None:
    """Raise `NewerOrders` if the newest orders were written by hand and the sender saw others.

    `seen` is the hash of those that the sender's page showed, "" if it showed none.
    """
    if newest is None or newest.channel == Submission.Channel.PROGRAM:
        return
    if newest.hash != seen:
        raise NewerOrders(newest)


def _check_new(
    seat: Seat,
    phase: Phase,
    sender: teams.Member | None,
    person: Person | None,
    text: str,
    final: bool,
) -> Submission | None:
    """Return the seat's newest submission; raise `DuplicateOrders` if this one repeats it.

    In a team, only the sender's own rows are compared, unless the sender is its spokesman. The
    caller has locked the game's row.
    """
    rows = phase.submissions.filter(seat=seat)
    if sender is not None and not (sender.spokesman and teams.has_spokesman(phase.game)):
        rows = rows.filter(person=person)  # votes and proposals of other members do not matter here
    last = rows.order_by("-number").first()
    if (
        last is not None
        and (last.person_id, last.text, last.final) == (person and person.pk, text, final)
        and last.channel == Submission.Channel.WEB
    ):
        raise DuplicateOrders(last)
    return last


def _check_lines(read: Reading) -> None:
    """Raise `RefusedLines` if a line of the orders is rejected."""
    refused = {remark.line for remark in read.remarks if remark.severity == "error"}
    if refused:
        lines = {number for number, _ in read.understood} | refused
        raise RefusedLines(len(refused), len(lines))


def _stand_aside(submission: Submission, held: LockedGame) -> None:
    """Take back a stand-in's orders when the player sends their own.

    Needed where lines are merged: otherwise the player's lines would only be added to the
    stand-in's.
    """
    if submission.game.options["orders.amend"] != "merge_lines":
        return
    before = in_force.submission_in_force(submission.seat, submission.phase)
    if before is None or before.channel != Submission.Channel.PROGRAM:
        return
    taken_back = Submission(
        game=submission.game,
        seat=submission.seat,
        phase=submission.phase,
        received_at=submission.received_at,
        channel=Submission.Channel.PROGRAM,
        person=None,
        text=record.CANCELLED,
        counts=False,
        salt=secrets.token_hex(16),
    )
    _enter(taken_back, held)


def cancel(
    seat: Seat,
    *,
    channel: Submission.Channel | str,
    person: Person | None,
    now: datetime,
    meant_for: Phase | None = None,
    held: LockedGame | None = None,
) -> Submission:
    """Take back everything that a seat has sent in this phase.

    Raise `LedgerError` where there is nothing to take back. Nothing is deleted: the withdrawal is
    itself a submission that consists of one comment (record.is_withdrawal). If it is late, it is
    stored and changes nothing.
    """
    with transaction.atomic():
        held = held or take(seat.game, seat)
        game = held.game
        phase = _phase_for(held, meant_for, "there are no orders to take back")
        if game.is_over:
            raise LedgerError(f"“{game.title}” is over: no orders can be taken back any more.")
        sender = _sending_member(seat, phase, person)
        _check_withdrawal(seat, phase, sender)
        if in_force.submission_in_force(seat, phase) is None and not (
            sender is not None and sender.number in in_force.votes(phase).get(seat.nation, {})
        ):
            nothing_text = (
                "a report back, but there is none"
                if seat.referee
                else f"orders back, but none of {seat.nation} are in force"
            )
            raise LedgerError(f"CANCEL takes {nothing_text}. Nothing needs to be taken back.")
        submission = Submission(
            game=game,
            seat=seat,
            phase=phase,
            received_at=now,
            channel=channel,
            person=person,
            text=record.CANCELLED,
            member=sender.number if sender is not None else 0,
            late=phase.status != Phase.Status.OPEN or now > phase.closes_at,
            counts=False,
            salt=secrets.token_hex(16),
        )
        _enter(submission, held)
        if not submission.late:
            deadlines.update_due_time(phase, now)
    return submission


def is_in_time(received: datetime, deadline: datetime, game: Game) -> bool:
    """Return whether orders arrived before the announced deadline, with the game's grace.

    Orders in time can still be late where the phase was closed early.
    """
    return received <= deadline + game.grace


def chain_hash(submission: Submission) -> str:
    """Return the hash that chains a submission to the one before.

    It makes changing, removing or inserting rows detectable.
    """
    return record.chain_hash(
        previous=submission.previous_hash,
        number=submission.number,
        nation=submission.seat.nation,
        turn=submission.phase.turn,
        phase=submission.phase.kind,
        received=record.instant(submission.received_at),
        channel=str(submission.channel),
        salt=submission.salt,
        text=submission.text,
        member=submission.member,
        proposal=submission.proposal,
    )


# --- who may send ---


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


def _check_withdrawal(seat: Seat, phase: Phase, sender: teams.Member | None) -> None:
    """Raise `LedgerError` for a CANCEL by a member who may only propose.

    The orders in force are the spokesman's to take back.
    """
    if sender is not None and teams.has_spokesman(phase.game) and not sender.spokesman:
        raise LedgerError(
            f"CANCEL takes orders back, but those of {seat.nation} are its spokesman’s: nothing was"
            " taken back. What you have sent are proposals; tell your team with TEAM that yours no"
            " longer counts."
        )
