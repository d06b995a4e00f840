"""Keep orders for later phases of a game, private to their writer; send them when the phase opens.

Not even the gamesmaster sees them before that. They are then a submission like any other, with a
receipt that says what no longer fits.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from games import permissions, positions
from games.models import Game, Person, Phase, Seat
from games.rules import PhaseId, Reading, foreseen
from orders.intake import chain, ledger
from orders.models import OrdersAhead, Submission

logger = logging.getLogger(__name__)

#: How many sets a person may keep for a seat, one for each phase: 2 or 3 turns.
MOST = 6
#: In characters; far more than any order set needs.
LONGEST_TEXT = 5_000
#: How many are sent in one tick.
MOST_A_TICK = 100
#: Codes of remarks that apply on any board.
SURE = ("unreadable", "wrong_phase", "own_nation", "not_allowed")


class OrdersAheadError(Exception):
    """The orders ahead cannot be kept. `str()` is one sentence for the sender."""


@dataclass(frozen=True)
class LaterPhase:
    """A phase that has not opened yet and takes orders.

    `state`: the state in which it would be played if nobody ordered anything before.
    """

    phase: PhaseId
    title: str
    state: Any


@dataclass(frozen=True)
class KeptSet:
    """A stored set, with the remarks that can be made now."""

    row: OrdersAhead
    title: str
    reading: Reading


def phases(seat: Seat, phase: Phase) -> list[LaterPhase]:
    """Return the next phases in which the nation may order; none where none can be foreseen."""
    game = seat.game
    if not game.rules.foreseeable or game.is_over:
        return []
    later_phases: list[LaterPhase] = []
    for coming in foreseen.phases_after(game.rules, positions.state_of(phase)):
        facts = game.rules.facts(coming.phase, game.options)
        if not facts.idle and seat.nation in game.rules.acting_nations(coming.state):
            later_phases.append(LaterPhase(coming.phase, facts.title, coming.state))
        if len(later_phases) == MOST:
            break
    return later_phases


def own_sets(seat: Seat, phase: Phase, person: Person) -> list[KeptSet]:
    """Return this person's sets for the seat, the next phase first."""
    rows = {
        row.turn_and_kind: row
        for row in OrdersAhead.objects.filter(seat=seat, person=person)
        if permissions.reads_orders_ahead(person, row)
    }
    if not rows:
        return []
    return [
        KeptSet(row, later.title, reading_ahead(seat, later, row.text))
        for later in phases(seat, phase)
        if (row := rows.get(later.phase)) is not None
    ]


def kept_at(seat: Seat, person: Person, phase: PhaseId) -> datetime | None:
    """Return when this person wrote the set that they keep for a later phase, or None."""
    rows = OrdersAhead.objects.filter(seat=seat, person=person, turn=phase.turn, kind=phase.kind)
    return rows.values_list("kept_at", flat=True).first()


def keep(
    seat: Seat, phase: Phase, person: Person, wanted: PhaseId, text: str, now: datetime
) -> KeptSet:
    """Save a set, written now, for a later phase in place of this person's last.

    Raise `OrdersAheadError`.
    """
    later = _later(seat, phase, person, wanted)
    why = ledger.refusal(text)
    if not why and len(text) > LONGEST_TEXT:
        why = (
            f"These orders have more than {LONGEST_TEXT:,} characters. Send the order lines alone."
        )
    reading = reading_ahead(seat, later, text)
    if not why and not reading.understood:
        first = next((remark.message for remark in reading.remarks), "Nothing was written.")
        why = f"Nothing was saved for {later.title}: {first}"
        if reading.doubt is not None and reading.doubt.lines:
            why += f" If you mean “{'; '.join(reading.doubt.lines)}”, send it so, one per line."
    if why:
        raise OrdersAheadError(why)
    row, _ = OrdersAhead.objects.update_or_create(
        seat=seat,
        person=person,
        turn=later.phase.turn,
        kind=later.phase.kind,
        defaults={"text": text, "kept_at": now},
    )
    return KeptSet(row, later.title, reading)


