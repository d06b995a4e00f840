"""Read and adopt proposals: orders of team members that count only if the spokesman adopts them.

(F1.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from games import permissions
from games.models import Phase, Seat
from games.seats import teams
from orders.intake import chain, ledger
from orders.models import Submission


def phase_proposals(seat: Seat, phase: Phase) -> list[Submission]:
    """Return the proposals for a seat in a phase, newest first.

    Late and unreadable ones are left out.
    """
    rows = phase.submissions.filter(seat=seat, proposal=True, late=False).exclude(understood=[])
    return list(rows.select_related("seat", "person").order_by("-number"))


def adoptable_proposals(
    proposed: Iterable[Submission], seat: Seat, phase: Phase
) -> list[Submission]:
    """Return the proposals that the spokesman may still adopt.

    The newest of each member, unless orders with the same text have been sent since. `proposed`:
    the result of `phase_proposals`, newest first.
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
    """Return the proposal with this number for one of the seats.

    Raise `LedgerError` if there is none in the phase.
    """
    if phase is not None:
        for seat in seats:
            for proposal in phase_proposals(seat, phase):
                if proposal.seat_number == number:
                    proposal.seat = seat
                    return proposal
    raise ledger.LedgerError(
        f"ADOPT {number} was not done: your team has no proposal No. {number} in this phase."
    )


def adopt(
    proposed: Submission, arrival: ledger.Arrival, *, held: chain.LockedGame | None = None
) -> Submission:
    """Send a proposal as the spokesman's own orders, as a submission like any other.

    They are not final: that the member needs no more time does not speak for the spokesman.
    They are for the proposal's phase if the arrival names none. Raise `LedgerError` if the person
    is not the spokesman.
    """
    seat, phase = proposed.seat, proposed.phase
    own_seat = next(iter(permissions.controlling_seats(seat, phase)), seat)
    me = teams.member(own_seat, arrival.person) if arrival.person is not None else None
    if me is None or not me.spokesman or not teams.has_spokesman(seat.game):
        raise ledger.LedgerError(
            f"No. {proposed.seat_number} was not adopted: only the spokesman of {seat.nation} makes"
            " a proposal its orders."
        )
    arrival = replace(arrival, meant_for=arrival.meant_for or phase)
    return ledger.receive(seat, proposed.text, arrival, held=held)
