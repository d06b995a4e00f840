"""How an area stands beside the pieces in it, in games where areas have a state of their own; and
what pieces are counted in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .names import all_of

CONTROLLED, CONTESTED, HOME, FREE = STATES = ("controlled", "contested", "home", "free")


class Unit(NamedTuple):
    """What the numbers on a board count: "PF", "PFs", and in full for a first-time reader."""

    one: str
    many: str
    full: str

    def amount(self, number: int) -> str:
        """Return a number with the unit: "1 PF", "3 PFs"."""
        return f"{number} {self.one if number == 1 else self.many}"


PF = Unit("PF", "PFs", "political factors (PFs), a nation's influence there")
SP = Unit("SP", "SPs", "Strength Points (SPs)")


@dataclass(frozen=True)
class Land:
    """The state of one area.

    `controller` is a nation, "" for nobody; `home` whose home it is; `hostile` are nations whose
    forces stand there and are hostile to it, so that it is not normalised; `foes` all that are
    hostile to it, wherever their forces are. `operator` moves its army: None where it has none of
    its own, "" where the gamesmaster does. `lost` is set of a home most of which is in hostile
    hands.
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
        """One of STATES: what the map colours it by."""
        if self.controller:
            return CONTROLLED
        return CONTESTED if self.hostile else HOME if self.home else FREE

    @property
    def normal(self) -> bool:
        return not self.hostile

    def in_words(self) -> str:
        """Say "Germany’s", "contested", "home of France", "nobody’s": short enough for a table."""
        return {
            CONTROLLED: f"{self.controller}’s",
            CONTESTED: "contested",
            HOME: f"home of {self.home}",
            FREE: "nobody’s",
        }[self.state]

    def sentences(self) -> tuple[str, ...]:
        """The same in full, for those who listen and for pages with room."""
        said = [f"It is the home of {self.home}."] if self.home else []
        if self.controller:
            said.append(f"{self.controller} controls it.")
        elif not self.home or self.hostile:
            said.append("Nobody controls it.")
        if self.hostile:
            said.append(
                f"It is not normalised: forces of {all_of(self.hostile)} stand there and are"
                " hostile to it."
            )
        else:
            said.append("It is normalised.")
        if others := tuple(name for name in self.foes if name not in self.hostile):
            said.append(f"{all_of(others)} {'are' if len(others) > 1 else 'is'} hostile to it.")
        if self.lost:
            said.append(
                f"More than half of it is under hostile control: {self.home} scores nothing"
                " (19.13)."
            )
        if self.destroyed:
            said.append("Its army is destroyed.")
        elif self.operator is not None:
            said.append(f"{self.operator or 'The gamesmaster'} moves its army.")
        return tuple(said)