def cancel(seat: Seat, phase: Phase, person: Person, wanted: PhaseId) -> str:
    """Delete a set and return the title of its phase. Raise `OrdersAheadError` if there is none."""
    later = _later(seat, phase, person, wanted)
    rows = OrdersAhead.objects.filter(seat=seat, person=person, turn=wanted.turn, kind=wanted.kind)
    if not rows.delete()[0]:
        raise OrdersAheadError(f"You have no orders for {later.title}, so nothing was taken back.")
    return later.title


def enter(now: datetime) -> int:
    """Send the sets of phases that have opened, and return how many were handled.

    They were stored before the phase opened, so they are in time.
    """
    waiting = (
        OrdersAhead.objects.filter(
            seat__game__status=Game.Status.RUNNING,
            seat__game__phases__status=Phase.Status.OPEN,
            seat__game__phases__turn=F("turn"),
            seat__game__phases__kind=F("kind"),
        )
        .select_related("seat__game", "person")
        .order_by("pk")
    )
    handled = 0
    for row in waiting:
        # Only handled sets count: those that fail must not delay the others.
        if handled >= MOST_A_TICK:
            break
        try:
            handled += _enter(row)
        except Exception:  # a fault in one set must not stop the others
            logger.exception("the %s have not become orders", row)
    return handled


def _enter(row: OrdersAhead) -> bool:
    """Send one set as a submission. Return whether the set is done with."""
    seat, person = row.seat, row.person
    with transaction.atomic():
        held = chain.take(seat.game, seat, several=True)
        phase = held.phase
        if phase is None or (phase.turn, phase.kind) != row.turn_and_kind:
            return False
        # Two ticks may reach the same set; only one deletes the row. What a person saves meanwhile,
        # on a page from before the phase opened, waits for the next tick.
        same = OrdersAhead.objects.filter(pk=row.pk, text=row.text)
        if phase.status != Phase.Status.OPEN or not same.delete()[0]:
            return False
        earlier = Submission.Channel.PROGRAM, Submission.Channel.AHEAD
        newer = phase.submissions.filter(seat=seat).exclude(channel__in=earlier)
        if (newer.filter(person=person) if seat.team else newer).exists():
            return True  # orders sent since the phase opened take precedence
        try:
            with transaction.atomic():
                arrival = ledger.Arrival(
                    Submission.Channel.AHEAD, person, phase.opened_at, meant_for=phase
                )
                ledger.receive(seat, row.text, arrival, held=held)
        except ledger.LedgerError as refused:  # for example, the person has left the seat
            logger.info("the %s have not become orders: %s", row, refused)
    return True


def _later(seat: Seat, phase: Phase, person: Person, wanted: PhaseId) -> LaterPhase:
    """Return a later phase where the person may order. Raise `OrdersAheadError` if it is none."""
    if not permissions.holds(person, seat):
        raise OrdersAheadError(f"You do not play {seat.nation}. Nothing was saved.")
    later_phases = phases(seat, phase)
    for later in later_phases:
        if later.phase == wanted:
            return later
    if not later_phases:
        raise OrdersAheadError(
            "You cannot send orders for a later phase of this game now. Nothing was saved."
        )
    titles = "; ".join(later.title for later in later_phases)
    raise OrdersAheadError(
        f"You can send orders ahead for these phases: {titles}. Nothing was saved."
    )


def reading_ahead(seat: Seat, later: LaterPhase, text: str) -> Reading:
    """Return the parsed orders for a later phase, with the remarks that apply on any board."""
    parsed: Reading = seat.game.rules.read(text, seat.nation, later.state)
    remarks = tuple(
        item for item in parsed.remarks if item.severity == "error" and item.code in SURE
    )
    return replace(parsed, remarks=remarks)
