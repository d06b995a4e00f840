"""Named counts of what went wrong, each with examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

#: How many examples to keep of each count.
EXAMPLES = 3


@dataclass
class Faults:
    """Counts by name: what was lost (or is wrong), what was doubled, what is still to do."""

    lost: dict[str, int] = field(default_factory=dict)
    doubled: dict[str, int] = field(default_factory=dict)
    undone: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def lose(self, name: str, examples: Collection[str]) -> None:
        self._note(self.lost, name, examples)

    def double(self, name: str, examples: Collection[str]) -> None:
        self._note(self.doubled, name, examples)

    def leave(self, name: str, examples: Collection[str]) -> None:
        self._note(self.undone, name, examples)

    def _note(self, counts: dict[str, int], name: str, examples: Collection[str]) -> None:
        """Count these under a name, also if there are none."""
        counts[name] = len(examples)
        self.examples[name] = [f"{name}: {example}" for example in list(examples)[:EXAMPLES]]
