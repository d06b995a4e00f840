"""How orders are written in free text and in lines with blanks (docs/refereed.md)."""

from __future__ import annotations

from games.rules import REFEREE_SEAT

from . import told
from .order_forms import order_forms
from .orders import VERBS
from .report import FORMS
from .state import State
from .told import instructions

__all__ = ["instructions", "order_forms", "own_words", "silence", "verbs"]


def silence(nation: str) -> str:
    return (
        f"{nation} does nothing on the map; its alliances, permissions and instructions stay as"
        " they are."
    )


def own_words(state: State, nation: str, text: str) -> tuple[int, ...]:
    return () if nation == REFEREE_SEAT else told.own_words(state, nation, text)


def verbs(nation: str) -> tuple[str, ...]:
    return tuple(FORMS) if nation == REFEREE_SEAT else VERBS.heads
