"""Read order texts and the gamesmaster's reports."""

from __future__ import annotations

from .. import Reading
from . import checking, refereeing, seeing
from . import report as reports
from .state import COUNT, REFEREE, SHEET, State


def read(text: str, nation: str, state: State) -> Reading:
    if nation == SHEET:
        return _sheet(text, state)
    return checking.read(text, nation, seeing.view(state, nation))


def _sheet(text: str, state: State) -> Reading:
    """Read a report, without the entries that would be rejected if it were judged now.

    The remarks say why.
    """
    report = reports.read(text, state.card)
    judged = refereeing.judge_sheet(state, text) if state.step in (REFEREE, COUNT) else None
    remarks = tuple(judged.told.get(SHEET, ())) if judged else ()
    refused = {remark.line for remark in remarks if remark.severity == "error"}
    entries = tuple(entry for entry in report.entries if entry.line not in refused)
    return Reading(
        entries, tuple((entry.line, entry.text) for entry in entries), remarks, report.sent
    )


def merge(earlier: str, later: str, nation: str, state: State) -> str:
    return later if nation == SHEET else checking.merge(earlier, later, state)
