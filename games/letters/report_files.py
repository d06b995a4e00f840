"""Files that the gamesmaster of a refereed game sends with a report, attached to its letters."""

from __future__ import annotations

from email.encoders import encode_base64
from email.mime.base import MIMEBase

from games.models import Letter, Phase

#: The kind of letter that contains the report.
REPORT = "board"


def names(phase: Phase) -> list[str]:
    """Return the names of the files with a phase's report."""
    return list(phase.report_files.values_list("name", flat=True)) if phase.awaits_report else []


def parts(letter: Letter) -> list[MIMEBase]:
    """Return the files to attach to a letter, as MIME parts."""
    game, phase = letter.game, letter.phase
    if letter.kind != REPORT or game is None or game.rules.referee is None or phase is None:
        return []
    attachments = []
    for row in phase.report_files.all():
        part = MIMEBase(*row.media_type.split("/"))
        del part["MIME-Version"]
        part.set_payload(bytes(row.content))
        encode_base64(part)
        part.add_header("Content-Disposition", "attachment", filename=row.name)
        attachments.append(part)
    return attachments
