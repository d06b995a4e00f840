"""Apply the Italian fleet in the Mediterranean (6.53 to 6.55).

One die is thrown for each Strength Point that a power hostile to Italy moves by sea. The rule needs
an Italian Strength Point in supply in Africa, which the gamesmaster reports. With six players it
also needs Italy to invoke it: by its standing instruction `MED ON AGAINST …` or `MED OFF`, or
without one against all but its allies (Rules B.1). With four or five players it applies once Italy
is an active belligerent. If no Italian is in supply in Africa, the base game's air interdiction
applies instead (6.54).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .card import ABORTED, ELIMINATED, LANDED
from .hostility import are_allied, hostile
from .players import player_of
from .state import Force, State

ITALY = "Italy"
#: The African countries of the chart.
AFRICA = ("French Morocco", "Algeria", "Tunisia", "Libya", "Egypt")


def is_invoked(state: State, owner: str) -> bool:
    """Return whether Italy applies the rule to a power's transport (six players only)."""
    if state.med is None:
        return not are_allied(state, ITALY, owner)
    return any(player_of(state, power) == player_of(state, owner) for power in state.med)


def applies(state: State, owner: str) -> tuple[bool, str]:
    """Return whether dice are thrown for transport of `owner`, and why, as a sentence."""
    if not hostile(state, owner, ITALY):
        return False, f"{owner} is not hostile to Italy (6.53)."
    if not state.flags.africa:
        instead = "air interdiction applies as in the base game (6.54)"
        return False, f"No Italian Strength Point is in supply in Africa; {instead}."
    if state.players_count == 6:
        if not is_invoked(state, owner):
            return False, f"Italy does not invoke the rule against {owner} (6.53)."
        return True, f"{owner} is hostile to Italy, and Italy invokes the rule (6.53)."
    if not state.flags.italy:
        return False, "Italy is not an active belligerent yet (6.53)."
    return True, f"{owner} is hostile to Italy, which is at war (6.53)."


def force_in_africa(state: State) -> Force:
    """Return Italian Strength Points in Africa, as far as the gamesmaster has reported them."""
    forces = [force for country in AFRICA if (force := state.country(country).forces.get(ITALY))]
    return Force(sum(force.sp for force in forces), sum(force.supplied for force in forces))


def outcome(state: State, dice: Sequence[int]) -> dict[str, int]:
    """Count Strength Points landed, aborted and eliminated, one per die.

    Transport is never lost.
    """
    counted = Counter(state.card.mediterranean[die] for die in dice)
    return {kind: counted[kind] for kind in (LANDED, ABORTED, ELIMINATED)}
