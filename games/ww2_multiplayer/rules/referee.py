"""What a gamesmaster's reports add: their table, dice and score sheets (docs/refereed.md)."""

from __future__ import annotations

from games.rules import REFEREE_SEAT

from .flow import title_of_report, titles_of_reports
from .scoring import score_sheets
from .seeing import view
from .state import State
from .table import table
from .told import pending_dice, tables_used

__all__ = [
    "pending_dice",
    "score_sheets",
    "seats",
    "table",
    "tables_used",
    "title_of_report",
    "titles_of_reports",
    "visible_state",
]

seats: tuple[str, ...] = (REFEREE_SEAT,)


def visible_state(state: State) -> State:
    return view(state, REFEREE_SEAT)
