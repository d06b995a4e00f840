"""Hold results back until the gamesmaster approves them."""

from __future__ import annotations

from datetime import datetime, timedelta

from games.models import Act, Phase
from games.outbox.messages import game_letters
from games.outbox.outgoing import Outgoing
from games.rules.rulings import JudgedPhase
from games.turns import lifecycle
from games.turns.lifecycle import Event


def is_released(phase: Phase) -> bool:
    """Return whether the gamesmaster has approved the result of a phase."""
    return Act.objects.filter(phase=phase, kind="released").exists()


def missing_placements(phase: Phase, judged: JudgedPhase, released: bool) -> dict[str, int]:
    """Return how many PFs the gamesmaster must place before this result goes out, by nation.

    Empty once they release it without placing. Nothing else that makes the phase due (hours of
    approval, a lifted hold, a revoked ruling) sends it out earlier.
    """
    left = dict(phase.game.rules.pf_to_place(judged.state, judged.orders))
    return {} if released else left


def restart_wait(phase: Phase, judged: JudgedPhase, now: datetime) -> None:
    """Restart the wait of a result after a ruling: it goes out now or after the usual hours.

    A result that still lacks placements keeps waiting for them.
    """
    if (
        phase.status != Phase.Status.APPROVAL
        or phase.due_at is not None
        or missing_placements(phase, judged, is_released(phase))
    ):
        return
    due = now + timedelta(hours=phase.game.approval_hours)
    waiting = Phase.objects.filter(pk=phase.pk, status=Phase.Status.APPROVAL, due_at=None)
    if lifecycle.update(waiting, Event.RULED_ON, due_at=due) == 1 and due > now:
        with Outgoing([phase.game]) as out:
            game_letters.approval(phase, judged, due, now, out)
