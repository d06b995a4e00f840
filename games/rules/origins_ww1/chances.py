"""The odds of an attack and what it can come to, by the printed table, on the board as it stands
(Rules A.1, A.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..plan import VOID, Odds, Outcome
from .state import State
from .table import AE, COLUMNS, DE, EX, OUTCOMES, TABLE, column, count, losses

#: In the order in which attackers like to hear it.
RESULTS = (DE, EX, AE)


def chances(state: State, nation: str, area: str, targets: Iterable[str]) -> Odds | None:
    """What an attack on the first of these nations that is there would come to. None where one of
    the two has nothing there.

    On an ally, where that is forbidden, it is certain to be void.
    """
    named = [target for target in state.card.order if target in set(targets) and target != nation]
    mine = state.piles.at(area, nation)
    present = [target for target in named if state.piles.at(area, target)]
    if not mine or not present:
        return None
    target = present[0]
    absent = tuple(one for one in named if one not in present)
    theirs = state.piles.at(area, target)
    if state.options["wwi.attack_ally"] == "forbidden" and state.ally_of(nation) == target:
        never = (Outcome(result, OUTCOMES[result], 0) for result in RESULTS)
        return Odds((), mine, 0, "", (*never, Outcome(VOID, "not made", 100)))
    number = column(mine, theirs)
    percents = hundredths(number)
    outcomes = []
    for result in RESULTS:
        own, other = losses(result, mine, theirs)
        lost = {nation: own, target: other}
        ordered = {one: lost[one] for one in state.card.order if lost.get(one)}
        outcomes.append(Outcome(result, OUTCOMES[result], percents[result], ordered))
    outcomes.append(Outcome(VOID, "not made", 0))
    odds = COLUMNS[number]
    found = Odds((target,), mine, theirs, odds, tuple(outcomes), least=odds, best=odds)
    return replace(found, absent=absent)


def hundredths(number: int) -> dict[str, int]:
    """Return the chance of each result in a column, in percent.

    Sixths do not divide a hundred: the likeliest result takes the rest.
    """
    found = {result: round(100 * count(number, result) / len(TABLE)) for result in RESULTS}
    likeliest = max(found, key=lambda result: found[result])
    found[likeliest] += 100 - sum(found.values())
    return found
