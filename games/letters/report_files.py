"""Files that the gamesmaster of a refereed game sends with a report, attached to its letters."""

from __future__ import annotations

from games.models import Letter, Phase

from .mime import Part, file_part

#: The kind of letter that contains the report.
REPORT = "board"


def names(phase: Phase) -> list[str]:
    """Return the names of the files with a phase's report."""
    return [] if phase.has_deadline else list(phase.report_files.values_list("name", flat=True))


def parts(letter: Letter) -> list[Part]:
    """Return the files to attach to a letter."""
    game, phase = letter.game, letter.phase
    if letter.kind != REPORT or game is None or phase is None or phase.has_deadline:
        return []
    return [
        file_part(bytes(row.content), row.media_type, row.name) for row in phase.report_files.all()
    ]
