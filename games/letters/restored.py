"""The letter after a restoration: what is lost, what stands, and until when to order
(games.operations.restore_hold)."""

from __future__ import annotations

from collections.abc import Callable

from games.models import DeadlineChange, Letter, Phase, Restoration
from games.outbox.messages import restored
from gamesmaster import links

from . import facts
from .facts import Facts


def _restored(letter: Letter) -> Facts:
    from orders.models import Submission

    game, about = facts.game_of(letter), letter.about
    restoration = Restoration.objects.get(pk=about["restoration"])
    change = DeadlineChange.objects.filter(pk=about["change"]).first()
    stands = []
    if letter.phase is not None and about.get("deadline"):
        # What was in force when the letter was written: rows that came later have later instants.
        kept = Submission.objects.filter(
            phase=letter.phase, counts=True, received_at__lte=letter.written_at
        ).order_by("number")
        for seat in facts.ordering(letter, letter.phase):
            newest = kept.filter(seat=seat).last()
            received = facts.told_at(letter, newest.received_at) if newest else ""
            stands.append(
                (
                    seat.nation,
                    newest.number if newest else None,
                    received,
                    links.link("orders", game.pk, seat.pk),
                )
            )
    return {
        **facts.deadline_of(letter, game),
        "taken": facts.told_at(letter, restoration.taken_at),
        "until": facts.told_at(letter, restoration.restored_at),
        "status": about["status"],
        "awaited": letter.phase.awaited
        if letter.phase is not None and about["status"] == Phase.Status.OPEN
        else "",
        "old": facts.told_at(letter, change.old) if change is not None else "",
        "stands": stands,
        "seed_hash": about["seed_hash"] if about.get("deadline") else "",
        "desk_link": links.link("desk", game.pk),
    }


TELLERS: dict[str, Callable[[Letter], Facts]] = {restored.KIND: _restored}
