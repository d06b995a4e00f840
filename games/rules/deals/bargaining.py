"""Bargain for programs: what one proposes, and whether it accepts, by its character.

The game says what a promise is worth (`contract.Deals`); nothing here knows more than the outlook
of a nation's own view. The caller passes the deals that stand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ..contract import Deals
from .characters import Character, talks_now
from .terms import Clause


def proposal(
    deals: Deals,
    look: Callable[[], Any],
    nation: str,
    character: Character,
    secret: str,
    phase: tuple[int, str],
    standing: Collection[tuple[str, str, str]],
) -> Clause | None:
    """Return what a program proposes in a phase, if anything.

    It is the best of its ideas that is not `standing` already (verb, other nation, area).
    """
    turn, kind = phase
    if not talks_now(character, secret, f"{nation}/{kind}", turn):
        return None
    for clause in deals.ideas(look(), nation):
        other = clause.other(nation)
        if (clause.verb, other, clause.area) not in standing:
            return clause
    return None


def accepts(
    deals: Deals, look: Any, nation: str, character: Character, clauses: Sequence[Clause]
) -> bool:
    """Return whether a program accepts what another nation proposes."""
    return deals.weigh(look, nation, clauses) > character.asks
