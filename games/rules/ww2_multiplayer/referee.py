"""Questions of a refereed game: the referee's table, and orders in free text (docs/refereed.md)."""

from __future__ import annotations

from .. import REFEREE_SEAT
from . import told
from .order_forms import order_forms
from .orders import VERBS
from .report import FORMS
from .scoring import score_sheets
from .state import State
from .table import table
from .told import instructions, pending_dice, tables_used

__all__ = [
    "instructions",
    "order_forms",
    "own_words",
    "pending_dice",
    "score_sheets",
    "table",
    "tables_used",
    "verbs",
]


def own_words(state: State, nation: str, text: str) -> tuple[int, ...]:
    return () if nation == REFEREE_SEAT else told.own_words(state, nation, text)


def verbs(nation: str) -> tuple[str, ...]:
    return tuple(FORMS) if nation == REFEREE_SEAT else VERBS.heads
