"""Orders as they count at the lock: the option for silent nations, and merged lines (Rules 0.2,
A13)."""

from __future__ import annotations

from collections.abc import Mapping

from .. import amending
from ..orders import has_content
from ..plain.editions import NOTHING_BEFORE, Understood
from .language import orders_of
from .state import State


def in_force(state: State, sent: Mapping[str, str]) -> dict[str, str]:
    """Return the newest texts.

    Under wwi.nmr = repeat_last a nation that sent nothing repeats its last placement, without an
    attack.
    """
    texts = dict(sent)
    if state.is_placing and state.options["wwi.nmr"] == "repeat_last":
        for nation in state.movers:
            repeated = state.placed.get(nation, "")
            if repeated and not has_content(texts.get(nation, "")):
                texts[nation] = repeated
    return texts


def merge(
    earlier: str,
    later: str,
    nation: str,
    state: State,
    before: Mapping[str, Understood] = NOTHING_BEFORE,
) -> str:
    """Merge orders under orders.amend = merge_lines."""
    return amending.merge(earlier, later, lambda text: orders_of(state, nation, text)[0], before)
