"""Read order texts and the gamesmaster's reports."""

from __future__ import annotations

from collections.abc import Mapping

from games.rules import REFEREE_SEAT, Reading
from games.rules.plain.editions import NOTHING_BEFORE, Understood

from . import checking, refereeing, seeing
from .report import read as parse
from .state import COUNT, REFEREE, State


def read(text: str, nation: str, state: State) -> Reading:
    if nation == REFEREE_SEAT:
        return _read_report(text, state)
    return checking.read(text, nation, seeing.view(state, nation))


def _read_report(text: str, state: State) -> Reading:
    """Read a report, without the entries that would be rejected if it were judged now.

    The remarks say why.
    """
    report = parse(text, state.card)
    judged = refereeing.judge_report(state, text) if state.step in (REFEREE, COUNT) else None
    told = judged.told.get(REFEREE_SEAT, ()) if judged else ()
    remarks = tuple(sorted(told, key=lambda remark: remark.line))
    refused = {remark.line for remark in remarks if remark.severity == "error"}
    entries = tuple(entry for entry in report.entries if entry.line not in refused)
    return Reading(
        entries, tuple((entry.line, entry.text) for entry in entries), remarks, report.sent
    )


def merge(
    earlier: str,
    later: str,
    nation: str,
    state: State,
    before: Mapping[str, Understood] = NOTHING_BEFORE,
) -> str:
    return (
        later if nation == REFEREE_SEAT else checking.merge(earlier, later, nation, state, before)
    )
