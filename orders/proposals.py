"""Proposals: what members of a team send where its spokesman's orders alone count, and how he makes
one of them his (F1)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from games import permissions
from games.models import Person, Phase, Seat
from games.seats import teams

from . import ledger
from .models import Submission


def of_phase(seat: Seat, phase: Phase) -> list[Submission]:
    """What members have proposed for a seat in a phase, newest first; late ones and unreadable ones
    are left out."""
    rows = phase.submissions.filter(seat=seat, proposal=True, late=False).exclude(understood=[])
    return list(rows.select_related("seat", "person").order_by("-number"))


def without_obsolete(proposed: Iterable[Submission], seat: Seat, phase: Phase) -> list[Submission]:
    """Return those that the spokesman may still want: the newest of each member, unless orders of
    the same text have come since.

    `proposed`: of `of_phase`, newest first.
    """
    newest: dict[int | None, Submission] = {}
    for row in proposed:
        newest.setdefault(row.person_id, row)
    sent = phase.submissions.filter(seat=seat, proposal=False, counts=True)
    orders = list(sent.values_list("number", "text")) if newest else []
    return [
        row
        for row in newest.values()
        if not any(number > row.number and text == row.text for number, text in orders)
    ]


def find(seats: Iterable[Seat], phase: Phase | None, number: int) -> Submission:
    """The proposal of this number for one of the seats. Raises `LedgerError` where there is none in
    the phase."""
    if phase is not None:
        for seat in seats:
            for proposed in of_phase(seat, phase):
                if proposed.seat_number == number:
                    proposed.seat = seat
                    return proposed
    raise ledger.LedgerError(
        f"ADOPT {number} was not done: your team has no proposal No. {number} in this phase."
    )


def adopt(
    proposed: Submission,
    person: Person,
    *,
    channel: Submission.Channel | str,
    now: datetime,
    meant_for: Phase | None = None,
    answered: bool = False,
    held: ledger.Held | None = None,
) -> Submission:
    """Sends a proposal as the spokesman's own orders: a submission like any other. Raises
    `LedgerError` for who is not the spokesman."""
    seat, phase = proposed.seat, proposed.phase
    me = teams.member(next(iter(permissions.controlling(seat, phase)), seat), person)
    if me is None or not me.spokesman or not teams.has_spokesman(seat.game):
        raise ledger.LedgerError(
            f"No. {proposed.seat_number} was not adopted: only the spokesman of {seat.nation} makes"
            " a proposal its orders."
        )
    return ledger.receive(
        seat,
        proposed.text,
        channel=channel,
        person=person,
        now=now,
        final=proposed.final,
        meant_for=meant_for or phase,
        answered=answered,
        held=held,
    )
