"""Results that wait for the gamesmaster."""

from __future__ import annotations

from datetime import datetime, timedelta

from games.models import Act, Phase
from games.outbox.messages import game as letters
from games.outbox.outgoing import Outgoing
from games.rules.rulings import Judged
from games.turns import lifecycle
from games.turns.lifecycle import Event


def is_released(phase: Phase) -> bool:
    """Whether the gamesmaster has let the result of a phase go."""
    return Act.objects.filter(phase=phase, kind="released").exists()


def to_place(phase: Phase, judged: Judged, released: bool) -> dict[str, int]:
    """What the gamesmaster is to place before this result goes out, by nation; {} once he has let
    it go without.

    Whatever makes the phase due (hours of approval, a hold that is lifted, a ruling revoked), it
    does not go out before.
    """
    left = dict(phase.game.rules.unplaced(judged.state, judged.orders))
    return {} if released else left


def wait_anew(phase: Phase, judged: Judged, now: datetime) -> None:
    """After a ruling on a result that waits for something to be placed: with nothing left it goes
    out at once, or after the usual hours."""
    if (
        phase.status != Phase.Status.APPROVAL
        or phase.due_at is not None
        or to_place(phase, judged, is_released(phase))
    ):
        return
    due = now + timedelta(hours=phase.game.approval_hours)
    waiting = Phase.objects.filter(pk=phase.pk, status=Phase.Status.APPROVAL, due_at=None)
    if lifecycle.update(waiting, Event.RULED_ON, due_at=due) == 1 and due > now:
        with Outgoing([phase.game]) as out:
            letters.approval(phase, judged, due, now, out)
