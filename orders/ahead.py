"""Keep orders for later phases of a game, private to their writer, and send them when it opens.

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

from . import ledger
from .models import OrdersAhead, Submission

logger = logging.getLogger(__name__)

#: How many sets a person may keep for a seat, one a phase: two or three turns.
MOST = 6
#: Far more than any order set.
LONGEST_TEXT = 5_000
#: How many are sent in one tick.
MOST_A_TICK = 100
#: Refusals that hold whatever the board will be.
SURE = ("unreadable", "wrong_phase", "own_nation", "not_allowed")


class NotKept(Exception):
    """Orders ahead that cannot be kept. `str()` is one sentence for their sender."""


@dataclass(frozen=True)
class Later:
    """A phase that has not opened yet and takes orders.

    `state`: in which it would be played if nobody ordered anything before.
    """

    phase: PhaseId
    title: str
    state: Any


@dataclass(frozen=True)
class Kept:
    """A set as it is kept, with what can be said of it now."""

    row: OrdersAhead
    title: str
    reading: Reading


def phases(seat: Seat, phase: Phase) -> list[Later]:
    """Return the next phases in which the nation may order; none in a refereed game."""
    game = seat.game
    if game.rules.referee is not None or game.is_over:
        return []  # what comes of a gamesmaster's report nobody can know
    found: list[Later] = []
    for one in foreseen.phases_after(game.rules, positions.state_of(phase)):
        facts = game.rules.facts(one.phase, game.options)
        if not facts.idle and seat.nation in game.rules.acting(one.state):
            found.append(Later(one.phase, facts.title, one.state))
        if len(found) == MOST:
            break
    return found


def mine(seat: Seat, phase: Phase, person: Person) -> list[Kept]:
    """Return this person's sets for the seat, the next phase first."""
    rows = {
        row.turn_and_kind: row
        for row in OrdersAhead.objects.filter(seat=seat, person=person)
        if permissions.reads_orders_ahead(person, row)
    }
    if not rows:
        return []
    return [
        Kept(row, later.title, _reading(seat, later, row.text))
        for later in phases(seat, phase)
        if (row := rows.get(later.phase)) is not None
    ]


def keep(
    seat: Seat, phase: Phase, person: Person, wanted: PhaseId, text: str, now: datetime
) -> Kept:
    """Save a set for a later phase, replacing this person's previous one. Raises `NotKept`."""
    later = _later(seat, phase, person, wanted)
    why = ledger.refusal(text)
    if not why and len(text) > LONGEST_TEXT:
        why = (
            f"These orders have more than {LONGEST_TEXT:,} characters. Send the order lines alone."
        )
    reading = _reading(seat, later, text)
    if not why and not reading.understood:
        first = next((remark.message for remark in reading.remarks), "Nothing was written.")
        why = f"Nothing was kept for {later.title}: {first}"
    if why:
        raise NotKept(why)
    row, _ = OrdersAhead.objects.update_or_create(
        seat=seat,
        person=person,
        turn=later.phase.turn,
        kind=later.phase.kind,
        defaults={"text": text, "kept_at": now},
    )
    return Kept(row, later.title, reading)


def cancel(seat: Seat, phase: Phase, person: Person, wanted: PhaseId) -> str:
    """Delete a set and return the title of its phase. Raises `NotKept` if there is none."""
    later = _later(seat, phase, person, wanted)
    rows = OrdersAhead.objects.filter(seat=seat, person=person, turn=wanted.turn, kind=wanted.kind)
    if not rows.delete()[0]:
        raise NotKept(f"You keep no orders for {later.title}, so nothing was taken back.")
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
        .order_by("pk")[:MOST_A_TICK]
    )
    done = 0
    for row in waiting:
        try:
            done += _enter(row)
        except Exception:  # a fault in one set must not stop the others
            logger.exception("the %s have not become orders", row)
    return done


def _enter(row: OrdersAhead) -> bool:
    seat, person = row.seat, row.person
    with transaction.atomic():
        held = ledger.take(seat.game)
        phase = held.phase
        if phase is None or (phase.turn, phase.kind) != row.turn_and_kind:
            return False
        # Two ticks may come to the same set.
        if (
            phase.status != Phase.Status.OPEN
            or not OrdersAhead.objects.filter(pk=row.pk).delete()[0]
        ):
            return False
        newer = phase.submissions.filter(seat=seat).exclude(channel=Submission.Channel.PROGRAM)
        if (newer.filter(person=person) if seat.team else newer).exists():
            return True  # what was sent since the phase opened holds
        try:
            with transaction.atomic():
                ledger.receive(
                    seat,
                    row.text,
                    channel=Submission.Channel.AHEAD,
                    person=person,
                    now=phase.opened_at,
                    meant_for=phase,
                    held=held,
                )
        except ledger.LedgerError as refused:  # such as of somebody who has left the seat
            logger.info("the %s have not become orders: %s", row, refused)
    return True


def _later(seat: Seat, phase: Phase, person: Person, wanted: PhaseId) -> Later:
    if not permissions.holds(person, seat):
        raise NotKept(f"You do not play {seat.nation}: nothing was kept.")
    found = phases(seat, phase)
    for later in found:
        if later.phase == wanted:
            return later
    if not found:
        raise NotKept("No later phase of this game can be ordered for now: nothing was kept.")
    titles = "; ".join(later.title for later in found)
    raise NotKept(f"Orders can be kept for these phases: {titles}. Nothing was kept for another.")


def _reading(seat: Seat, later: Later, text: str) -> Reading:
    """How a text is read in a later phase, with what can be said of it whatever the board."""
    read: Reading = seat.game.rules.read(text, seat.nation, later.state)
    remarks = tuple(one for one in read.remarks if one.severity == "error" and one.code in SURE)
    return replace(read, remarks=remarks)
