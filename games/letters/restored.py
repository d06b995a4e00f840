"""The letter after a restoration: what is lost, what stands, and until when to order
(games.operations.restore_hold)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from games.models import DeadlineChange, Game, Letter, Phase, Restoration
from games.outbox import rows

from . import facts
from .facts import Facts

KIND = "restored"


def restored(
    game: Game,
    phase: Phase | None,
    restoration: Restoration,
    change: DeadlineChange | None,
    now: datetime,
) -> None:
    """To everybody in a game: what came after the copy is lost, and letters told since then hold no
    more. Once for each restoration."""
    about = {
        "restoration": restoration.pk,
        "status": phase.status if phase is not None else "",
        "change": change.pk if change is not None else None,
        "seed_hash": phase.seed_hash if phase is not None else "",
    }
    if (
        phase is not None
        and phase.status == Phase.Status.OPEN
        and game.status == Game.Status.RUNNING
        and not phase.sheeted
    ):
        about["deadline"] = phase.deadline.isoformat()
    rows.to_all(game, phase, KIND, f"{KIND}-{restoration.pk}", now, about)


def opened_anew(phase: Phase, now: datetime) -> None:
    """Of a phase with a new seed: letters that open it and were not out when the copy was made are
    other letters now.

    Under their old Message-IDs they may have gone out since, with the old seed's hash.
    """
    for letter in Letter.objects.filter(phase=phase, kind="opened", due_at__isnull=False):
        letter.message_id, letter.written_at, letter.subject, letter.text, letter.html = (
            rows.message_id(letter.key),
            now,
            "",
            "",
            "",
        )
        letter.save(update_fields=["message_id", "written_at", "subject", "text", "html"])


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
                    facts.link("orders", game.pk, seat.pk),
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
        "desk_link": facts.link("desk", game.pk),
    }


TELLERS: dict[str, Callable[[Letter], Facts]] = {KIND: _restored}
