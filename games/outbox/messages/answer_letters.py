"""Write the answer to an inbound message."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from games.models import Letter
from games.outbox import rows
from games.outbox.kinds import Kind
from games.outbox.messages import reply_letters

if TYPE_CHECKING:
    from orders.models import Handling

ANSWER = Kind(
    "answer", "the answer to a message", of_phase=True, to_muted=True, answers=True, awaited=True
)


class Outcome(Protocol):
    """The interface of `orders.inbound.replies.outcome.Outcome`; importing it would be a cycle."""

    phase: int | None

    def as_json(self) -> dict[str, Any]: ...


def write(handling: Handling, outcome: Outcome, now: datetime, *, to: str = "") -> Letter:
    """Write the answer to a message, once.

    `to`: the address the message came from, if it belongs to the sender. Outcome and letter are set
    on `handling`, which the caller saves in the same transaction.
    """
    assert handling.person is not None, "only a known sender is answered with an outcome"
    # A letter of another kind may have asked for a confirmation before.
    if handling.answer is not None and handling.answer.kind == ANSWER.id:
        return handling.answer
    handling.outcome = outcome.as_json()
    key = f"mail-{handling.mail_id}/answer"
    row = rows.row(
        key, ANSWER, now, handling.person, game=handling.game, about={"handling": handling.pk}
    )
    reply_letters.answering(row, handling.mail.message_id)
    row.phase_id = outcome.phase
    row.address = to or row.address
    row.save()
    handling.answer = row
    return row
