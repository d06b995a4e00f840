"""The odds of an attack and its possible results, by the printed table, on the board as its nation
sees it now (Rules C.0, K2-K12).

An earlier attack may change the board before this one is made (K3). These are chances as of now;
they do not take into account what others order.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..plan import VOID, Odds, Outcome
from .state import State
from .table import OUTCOMES, TABLE, odds

#: The order in which players read results.
RESULTS = ("D", "X", "-", "A")
HIGHEST_COUNTER = 10


def chances(state: State, nation: str, area: str, targets: Iterable[str]) -> Odds | None:
    """Return the odds and possible results of an attack on these nations.

    Return None where the nation has nothing to attack with, or none of the targets is there. An
    attack on immune nations only (I1), or under ow2.absent_target = void one with an absent target,
    is certain to be void. An attack at home on nations with an Understanding there ends their
    immunity or, by ow2.failed_home, the nation's attacks of the turn (I6, I7).
    """
    seen = state.view_for(nation)
    pieces, lying = seen.face_up_pieces, seen.face_down
    mine = pieces.strength(area, nation)
    listed = [target for target in state.card.order if target in set(targets) and target != nation]
    present = [
        target for target in listed if pieces.strength(area, target) or lying.unknown(area, target)
    ]
    immune = [
        target for target in present if area != state.home(nation) and state.immune(target, nation)
    ]
    there = tuple(target for target in present if target not in immune)
    if not mine or not present:
        return None
    absent = tuple(target for target in listed if target not in present)
    if not there or (state.options["ow2.absent_target"] == "void" and len(there) < len(listed)):
        return Odds((), mine, 0, "", _void_outcomes({}), tuple(immune), absent)
    guests = tuple(
        target
        for target in there
        if area == state.home(nation) and pieces.cell_at(area, target).understanding
    )
    bars = bool(guests) and state.options["ow2.failed_home"] == "no_more_attacks"
    defender = sum(pieces.strength(area, target) for target in there)
    unknown = sum(lying.unknown(area, target) for target in there)
    if unknown:
        # Blanks are worth nothing, so the defender may turn out to be absent; for the attacker
        # that is no worse than the best odds.
        best, least = odds(mine, max(defender, 1)), odds(mine, defender + HIGHEST_COUNTER * unknown)
        between = (_odds_in_words(least), _odds_in_words(best))
        left_out = (tuple(immune), absent, unknown)
        return Odds(there, mine, defender, "", (), *left_out, *between, guests, bars)
    column = odds(mine, defender)
    if column is None:
        # Below 1-1 (K4) nothing happens; by an option, and always with hidden counters (F9), the
        # attacker's PFs there are removed.
        removed = state.fights_face_down or state.options["ow2.sub_1_1"] == "attacker_removed"
        outcomes = _void_outcomes({nation: mine} if removed else {})
        guests, bars = (), False  # an attack that is void bars nothing (I12)
    else:
        theirs = {target: pieces.strength(area, target) for target in there}
        outcomes = _outcomes(state, nation, mine, theirs, column)
    odds_text = _odds_in_words(column)
    left_out = (tuple(immune), absent, 0)
    return Odds(
        there, mine, defender, odds_text, outcomes, *left_out, odds_text, odds_text, guests, bars
    )


def count(column: int, result: str) -> int:
    """Return in how many of the 10 rows of the table a result appears under these odds."""
    return sum(row[column - 1] == result for row in TABLE.values())


def _outcomes(
    state: State, nation: str, mine: int, theirs: dict[str, int], column: int
) -> tuple[Outcome, ...]:
    own = mine if state.options["ow2.x_attacker_loss"] == "all" else sum(theirs.values())
    losses = {"D": theirs, "X": {**theirs, nation: own}, "-": {}, "A": {nation: mine}}
    outcomes = []
    for result in RESULTS:
        lost = losses[result]
        ordered = {loser: lost[loser] for loser in state.card.order if lost.get(loser)}
        percent = 100 * count(column, result) // len(TABLE)
        outcomes.append(Outcome(result, OUTCOMES[result], percent, ordered))
    return (*outcomes, Outcome(VOID, "not made", 0))


def _void_outcomes(losses: dict[str, int]) -> tuple[Outcome, ...]:
    return (
        *(Outcome(result, OUTCOMES[result], 0) for result in RESULTS),
        Outcome(VOID, "not made", 100, losses),
    )


def _odds_in_words(column: int | None) -> str:
    return "" if column is None else f"{column}-1"
