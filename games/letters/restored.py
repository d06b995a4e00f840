"""The letter after a restoration: what is lost, what stands, and until when to order
(games.operations.restore_hold)."""

from __future__ import annotations

from games.models import DeadlineChange, Phase, Restoration
from games.outbox.messages import restored
from gamesmaster import links
from orders.models import Submission

from .common import deadline_of
from .context import Build, Context, Facts


def _restored(context: Context) -> Facts:
    game, about = context.game, context.about
    restoration = Restoration.objects.get(pk=about["restoration"])
    change = DeadlineChange.objects.filter(pk=about["change"]).first()
    stands = []
    if context.letter.phase is not None and about.get("deadline"):
        # What was in force when the letter was written: rows that came later have later instants.
        kept = Submission.objects.filter(
            phase=context.letter.phase, counts=True, received_at__lte=context.letter.written_at
        ).order_by("number")
        for seat in context.ordering(context.letter.phase):
            newest = kept.filter(seat=seat).last()
            received = context.in_words(newest.received_at) if newest else ""
            stands.append(
                (
                    seat.nation,
                    newest.seat_number if newest else None,
                    received,
                    links.link("orders", game.pk, seat.pk),
                )
            )
    return {
        **deadline_of(context),
        "taken": context.in_words(restoration.taken_at),
        "until": context.in_words(restoration.restored_at),
        "status": about["status"],
        "awaited": context.letter.phase.awaited
        if context.letter.phase is not None and about["status"] == Phase.Status.OPEN
        else "",
        "old": context.in_words(change.old) if change is not None else "",
        "stands": stands,
        "seed_hash": about["seed_hash"] if about.get("deadline") else "",
        "desk_link": links.link("desk", game.pk),
    }


BUILDERS: dict[str, Build] = {restored.KIND: _restored}
