"""Order texts and the gamesmaster's reports, as the rules take them in."""

from __future__ import annotations

from .. import Reading
from . import checking, refereeing, seeing
from . import sheet as sheets
from .state import COUNT, REFEREE, SHEET, State


def read(text: str, nation: str, state: State) -> Reading:
    if nation == SHEET:
        return _sheet(text, state)
    return checking.read(text, nation, seeing.view(state, nation))


def _sheet(text: str, state: State) -> Reading:
    """A sheet, with what would be refused of it if it were carried out now."""
    found = sheets.read(text, state.card)
    tried = refereeing.judged(state, text) if state.step in (REFEREE, COUNT) else None
    remarks = tuple(tried.told.get(SHEET, ())) if tried else ()
    refused = {remark.line for remark in remarks if remark.severity == "error"}
    entries = tuple(entry for entry in found.entries if entry.line not in refused)
    return Reading(
        entries, tuple((entry.line, entry.text) for entry in entries), remarks, found.sent
    )


def merge(earlier: str, later: str, nation: str, state: State) -> str:
    return later if nation == SHEET else checking.merge(earlier, later, state)
