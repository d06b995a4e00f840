"""Receiving orders. Every intake (page, mail, telephone, program) ends in `receive`; nothing else
writes the ledger.

The newest submission of a seat that counts is in force. A text that arrives late, or of which no
line could be read, is kept and answered but replaces nothing: no order is lost by a slip of the pen
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
from games.outbox.messages import game as letters
from games.rules import Reading
from games.rules.verification import record
from games.seats import teams
from games.turns import deadlines
from orders import in_force

from . import named_stocks
from .models import Submission

#: A whole order set with every wish and comment stays far below; more is a mistake or an attack.
LONGEST_TEXT = 20_000
#: Each line that cannot be read is answered with a sentence: as many as a letter can hold, and ten
# times what any nation has to say.
MOST_LINES = 500
_LINE_END = re.compile(r"\r\n|\r|\n")  # as the rules count lines


class LedgerError(Exception):
    """Orders that could not be received at all. `str()` is one sentence for the sender."""


class SentAlready(LedgerError):
    """The same orders once more, such as by a double click. `submission` is what they came to."""

    def __init__(self, submission: Submission) -> None:
        super().__init__(f"These orders have arrived already: No. {submission.seat_number}.")
        self.submission = submission


class NewerOrders(LedgerError):
    """Orders have arrived that the sender had not seen. `newer` are in force, and stay."""

    def __init__(self, newer: Submission) -> None:
        super().__init__("Newer orders have arrived since you opened this page.")
        self.newer = newer


class RefusedLines(LedgerError):
    """Some lines would be refused. Nothing was received: the sender is asked first."""

    def __init__(self, number: int, of: int) -> None:
        lines = (
            "the line" if of == 1 else "all lines" if number == of else f"{number} of {of} lines"
        )
        super().__init__(f"{lines[0].upper()}{lines[1:]} would be refused.")


def refusal(text: str) -> str:
    """Why a text cannot be received whatever it says, in one sentence; nothing where it can."""
    if len(text) > LONGEST_TEXT:
        return (
            f"These orders are {len(text):,} characters long; at most {LONGEST_TEXT:,} are taken."
            " Send the order lines alone."
        )
    if (number := len(_LINE_END.findall(text)) + 1) > MOST_LINES:
        return (
            f"These orders have {number:,} lines; at most {MOST_LINES} are taken. Send the order"
            " lines alone."
        )
    for number, line in enumerate(_LINE_END.split(text), start=1):
        # PostgreSQL stores no zero character, and nothing can store half of a sign: what cannot be
        # kept as it was sent is not taken.
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

    Nothing is stored, and no source is asked. `state`: the one in which the phase is played, if the
    caller has it. `hushed`: the reader may not know what the nation knows
    (`permissions.lacks_secrets_of`); remarks must not reveal it.
    """
    state = positions.state_of(phase) if state is None else state
    state = seat.game.rules.view(state, None) if hushed else state
    return named_stocks.review(
        seat.game.rules.read(text, seat.nation, state), text, seat, phase, state, now
    ).reading


#: What of a game may change while it is played and matters to what is received.
CHANGING = ("status", "last_submission", "may_lock_early", "paused_at", "record_hash")


@dataclass
class Held:
    """A game whose row the caller holds to the end of the transaction: its phase, and the end of
    the chain, which goes on."""

    game: Game
    phase: Phase | None
    last_hash: str
    numbered: bool = False  # whether the game's row has the number of the next submission already


#: The same beside its phase: a column of the game that the phase has too has another name here.
_OF_GAME = {f"game_{name}": F(f"game__{name}") for name in CHANGING}


def take(game: Game, *, submissions: int = 0) -> Held:
    """Takes a game's row, brings the game up to date, and gives what stands then. To be called in a
    transaction.

    For a way in that does several things under one lock (orders.inbound.execute). For one
    submission (`submissions` = 1) the row is taken by writing its number.
    """
    number = F("last_submission") + submissions
    Game.objects.filter(pk=game.pk).update(last_submission=number)
    newest = Submission.objects.filter(game=game).order_by("-number").values("hash")[:1]
    phases = game.phases.all()
    if submissions:  # the position holds for one submission, not for all that a message may do
        phases = positions.with_positions(phases)
    phase = phases.annotate(newest_hash=Subquery(newest), **_OF_GAME).current()
    if phase is None:
        game.refresh_from_db(fields=CHANGING)
    else:
        phase.game = game
        for name in CHANGING:
            setattr(game, name, phase.__dict__[f"game_{name}"])
    game.last_submission -= submissions
    last_hash = phase.__dict__["newest_hash"] or "" if phase is not None else ""
    return Held(game, phase, last_hash, numbered=bool(submissions))


