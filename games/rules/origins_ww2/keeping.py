"""Orders as they count at the lock: standing wishes, options for silent nations.

Everything is returned as text, so that the record needs nothing else to judge the phase (Rules 0.2,
P9, K19, T13).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..orders import has_content
from .language import orders_of
from .reading import FORMS
from .state import State

STANDING_LINE = FORMS["STANDING"]
# The comment marks this text as automatic: a player's own wish would also hold for later turns.
AUTO_LINE = f"{STANDING_LINE} # ow2.auto_counters"


def in_force(state: State, sent: Mapping[str, str]) -> dict[str, str]:
    """Return the newest texts with the lines that options and earlier wishes add."""
    texts = dict(sent)
    for nation in state.movers:
        text = texts.get(nation, "")
        silent = not has_content(text)
        added = (
            _placement(state, nation, silent)
            if state.is_placing
            else _attacks(state, nation, text, silent)
            if state.is_wishing
            else ""
        )
        if added:
            texts[nation] = added if silent else f"{text.rstrip()}\n{added}"
    return texts


def _placement(state: State, nation: str, silent: bool) -> str:
    if silent and state.options["ow2.nmr_placement"] == "repeat_last":
        return state.memory.placed.get(nation, "")
    return ""


def _attacks(state: State, nation: str, text: str, silent: bool) -> str:
    if state.options["orders.standing"] == "yes" and nation in state.memory.standing:
        return "" if _has_standing(state, nation, text) else STANDING_LINE
    if silent and state.options["ow2.auto_counters"] == "understanding_when_possible":
        return AUTO_LINE
    return ""


def _has_standing(state: State, nation: str, text: str) -> bool:
    return any(order.about == ("STANDING",) for _, order in orders_of(state, nation, text)[0])


def standing_after(
    state: State, orders: Mapping[str, str], wished: Iterable[str]
) -> tuple[str, ...]:
    """Return the nations whose standing wish is kept for the next turn. A wish cannot be
    withdrawn."""
    if state.options["orders.standing"] == "no":
        return ()
    keeping = set(state.memory.standing) | {
        nation for nation in wished if orders.get(nation, "").strip() != AUTO_LINE
    }
    return tuple(nation for nation in state.card.order if nation in keeping)
