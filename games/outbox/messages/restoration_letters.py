"""Write letters after a restore."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from games.models import DeadlineChange, Game, Letter, Phase, Restoration
from games.models.coded import draw_code
from games.outbox.kinds import Kind
from games.outbox.outgoing import Outgoing

RESTORED = Kind("restored", "the letter about a restored backup")


def announce_restoration(
    game: Game,
    phase: Phase | None,
    restoration: Restoration,
    change: DeadlineChange | None,
    now: datetime,
) -> None:
    """Announce that everything after the backup is lost; once per restore.

    Letters sent since the backup no longer hold.
    """
    about = {
        "restoration": restoration.pk,
        "status": phase.status if phase is not None else "",
        "change": change.pk if change is not None else None,
        "seed_hash": phase.seed_hash if phase is not None else "",
    }
    if phase is not None and phase.is_timed and game.status == Game.Status.RUNNING:
        about["deadline"] = phase.deadline.isoformat()
    with Outgoing([game]) as out:
        out.write_to_all(game, phase, RESTORED, f"restored-{restoration.pk}", now, about)


def replace_opening_letters(phase: Phase, now: datetime) -> None:
    """Give new Message-IDs to the unsent letters that open a phase with a new seed, and discard
    their text.

    They may have been sent since the backup, under their old Message-IDs and with the old seed's
    hash.
    """
    opens = Q(phase=phase, kind="opened") | Q(game=phase.game, kind="board", about__next=phase.pk)
    for letter in Letter.objects.filter(opens, due_at__isnull=False):
        letter.code, letter.written_at, letter.subject, letter.text, letter.html = (
            draw_code(),
            now,
            "",
            "",
            "",
        )
        letter.save(update_fields=["code", "written_at", "subject", "text", "html"])
