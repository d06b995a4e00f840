"""Orders that a gamesmaster takes down, on the telephone or from paper: read back in words, then
received like all others.

The code under which orders were read back is made of what was understood: whoever has heard it can
tell at any time that the orders in the ledger are those that he has heard. It is an everyday check
and no secret.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from games import permissions, positions
from games.market import bank
from games.models import Call, Person, Phase, Seat
from games.rules import Reading, Remark
from games.seats import teams

from . import ledger
from .models import Submission

#: No two of these look alike in handwriting or sound alike on a bad line.
ALPHABET = "AFHJKMQRUWXY2346789"
CODE_LENGTH = 4


@dataclass(frozen=True)
class ReadBack:
    """A text as it is read back: each understood line as a sentence, with its number.

    `remarks` are about lines that do nothing, `missing` is what else the caller should hear: PFs
    not placed, attacks below 1-1, stocks that cannot decide. `code` is empty where no line was
    understood.
    """

    lines: tuple[tuple[int, str], ...]
    remarks: tuple[Remark, ...]
    code: str
    missing: tuple[Remark, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing is written yet."""
        return not (self.lines or self.remarks or self.missing)


def read_back(
    seat: Seat, phase: Phase, text: str, now: datetime, *, hushed: bool = False
) -> ReadBack:
    """What is read back of a text, which nobody has received yet. Nothing is stored. Raises
    `LedgerError` for what is no text at all.

    `hushed`: as of `ledger.reading`.
    """
    if why := ledger.refusal(text):
        raise ledger.LedgerError(why)
    read = ledger.reading(seat, phase, text, now, hushed=hushed)
    state, rules = positions.state_of(phase), phase.game.rules
    return ReadBack(
        lines=rules.speech.orders(
            rules.view(state, None) if hushed else state, seat.nation, text, bank.companies()
        ),
        remarks=tuple(remark for remark in read.remarks if remark.severity == "error"),
        code=code_of(seat, phase, read),
        missing=tuple(remark for remark in read.remarks if remark.severity != "error"),
    )


def code_of(seat: Seat, phase: Phase, read: Reading) -> str:
    """Four signs that stand for the orders of a nation in a phase: the same orders have the same
    code, however they were written."""
    return code(seat, phase, [words for _, words in read.understood])


def code(seat: Seat, phase: Phase, understood: Iterable[str]) -> str:
    """The code of canonical lines, in their order; empty where there are none."""
    lines = list(understood)
    if not lines:
        return ""
    said = "\n".join([f"game {seat.game_id}", f"phase {phase.number}", seat.nation, *lines])
    number = int.from_bytes(hashlib.sha256(said.encode()).digest(), "big")
    signs = []
    for _ in range(CODE_LENGTH):
        number, sign = divmod(number, len(ALPHABET))
        signs.append(ALPHABET[sign])
    return "".join(signs)


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
    """Writes orders into the ledger that `by` has taken down for a seat. Raises `LedgerError` with
    one sentence where he cannot.

    Everybody who sits there gets the receipt, which says who took them down. `heard` is the code
    under which they were read back: orders that have changed since are not marked as read back, but
    refused. They are late by the moment at which they are typed in, whatever the postmark
    `posted_on` says: that is for a ruling.
    """
    if posted_on is not None and posted_on > now.astimezone(seat.game.zoneinfo).date():
        raise ledger.LedgerError(
            f"The postmark, {posted_on.day} {posted_on:%B %Y}, is of a day to come. Look at the"
            " envelope again."
        )
    phase = meant_for or seat.game.phases.current()
    sender = next(iter(permissions.controlling(seat, phase)), seat)
    if caller is None and sender.team and len(teams.members(sender)) > 1:
        raise ledger.LedgerError(
            f"Several people play {sender.nation}: say which of them these orders of {seat.nation}"
            " are from."
        )
    code = ""
    if read_back and phase is not None and not ledger.refusal(text):
        code = code_of(seat, phase, ledger.reading(seat, phase, text, now))
        if heard != code:
            said = (
                f"were read back as {heard} and are {code or 'none that can be read'} now"
                if heard
                else "have not been read back yet"
            )
            raise ledger.LedgerError(
                f"The orders of {seat.nation} {said}. Read them back as they stand, then take them"
                " down."
            )
    return ledger.receive(
        seat,
        text,
        channel=channel,
        person=caller,
        now=now,
        final=final,
        meant_for=meant_for,
        entered_by=by,
        posted_on=posted_on,
        read_back=code,
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
    """Notes a telephone call about a phase. Raises `LedgerError` for an outcome that is none."""
    if outcome not in Call.Outcome.values:
        raise ledger.LedgerError(
            f"“{outcome[:40]}” is no outcome of a call; choose one of the buttons."
        )
    if "\0" in note:
        raise ledger.LedgerError("The note contains a character we cannot store. Please retype it.")
    note = " ".join(note.split())[:300]
    return Call.objects.create(
        phase=phase, seat=seat, person=person, outcome=outcome, note=note, made_by=by, made_at=now
    )


def last_calls(phase: Phase) -> dict[int, Call]:
    """The last call about a phase of each seat, by the seat's id."""
    return {
        call.seat_id: call
        for call in phase.calls.select_related("made_by", "person").order_by("pk")
    }
