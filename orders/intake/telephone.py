"""Take down orders by telephone or from paper: read them back, then receive them like all others.

The read-back code is computed from what was understood. With it a caller can check at any time that
the orders in the ledger are those that were read to them. It is an everyday check and no secret.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from games import permissions, positions
from games.models import Call, Person, Phase, Seat
from games.rules import Doubt, Reading, Remark
from games.rules.plain.words import COMPANIES
from games.seats import teams
from orders.intake import ledger
from orders.models import Submission

#: No two of these characters look alike in handwriting or sound alike on a bad line.
ALPHABET = "AFHJKMQRUWXY2346789"
CODE_LENGTH = 4


@dataclass(frozen=True)
class ReadBack:
    """A text as it is read back: each understood line as a sentence, with its number.

    `remarks` are about lines that have no effect. `missing` is what else the caller should hear:
    PFs not placed, attacks below 1-1, stocks that cannot decide. `code` is empty if no line was
    understood.
    """

    lines: tuple[tuple[int, str], ...]
    remarks: tuple[Remark, ...]
    code: str
    missing: tuple[Remark, ...]
    doubt: Doubt | None = None  # what the caller must be asked about

    @property
    def empty(self) -> bool:
        """Return whether nothing has been written yet."""
        return not (self.lines or self.remarks or self.missing)


def read_back(
    seat: Seat, phase: Phase, text: str, now: datetime, *, hushed: bool = False, state: Any = None
) -> ReadBack:
    """Return what to read back for a text that has not been received yet. Nothing is stored.

    `hushed`, `state`: as in `ledger.reading`. Raise `LedgerError` if the text cannot be received at
    all.
    """
    if why := ledger.refusal(text):
        raise ledger.LedgerError(why)
    state, rules = positions.state_of(phase) if state is None else state, phase.game.rules
    parsed = ledger.reading(seat, phase, text, now, hushed=hushed, state=state)
    return ReadBack(
        lines=rules.speech.orders(
            rules.view(state, None) if hushed else state, seat.nation, text, COMPANIES
        ),
        remarks=tuple(remark for remark in parsed.remarks if remark.severity == "error"),
        code=code_of(seat, phase, parsed),
        missing=tuple(remark for remark in parsed.remarks if remark.severity != "error"),
        doubt=parsed.doubt,
    )


def code_of(seat: Seat, phase: Phase, read: Reading) -> str:
    """Return the read-back code of parsed orders: 4 characters.

    The same orders have the same code, however they were written.
    """
    return code(seat, phase, [words for _, words in read.understood])


def code(seat: Seat, phase: Phase, understood: Iterable[str]) -> str:
    """Return the read-back code of canonical lines in their order; "" if there are none."""
    lines = list(understood)
    if not lines:
        return ""
    text = "\n".join([f"game {seat.game_id}", f"phase {phase.number}", seat.nation, *lines])
    number = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    characters = []
    for _ in range(CODE_LENGTH):
        number, index = divmod(number, len(ALPHABET))
        characters.append(ALPHABET[index])
    return "".join(characters)


def take_down(
    seat: Seat,
    text: str,
    by: Person,
    now: datetime,
    *,
    caller: Person | None,
    read_back: bool,
    final: bool = False,
    channel: Submission.Channel | str = Submission.Channel.TELEPHONE,
    posted_on: date | None = None,
    meant_for: Phase | None = None,
    heard: str = "",
) -> Submission:
    """Write orders to the ledger that `by` has taken down for a seat.

    Raise `LedgerError` where that is not possible. Everybody in the seat gets the receipt, which
    says who took the orders down. `heard` is the code under which they were read back: if the
    orders have changed since, they are refused. The time of entry decides whether they are late,
    whatever the postmark `posted_on` says; that is left to a ruling.
    """
    if posted_on is not None and posted_on > now.astimezone(seat.game.zoneinfo).date():
        raise ledger.LedgerError(
            f"The postmark, {posted_on.day} {posted_on:%B %Y}, is in the future. Check the envelope"
            " again."
        )
    phase = meant_for or seat.game.phases.current()
    sender = next(iter(permissions.controlling_seats(seat, phase)), seat)
    if caller is None and sender.team and len(teams.members(sender)) > 1:
        raise ledger.LedgerError(
            f"Several people play {sender.nation}. Choose who sent these orders for {seat.nation}."
        )
    code = ""
    if read_back and phase is not None and not ledger.refusal(text):
        code = code_of(seat, phase, ledger.reading(seat, phase, text, now))
        if heard != code:
            sentence = (
                f"were read back as {heard} and are {code or 'none that can be read'} now"
                if heard
                else "have not been read back yet"
            )
            raise ledger.LedgerError(
                f"The orders of {seat.nation} {sentence}. Read them back as they are now, then save"
                " them."
            )
    taken_down = ledger.TakenDown(by, posted_on, code)
    arrival = ledger.Arrival(channel, caller, now, meant_for, taken_down)
    return ledger.receive(seat, text, arrival, final=final)


def in_doubt(submission: Submission) -> str:
    """Return what the person who took down orders in doubt is told."""
    nation, doubt = submission.seat.nation, submission.question
    read = "; ".join(doubt.lines) if doubt is not None else ""
    how = f"We would read them so: {read}." if read else "We found no one reading."
    return (
        f"Orders No. {submission.seat_number} for {nation} are in doubt: they are stored as a"
        f" question to the player and replace nothing. {how} Ask the player, and enter what they"
        " mean."
    )


def note_call(
    seat: Seat,
    phase: Phase,
    outcome: str,
    by: Person,
    now: datetime,
    *,
    person: Person | None = None,
    note: str = "",
) -> Call:
    """Record a telephone call about a phase. Notes are cut to 300 characters.

    Raise `LedgerError` for an unknown outcome, and for a note that contains a zero character.
    """
    if outcome not in Call.Outcome.values:
        raise ledger.LedgerError(
            f"“{outcome[:40]}” is not an outcome of a call. Use one of the buttons."
        )
    if "\0" in note:
        raise ledger.LedgerError("The note contains a character we cannot store. Please retype it.")
    note = " ".join(note.split())[:300]
    return Call.objects.create(
        phase=phase, seat=seat, person=person, outcome=outcome, note=note, made_by=by, made_at=now
    )


def last_calls(phase: Phase) -> dict[int, Call]:
    """Return the last call about a phase for each seat, by the seat's id."""
    return {
        call.seat_id: call
        for call in phase.calls.select_related("made_by", "person").order_by("pk")
    }
