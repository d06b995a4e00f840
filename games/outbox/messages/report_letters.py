"""Write letters of a refereed game to its gamesmasters."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from games.models import Phase
from games.outbox import rows
from games.outbox.kinds import Kind
from games.outbox.outgoing import Outgoing

if TYPE_CHECKING:
    from orders.models import Submission

DUE = Kind("report_due", "the letter that asks for a report", of_phase=True)
WAITS = Kind("report_waits", "the reminder of your report", of_phase=True)
RECEIPT = Kind("report_receipt", "the receipt for a report", of_phase=True)


def request_report(phase: Phase, position: int | None, now: datetime, out: Outgoing) -> None:
    """Ask the gamesmasters for their report, with the facts they need and a prepared report."""
    out.write_to_gamesmasters(phase.game, phase, DUE, "report-due", now, {"position": position})


def remind_of_report(phase: Phase, now: datetime) -> None:
    """Remind the gamesmasters of a missing report, at most once a day."""
    about = {"position": rows.position(phase), "since": phase.opened_at.isoformat()}
    event = f"report-waits-{now:%Y%m%d}"
    with Outgoing([phase.game]) as out:
        out.write_to_gamesmasters(phase.game, phase, WAITS, event, now, about)


def write_receipt(submission: Submission, now: datetime, *, answered: bool = False) -> None:
    """Tell the gamesmasters which lines of a report were accepted or rejected, and what follows.

    `answered`: its sender gets another answer instead.
    """
    game, event = submission.game, f"report-receipt-{submission.label}"
    about = {
        "submission": submission.pk,
        "position": rows.position(submission.phase),
        "due": takes_effect_at(submission).isoformat() if submission.counts else "",
    }
    with Outgoing([game]) as out:
        readers = [
            reader
            for reader in out.gamesmasters(game)
            if not (answered and reader.person.pk == submission.person_id)
        ]
        out.write_to(readers, game, submission.phase, RECEIPT, event, now, about)


def takes_effect_at(submission: Submission) -> datetime:
    """Return when a report takes effect: at once if final, else after the hours for corrections."""
    hours = 0 if submission.final else submission.game.report_hours
    return submission.received_at + timedelta(hours=hours)