def _enter(submission: Submission, held: Held) -> None:
    """Number a submission in its game and its seat, chain it to the one before, and write it."""
    submission.number = held.game.last_submission + 1
    of_seat = Submission.objects.filter(seat=submission.seat_id).order_by("-seat_number")
    last = of_seat.values_list("seat_number", flat=True).first()
    submission.seat_number = (last or 0) + 1
    submission.previous_hash = held.last_hash
    submission.hash = chain_hash(submission)
    submission.save()
    if not held.numbered:
        Game.objects.filter(pk=held.game.pk).update(last_submission=submission.number)
    held.numbered = False
    held.game.last_submission, held.last_hash = submission.number, submission.hash


def receive(
    seat: Seat,
    text: str,
    *,
    channel: Submission.Channel | str,
    person: Person | None,
    now: datetime,
    final: bool = False,
    meant_for: Phase | None = None,
    answered: bool = False,
    entered_by: Person | None = None,
    posted_on: date | None = None,
    read_back: str = "",
    request_key: str = "",
    held: Held | None = None,
    once: bool = False,
    seen: str | None = None,
    whole: bool = False,
) -> Submission:
    """Writes one order set into the ledger and answers it by letter. Raises `LedgerError` where
    there is nothing to receive it for.

    `answered`: the way in writes an answer of its own, which says what the receipt would say
    (orders.inbound.execute).

    `meant_for` is the phase that the sender had before him, where the way in knows it: if that one
    has been closed meanwhile, the orders are late for it and are not taken for the phase that has
    opened since.

    `entered_by` took the orders down from the telephone or from paper, with the postmark
    `posted_on` or under the code `read_back` (orders.telephone); then the receipt goes to everybody
    who sits there. `request_key` is that of a program (orders.requests).

    `once`: raise `SentAlready` for what this person has sent last, unchanged. `seen` is the hash of
    the newest orders that the sender's page showed, "" of one that showed none: where newer ones
    are in force, raise `NewerOrders` before replacing them. `whole`: raise
    `RefusedLines` for orders in time of which a line would be refused.

    The game's row is locked first, as the lock of a phase does: a submission is either wholly
    before the lock or wholly after it. `held` is what the caller has who has locked it already
    (`take`).
    """
    if why := refusal(text):
        raise LedgerError(why)
    with transaction.atomic():
        held = held or take(seat.game, submissions=1)
        game, phase = held.game, held.phase
        if phase is None:
            raise LedgerError(
                f"“{game.title}” has not begun: orders are taken from the first letter on."
            )
        if meant_for is not None and meant_for.pk != phase.pk:
            phase = game.phases.get(
                pk=meant_for.pk
            )  # as it is now: it may have been locked, or undone, since it was looked at
        sender = _sending_member(seat, phase, person)
        state = positions.state_of(phase)
        understood = game.rules.read(text, seat.nation, state)
        if not understood.sent:
            meant = (
                "For a sheet that lets every line be done and ends the Player-Turn, write REST DONE"
                " and END."
            )
            raise LedgerError(
                "Nothing was written."
                f" {meant if seat.referee else 'To send no orders on purpose, write PASS.'}"
            )
        if game.is_over:
            raise LedgerError(f"“{game.title}” is over: no more orders are taken.")
        last = _check_new(seat, phase, sender, person, text, final) if once else None
        late = phase.status != Phase.Status.OPEN or now > phase.closes_at
        acting = seat.nation in game.rules.acting(state)
        proposal = sender is not None and teams.has_spokesman(game) and not sender.spokesman
        in_order = bool(understood.understood) and acting and not late
        counts = in_order and not proposal
        if counts and seen is not None:
            alone = once and sender is None and (last is None or last.counts)
            newer = last if alone else in_force.newest(seat, phase, sender)
            by_hand = newer is not None and newer.channel != Submission.Channel.PROGRAM
            if newer is not None and by_hand and newer.hash != seen:
                raise NewerOrders(newer)
        reviewed = (
            named_stocks.review(understood, text, seat, phase, state, now)
            if in_order
            else named_stocks.Reviewed(understood)
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
            understood=[list(line) for line in understood.understood],
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
            letters.receipt(submission, now, answered=answered)
            named_stocks.ask(submission, reviewed.unknown, now)
        if submission.counts:
            deadlines.orders_arrived(phase, now)
    return submission


def _check_new(
    seat: Seat,
    phase: Phase,
    sender: teams.Member | None,
    person: Person | None,
    text: str,
    final: bool,
) -> Submission | None:
    """Return what was sent last; raise `SentAlready` where this is it. The caller holds the game's
    row."""
    rows = phase.submissions.filter(seat=seat)
    if sender is not None and not (sender.spokesman and teams.has_spokesman(phase.game)):
        rows = rows.filter(person=person)  # votes and proposals of others change nothing of it
    last = rows.order_by("-number").first()
    if (
        last is not None
        and (last.person_id, last.text, last.final) == (person and person.pk, text, final)
        and last.channel == Submission.Channel.WEB
    ):
        raise SentAlready(last)
    return last


def _check_lines(read: Reading) -> None:
    """Raise `RefusedLines` where one is refused."""
    refused = {remark.line for remark in read.remarks if remark.severity == "error"}
    if refused:
        lines = {number for number, _ in read.understood} | refused
        raise RefusedLines(len(refused), len(lines))


def _stand_aside(submission: Submission, held: Held) -> None:
    """What a stand-in has sent is none of the player's: where lines are merged it is taken back, or
    his would only be added to it."""
    if submission.game.options["orders.amend"] != "merge_lines":
        return
    before = in_force.in_force_of(submission.seat, submission.phase)
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
    held: Held | None = None,
) -> Submission:
    """Takes back all that a seat has sent in this phase: silence is silence again. Raises
    `LedgerError` where there is nothing.

    The ledger is never short: this too is a submission, of one comment (record.is_withdrawal).
    Late, it is kept and changes nothing.
    """
    with transaction.atomic():
        held = held or take(seat.game, submissions=1)
        game, phase = held.game, held.phase
        if phase is None:
            raise LedgerError(f"“{game.title}” has not begun: there are no orders to take back.")
        if meant_for is not None and meant_for.pk != phase.pk:
            phase = game.phases.get(
                pk=meant_for.pk
            )  # as it is now: it may have been locked, or undone, since it was looked at
        if game.is_over:
            raise LedgerError(f"“{game.title}” is over: no orders can be taken back any more.")
        sender = _sending_member(seat, phase, person)
        _check_withdrawal(seat, phase, sender)
        if in_force.in_force_of(seat, phase) is None and not (
            sender is not None and sender.number in in_force.votes(phase).get(seat.nation, {})
        ):
            none = (
                "a sheet back, but none stands"
                if seat.referee
                else f"orders back, but none of {seat.nation} are in force"
            )
            raise LedgerError(f"CANCEL takes {none}. Nothing needs to be taken back.")
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
            deadlines.orders_arrived(phase, now)
    return submission


