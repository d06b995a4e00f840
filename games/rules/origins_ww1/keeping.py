"""Orders as they count at the lock: the option for silent nations (Rules 0.2, A13)."""

from __future__ import annotations

from collections.abc import Mapping

from ..orders import has_content
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
