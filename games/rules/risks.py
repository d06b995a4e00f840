"""Chances of an attack that has been judged, and what each side could expect to lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Risk:
    """One attack in hindsight.

    `chances` are results in the ruleset's letters with their chances in percent, the best for the
    attacker first.
    """

    chances: tuple[tuple[str, str, int], ...]  # letter, in words, percent
    expected: Mapping[str, float] = field(default_factory=dict)  # expected losses by nation
    lost: Mapping[str, int] = field(default_factory=dict)  # actual losses by nation

    def chance(self, result: str) -> int:
        """Return the chance in percent that such an attack has this result."""
        return next((percent for letter, _, percent in self.chances if letter == result), 0)
