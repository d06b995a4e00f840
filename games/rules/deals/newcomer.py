"""How programs answer what a newcomer proposes in turn 1: the figures of docs/balance.md.

A newcomer proposes to every other nation: peace for two turns, peace for the whole game, an
exchange of the areas where they are most in each other's way, and a joint attack on the nation that
is ahead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ..contract import Ruleset
from . import terms
from .bargaining import reply
from .characters import draw
from .terms import Clause

ACCEPTED, COUNTERED, DECLINED = "accepted", "countered", "declined"


def answers(
    rules: Ruleset, state: Any, nation: str, seats: Sequence[str], secret: str
) -> Counter[str]:
    """Return how often the bots of the other seats accept, name a price, or decline."""
    deals = rules.deals
    assert deals is not None
    count: Counter[str] = Counter()
    for other in seats:
        if other == nation:
            continue
        look = deals.outlook(rules.view(state, other))
        for deal in _proposals(rules, state, look, nation, other):
            answer = reply(deals, look, other, draw(secret, other), deal, 1)
            count[ACCEPTED if answer.accepts else COUNTERED if answer.counter else DECLINED] += 1
    return count


def _proposals(
    rules: Ruleset, state: Any, look: Any, nation: str, other: str
) -> Iterator[tuple[Clause, ...]]:
    deals, pair, turns = rules.deals, (nation, other), rules.turns(state)
    assert deals is not None
    for until in (2, turns):
        yield (Clause(terms.PEACE, pair, pair, until),)
    asked = deals.wants(look, nation, other)[:1]
    given = [area for area in deals.wants(look, other, nation) if area not in asked][:1]
    if asked and given:
        leave = (((other,), asked[0]), ((nation,), given[0]))
        yield tuple(Clause(terms.LEAVE, pair, who, 2, area) for who, area in leave)
    third = max(
        (name for name in look.prospects if name not in pair), key=look.prospects.__getitem__
    )
    area = next(iter((*deals.wants(look, nation, third), *deals.wants(look, other, third))), "")
    if area:
        yield (Clause(terms.ATTACK, pair, pair, 2, area, third),)
