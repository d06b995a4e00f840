"""The state of areas in games where areas have one, and the unit in which pieces are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .names import all_of

CONTROLLED, CONTESTED, HOME, FREE = "controlled", "contested", "home", "free"


class Unit(NamedTuple):
    """The unit of the numbers on a board: "PF", "PFs", and in full for a first-time reader."""

    singular: str
    plural: str
    full: str

    def amount(self, number: int) -> str:
        """Return a number with the unit: "1 PF", "3 PFs"."""
        return f"{number} {self.singular if number == 1 else self.plural}"


PF = Unit("PF", "PFs", "political factors (PFs), a nation's influence there")
SP = Unit("SP", "SPs", "Strength Points (SPs)")


@dataclass(frozen=True)
class Land:
    """The state of one area.

    `controller` is a nation, "" for nobody; `home` is the nation whose home it is. `hostile` are
    nations whose forces are there and hostile to it, so that it is not normalized; `foes` are all
    that are hostile to it, wherever their forces are. `operator` moves its army: None if it has no
    army of its own, "" if the gamesmaster moves it. `lost` is set for a home most of which is in
    hostile hands.
    """

    controller: str = ""
    home: str = ""
    hostile: tuple[str, ...] = ()
    foes: tuple[str, ...] = ()
    operator: str | None = None
    destroyed: bool = False
    lost: bool = False

    @property
    def state(self) -> str:
        """One of STATES: the map is colored by it."""
        if self.controller:
            return CONTROLLED
        return CONTESTED if self.hostile else HOME if self.home else FREE

    @property
    def normal(self) -> bool:
        return not self.hostile

    def describe(self) -> str:
        """Return the state in short for a table.

        One of "Germany’s", "contested", "home of France", "nobody’s".
        """
        return {
            CONTROLLED: f"{self.controller}’s",
            CONTESTED: "contested",
            HOME: f"home of {self.home}",
            FREE: "nobody’s",
        }[self.state]

    def sentences(self) -> tuple[str, ...]:
        """Return the state in full sentences, for listeners and for pages with room."""
        lines = [f"It is the home of {self.home}."] if self.home else []
        if self.controller:
            lines.append(f"{self.controller} controls it.")
        elif not self.home or self.hostile:
            lines.append("Nobody controls it.")
        if self.hostile:
            lines.append(
                f"It is not normalized: forces of {all_of(self.hostile)} stand there and are"
                " hostile to it."
            )
        else:
            lines.append("It is normalized.")
        if others := tuple(name for name in self.foes if name not in self.hostile):
            lines.append(f"{all_of(others)} {'are' if len(others) > 1 else 'is'} hostile to it.")
        if self.lost:
            lines.append(
                f"More than half of it is under hostile control: {self.home} scores nothing"
                " (19.13)."
            )
        if self.destroyed:
            lines.append("Its army is destroyed.")
        elif self.operator is not None:
            lines.append(f"{self.operator or 'The gamesmaster'} moves its army.")
        return tuple(lines)
