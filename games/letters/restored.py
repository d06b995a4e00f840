"""Build the context of the letter after a restore: what was lost, what is in force, and the
deadline (games.operations.restore_hold)."""

from __future__ import annotations

from games.base import links
from games.models import DeadlineChange, Phase, Restoration
from games.outbox.messages import restoration_letters
from orders.models import Submission

from .common import deadline_of
from .context import Context, Facts, builds


@builds(restoration_letters.RESTORED)
def _restoration_facts(context: Context) -> Facts:
    game, about = context.game, context.about
    restoration = Restoration.objects.get(pk=about["restoration"])
    change = DeadlineChange.objects.filter(pk=about["change"]).first()
    orders_in_force = []
    if context.letter.phase is not None and about.get("deadline"):
        # Orders in force when the letter was written; later rows have later timestamps.
        in_force = Submission.objects.filter(
            phase=context.letter.phase, counts=True, received_at__lte=context.letter.written_at
        ).order_by("number")
        for seat in context.ordering(context.letter.phase):
            newest = in_force.filter(seat=seat).last()
            received = context.describe_instant(newest.received_at) if newest else ""
            orders_in_force.append(
                (
                    seat.nation,
                    newest.seat_number if newest else None,
                    received,
                    links.link("orders", game.pk, seat.pk),
                )
            )
    return {
        **deadline_of(context),
        "taken": context.describe_instant(restoration.taken_at),
        "until": context.describe_instant(restoration.restored_at),
        "status": about["status"],
        "awaited": context.letter.phase.awaited
        if context.letter.phase is not None and about["status"] == Phase.Status.OPEN
        else "",
        "old": context.describe_instant(change.old) if change is not None else "",
        "stands": orders_in_force,
        "seed_hash": about["seed_hash"] if about.get("deadline") else "",
        "desk_link": links.link("desk", game.pk),
    }
