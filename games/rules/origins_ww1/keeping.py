"""Orders as they stand at the lock: what the option for silent nations adds, and lines sent one
after the other (Rules 0.2, A13)."""

from __future__ import annotations

from collections.abc import Mapping

from .. import amending
from ..orders import has_content
from .language import orders_of
from .state import State


def in_force(state: State, sent: Mapping[str, str]) -> dict[str, str]:
    """The newest texts; of a nation that sent nothing under wwi.nmr = repeat_last the placement
    that it sent last, and no attack."""
    found = dict(sent)
    if state.placing and state.options["wwi.nmr"] == "repeat_last":
        for nation in state.movers:
            again = state.placed.get(nation, "")
            if again and not has_content(found.get(nation, "")):
                found[nation] = again
    return found


def merge(earlier: str, later: str, nation: str, state: State) -> str:
    """orders.amend = merge_lines."""
    return amending.merge(earlier, later, lambda text: orders_of(state, nation, text)[0])
