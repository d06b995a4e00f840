"""The states of a phase, and the only code that writes `status`, `deadline` and `due_at`.

    open -> locked -> resolved             a placement: both in one step at its deadline
    open -> drawing -> resolved            attacks: digits are drawn in between
    locked, drawing -> approval -> resolved    where results wait for the gamesmaster
    any state of play -> held -> where it was held from
    any state -> undone -> where it was    a ruling rolls back; its revocation brings back

`TRANSITIONS` lists every step; all others are refused. A phase changes in the database by one
conditional UPDATE (`update`), so that the later of two callers changes nothing; a phase in memory
is changed by `change` and written by the code that holds its game's row (`save`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, TypeAlias

from django.db.models import QuerySet

from games.models import Phase

Phases: TypeAlias = QuerySet[Phase]

Status = Phase.Status
OPEN, LOCKED, DRAWING = Status.OPEN, Status.LOCKED, Status.DRAWING
APPROVAL, RESOLVED, HELD, UNDONE = Status.APPROVAL, Status.RESOLVED, Status.HELD, Status.UNDONE
#: The states in which a worker has something to do.
ACTIVE: Final = (OPEN, LOCKED, DRAWING, APPROVAL)


class Event(StrEnum):
    """What can happen to a phase."""

    DEADLINE_MOVED = "deadline moved"
    ORDERS_ARRIVED = "orders or a referee report arrived, or were taken back"
    MAIL_UNREAD = "inbound mail still unread"
    WAY_SHUT = "orders, or a ruling, on their way cannot come in"
    TIME_GIVEN_BACK = "time given back after an outage"
    GIVEN_UP = "practice game given up"
    CLOSED = "closed"
    FIGURES_MISSING = "figures still missing"
    FIGURES_ENTERED = "figures entered, or to be looked for at once"
    SESSION_CHANGED = "session corrected"
    JUDGED = "judged"
    RELEASED = "released by the gamesmaster"
    RULED_ON = "ruled on"
    RESUMED = "game resumed"
    CLOCK_SET_RIGHT = "clock set right"
    FAILED = "failed, to be tried again"
    HELD = "set aside for a person"
    LIFTED = "hold lifted"
    ROLLED_BACK = "rolled back"
    BROUGHT_BACK = "rollback revoked"


def _transitions_to_self(*states: Phase.Status) -> dict[Phase.Status, frozenset[Phase.Status]]:
    return {state: frozenset({state}) for state in states}


def _transitions_to(
    states: Iterable[Phase.Status], *to: Phase.Status
) -> dict[Phase.Status, frozenset[Phase.Status]]:
    return {state: frozenset(to) for state in states}


#: Which events are possible in which state, and the states they lead to.
TRANSITIONS: Final[Mapping[Event, Mapping[Phase.Status, frozenset[Phase.Status]]]] = {
    Event.DEADLINE_MOVED: _transitions_to_self(OPEN),
    Event.ORDERS_ARRIVED: _transitions_to_self(OPEN),
    Event.MAIL_UNREAD: _transitions_to_self(OPEN),
    Event.WAY_SHUT: _transitions_to_self(OPEN, APPROVAL),
    Event.TIME_GIVEN_BACK: _transitions_to_self(OPEN, APPROVAL),
    Event.GIVEN_UP: _transitions_to_self(OPEN),
    Event.CLOSED: _transitions_to([OPEN], LOCKED, DRAWING),
    Event.FIGURES_MISSING: _transitions_to_self(DRAWING),
    Event.FIGURES_ENTERED: _transitions_to_self(DRAWING),
    Event.SESSION_CHANGED: _transitions_to_self(DRAWING),
    # a result that waits for approval is judged again when it goes out, and may have to wait again
    Event.JUDGED: _transitions_to([LOCKED, DRAWING, APPROVAL], RESOLVED, APPROVAL),
    Event.RELEASED: _transitions_to_self(APPROVAL),
    Event.RULED_ON: _transitions_to_self(LOCKED, DRAWING, APPROVAL),
    Event.RESUMED: _transitions_to_self(APPROVAL),
    Event.CLOCK_SET_RIGHT: _transitions_to_self(LOCKED, DRAWING),
    Event.FAILED: _transitions_to_self(*ACTIVE),
    Event.HELD: _transitions_to(ACTIVE, HELD),
    Event.LIFTED: _transitions_to([HELD], *ACTIVE),
    Event.ROLLED_BACK: _transitions_to([state for state in Status if state != UNDONE], UNDONE),
    Event.BROUGHT_BACK: _transitions_to([UNDONE], *(state for state in Status if state != UNDONE)),
}
#: Columns that a worker's step changes.
WRITTEN: Final = (
    "status", "due_at", "remind_at", "claim", "claimed_until", "attempts", "fault", "held_from",
    "locked_at", "digest", "leaves", "missed", "teams", "holders", "stocks", "exchange", "session",
    "session_opens", "session_closes", "first_reading_at", "policy", "witness_at", "seed",
)  # fmt: skip
#: Columns that end a worker's lease.
FREE: Final[Mapping[str, Any]] = {"claim": "", "claimed_until": None}
#: Columns that end a lease after a completed try.
DONE: Final[Mapping[str, Any]] = {**FREE, "attempts": 0, "fault": ""}


class TransitionError(Exception):
    """Raised for a transition that `TRANSITIONS` does not list; writes nothing."""

    def __init__(self, event: Event, status: str, to: str) -> None:
        super().__init__(f"a phase that is {status} cannot be {to} by “{event}”")


def allows(event: Event, status: str, to: str | None = None) -> bool:
    """Return whether an event is possible in a state and leads to `to` (None: to the same)."""
    to = status if to is None else to
    return to in TRANSITIONS[event].get(Status(status), frozenset())


def change(phase: Phase, event: Event, *, to: str | None = None, **columns: Any) -> None:
    """Change a phase in memory; `save` writes it. Raise `TransitionError` if impossible."""
    if not allows(event, phase.status, to):
        raise TransitionError(event, phase.status, to or phase.status)
    if to is not None:
        phase.status = to
    for name, value in columns.items():
        setattr(phase, name, value)


def update(phases: Phases, event: Event, *, to: str | None = None, **columns: Any) -> int:
    """Apply an event, by one UPDATE, to those of these phases where it is possible.

    Return how many changed. Raise `TransitionError` if the event leads to `to` from no state.
    """
    states = [state for state in Status if allows(event, state, to)]
    if not states:
        raise TransitionError(event, "in any state", to or "as it was")
    if to is not None:
        columns["status"] = to
    return phases.filter(status__in=states).update(**columns)


def release(phase: Phase) -> None:
    """End the lease of a phase in memory after a completed try."""
    for name, value in DONE.items():
        setattr(phase, name, value)


def save(phase: Phase) -> None:
    """Write a phase, new or changed. The caller holds the game's row."""
    phase.save()


def create_all(phases: Sequence[Phase]) -> None:
    """Write new phases."""
    Phase.objects.bulk_create(phases)


def save_all(phases: Sequence[Phase]) -> None:
    """Write the columns that a worker's step changes. The caller holds the rows.

    One statement of plain values: `bulk_update` writes a CASE of all rows for each column, which
    takes many times as long.
    """
    Phase.objects.bulk_create(
        phases, update_conflicts=True, unique_fields=["pk"], update_fields=WRITTEN
    )
