"""List the phases of a Player-Turn on the map, for the gamesmaster to tick off beside the report.

The rules that we have do not list the base game's phases. These are the sections that the
Multi-Player rules name, in their order, each with the lines that report it. A gamesmaster's own
scenario may list the phases of their copy instead (`checklist`).
"""

from __future__ import annotations

from .happenings import last_mover
from .state import REFEREE, State

SECTIONS = (
    "Weather (11)",
    "Reinforcements and replacements, where they may be placed (10): DUE, USED",
    "Movement by land, rail, sea and amphibious transport (5)",
    "Air zones, and the Mediterranean, for everything that goes by sea (6.5)",
    "Stacks in which one nationality attacks another (7.14): CONTEST",
    "Combat, losses and retreats, who attacked first (8): COMBAT",
    "Countries invaded or only entered, armies destroyed (12, 16): INVASION, ENTRY, DESTROYED",
    "Countries cleared and swept (19.11): CLEARED, SWEPT",
    "Supply (9): FORCES, AFRICA",
    "Garrisons (14.2, 14.4): GARRISON",
)
AT_THE_END = ("Russian resources, at the end of the Game-Turn (4.2): RESOURCES, CENTRES",)


def checklist(state: State) -> tuple[str, ...]:
    """Return the phases of this Player-Turn; none during the final count."""
    if state.step != REFEREE:
        return ()
    last = AT_THE_END if state.printed and last_mover(state) else ()
    return (*(state.card.checklist or SECTIONS), *last)
