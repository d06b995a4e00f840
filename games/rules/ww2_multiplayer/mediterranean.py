"""The Italian fleet in the Mediterranean (6.53 to 6.55): one die for each Strength Point that a
power hostile to Italy moves by sea.

It asks for an Italian Strength Point in supply in Africa, which the gamesmaster tells. With six
players only if Italy invokes it: its standing instruction `MED ON AGAINST …`, `MED OFF`; where it
has said nothing, off against its allies and on against the rest (Rules B.1). With four or five,
once Italy is an active belligerent. If no Italian is in supply in Africa, the base game's air
interdiction applies instead (6.54).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .card import ABORTED, ELIMINATED, LANDED
from .hostility import allied, hostile
from .players import player_of
from .state import Force, State

ITALY = "Italy"
#: The countries of the chart that lie in Africa.
AFRICA = ("French Morocco", "Algeria", "Tunisia", "Libya", "Egypt")


def invoked(state: State, owner: str) -> bool:
    """Whether Italy wants the rule applied to a power's transport (six players alone)."""
    if state.med is None:
        return not allied(state, ITALY, owner)
    return any(player_of(state, one) == player_of(state, owner) for one in state.med)


def applies(state: State, owner: str) -> tuple[bool, str]:
    """Whether dice are thrown for transport that belongs to `owner`, and why, as a sentence."""
    if not hostile(state, owner, ITALY):
        return False, f"{owner} is not hostile to Italy (6.53)."
    if not state.flags.africa:
        instead = "air interdiction applies as in the base game (6.54)"
        return False, f"No Italian Strength Point is in supply in Africa; {instead}."
    if state.version == 6:
        if not invoked(state, owner):
            return False, f"Italy does not invoke the rule against {owner} (6.53)."
        return True, f"{owner} is hostile to Italy, and Italy invokes the rule (6.53)."
    if not state.flags.italy:
        return False, "Italy is not an active belligerent yet (6.53)."
    return True, f"{owner} is hostile to Italy, which is at war (6.53)."


def told_in_africa(state: State) -> Force:
    """Italian Strength Points in Africa as far as the gamesmaster has told of them."""
    there = [force for country in AFRICA if (force := state.country(country).forces.get(ITALY))]
    return Force(sum(force.sp for force in there), sum(force.supplied for force in there))


def outcome(state: State, dice: Sequence[int]) -> dict[str, int]:
    """Count Strength Points landed, aborted and eliminated, one a die. Transport is never lost."""
    counted = Counter(state.card.mediterranean[die] for die in dice)
    return {kind: counted[kind] for kind in (LANDED, ABORTED, ELIMINATED)}
