"""Write letters of a refereed game to its gamesmasters."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from games.models import Letter, Phase
from games.outbox import rows

if TYPE_CHECKING:
    from orders.models import Submission

DUE, WAITS, SHEET = "sheet_due", "sheet_waits", "sheet"


def due(phase: Phase, now: datetime) -> None:
    """To the gamesmasters: everybody waits for a sheet of theirs; what they need for it, and the
    sheet prepared."""
    rows.write(asked(phase, rows.gamesmasters(phase.game), rows.position(phase), now))


def asked(
    phase: Phase, readers: Iterable[rows.Reader], position: int | None, now: datetime
) -> list[Letter]:
    """The rows that `due` writes."""
    return rows.made(readers, phase.game, phase, DUE, "sheet-due", now, {"position": position})


def waits(phase: Phase, now: datetime) -> None:
    """To the gamesmasters: a sheet is still waited for. Once a day at most."""
    about = {"position": rows.position(phase), "since": phase.opened_at.isoformat()}
    rows.to(
        rows.gamesmasters(phase.game),
        phase.game,
        phase,
        WAITS,
        f"sheet-waits-{now:%Y%m%d}",
        now,
        about,
    )


def received(submission: Submission, now: datetime, *, answered: bool = False) -> None:
    """To the gamesmasters: what of a sheet is taken, what is not, and what follows. `answered`: its
    sender is told in another way."""
    readers = [
        one
        for one in rows.gamesmasters(submission.game)
        if not (answered and one.person.pk == submission.person_id)
    ]
    about = {
        "submission": submission.pk,
        "position": rows.position(submission.phase),
        "due": carried_out_at(submission).isoformat() if submission.counts else "",
    }
    rows.to(
        readers, submission.game, submission.phase, SHEET, f"sheet-{submission.number}", now, about
    )


def carried_out_at(submission: Submission) -> datetime:
    """When a sheet that stands is carried out: at once where it is final, else once the hours are
    over in which it may be corrected."""
    hours = 0 if submission.final else submission.game.sheet_hours
    return submission.received_at + timedelta(hours=hours)
