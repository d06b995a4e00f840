"""What an attack that has been judged might have come to: its chances, and what each side could
expect to lose by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Risk:
    """One attack by hindsight. `chances` are results in the ruleset's letters with their
    hundredths, the best for the attacker first."""

    chances: tuple[tuple[str, str, int], ...]  # letter, in words, percent
    expected: Mapping[str, float] = field(default_factory=dict)  # what each could expect to lose
    lost: Mapping[str, int] = field(default_factory=dict)  # nation to what it lost

    def chance(self, result: str) -> int:
        """Return the chance in percent that such an attack ends this way."""
        return next((of_hundred for letter, _, of_hundred in self.chances if letter == result), 0)
