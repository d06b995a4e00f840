"""Find orders that came late, which the gamesmaster may let count by a ruling."""

from __future__ import annotations

from games.models import Game, Phase
from games.rules import rulings
from games.turns import judging, ruling_plan
from orders.models import Submission


def late_orders(game: Game, phase: Phase) -> list[Submission]:
    """Return what came too late for this phase or the one before, and no ruling lets count.

    Of each nation the newest that can be read. Later phases would have to be judged again.
    """
    rows = Submission.objects.filter(phase__in=[phase.pk, phase.previous_id], late=True)
    newest = {
        row.seat_id: row
        for row in rows.select_related("seat", "phase").order_by("number")
        if row.understood
    }
    if not newest:
        return []
    standing = rulings.in_force(judging.rulings_of(game))
    accepted = {ruling.what.get("submission") for ruling in standing if ruling.kind == "orders"}
    for row in newest.values():
        row.game = row.phase.game = game
    return [
        row
        for row in newest.values()
        if row.number not in accepted and ruling_plan.may_be_ruled_on(row.phase)
    ]
