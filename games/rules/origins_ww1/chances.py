"""The odds of an attack and its possible results, by the printed table, on the current board (Rules
A.1, A.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..plan import VOID, Odds, Outcome
from .state import State
from .table import AE, COLUMNS, DE, EX, OUTCOMES, TABLE, column, count, losses

#: From the attacker's best result to its worst.
RESULTS = (DE, EX, AE)


def chances(state: State, nation: str, area: str, targets: Iterable[str]) -> Odds | None:
    """Return the odds and possible results of an attack on the first of these nations that is
    there.

    Return None where the attacker or the target has nothing there. An attack on an ally, where that
    is forbidden, is certain to be void.
    """
    listed = [target for target in state.card.order if target in set(targets) and target != nation]
    mine = state.piles.pf_at(area, nation)
    present = [target for target in listed if state.piles.pf_at(area, target)]
    if not mine or not present:
        return None
    target = present[0]
    absent = tuple(name for name in listed if name not in present)
    theirs = state.piles.pf_at(area, target)
    if state.options["wwi.attack_ally"] == "forbidden" and state.ally_of(nation) == target:
        never = (Outcome(result, OUTCOMES[result], 0) for result in RESULTS)
        return Odds((), mine, 0, "", (*never, Outcome(VOID, "not made", 100)))
    number = column(mine, theirs)
    percents = hundredths(number)
    outcomes = []
    for result in RESULTS:
        own, other = losses(result, mine, theirs)
        lost = {nation: own, target: other}
        ordered = {name: lost[name] for name in state.card.order if lost.get(name)}
        outcomes.append(Outcome(result, OUTCOMES[result], percents[result], ordered))
    outcomes.append(Outcome(VOID, "not made", 0))
    odds = COLUMNS[number]
    answer = Odds((target,), mine, theirs, odds, tuple(outcomes), least=odds, best=odds)
    return replace(answer, absent=absent)


def hundredths(number: int) -> dict[str, int]:
    """Return the probability of each result in a column, in percent.

    Sixths do not divide 100, so the likeliest result gets the rounding difference.
    """
    percents = {result: round(100 * count(number, result) / len(TABLE)) for result in RESULTS}
    likeliest = max(percents, key=lambda result: percents[result])
    percents[likeliest] += 100 - sum(percents.values())
    return percents
