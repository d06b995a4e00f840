"""Find orders that came late, which the gamesmaster may let count by a ruling."""

from __future__ import annotations

from games.models import Game, Phase
from games.rules import rulings
from games.turns import judging, ruling_plan
from orders.models import Submission


def late_orders(game: Game, phase: Phase) -> list[Submission]:
    """Return what came too late for this phase or the one before, and no ruling decides about.

    Of each nation the newest that can be read. Later phases would have to be judged again. A ruling
    on the orders of a nation decides about all of them that had come by then.
    """
    rows = Submission.objects.filter(phase__in=[phase.pk, phase.previous_id], late=True)
    newest = {
        row.seat_id: row
        for row in rows.select_related("seat", "phase").order_by("number")
        if row.understood
    }
    if not newest:
        return []
    standing = {ruling.number for ruling in rulings.in_force(judging.rulings_of(game))}
    ruled_at = {
        (ruling.phase_id, ruling.what["nation"]): ruling.made_at
        for ruling in game.rulings.filter(kind="orders", number__in=standing).order_by("number")
    }
    for row in newest.values():
        row.game = row.phase.game = game
    return [
        row
        for row in newest.values()
        if row.received_at > ruled_at.get((row.phase_id, row.seat.nation), row.phase.opened_at)
        and ruling_plan.may_be_ruled_on(row.phase)
    ]