def in_time(received: datetime, deadline: datetime, game: Game) -> bool:
    """Whether orders came before the last moment announced. Those that did and are late all the
    same found the phase closed early."""
    return received <= deadline + game.grace


def chain_hash(submission: Submission) -> str:
    """The hash that chains a submission to the one before: no row can be changed, left out or put
    in later unnoticed."""
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
    """Which member of its team sends for a seat; None where no team holds it. The caller holds the
    game's row.

    Raises `LedgerError` where the person may not order for the seat in this phase: he has left it,
    or another nation plays it this turn.
    """
    if seat.referee and (person is None or not permissions.may_order(person, seat, phase)):
        raise LedgerError(
            "Only a gamesmaster who does not play can send sheets: nothing was entered."
        )
    if person is None:
        return None
    if not permissions.may_order(person, seat, phase):
        raise LedgerError(
            f"You may not send orders for {seat.nation} in {phase.title}: nothing was entered."
        )
    return in_force.member_of(seat, phase, person)


def _check_withdrawal(seat: Seat, phase: Phase, sender: teams.Member | None) -> None:
    """Raises `LedgerError` for a CANCEL of who may only propose: what is in force is not his to
    take back."""
    if sender is not None and teams.has_spokesman(phase.game) and not sender.spokesman:
        raise LedgerError(
            f"CANCEL takes orders back, but those of {seat.nation} are its spokesman’s: nothing was"
            " taken back. What you have sent are proposals; tell your team with TEAM that yours"
            " holds no more."
        )
