"""A program that plays a nation: plain, legal orders, always the same for the same state, nation and salt.

It is no strong player. It gathers 5 PFs where its card pays most, attacks whoever stands in the way when the odds are good,
and wishes for every counter that it may have. Demonstrations, empty seats and fuzzers use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from ..options import LIQUID_STOCKS
from .card import CONTROL, KINDS, NO_CONTROL, NO_UNDERSTANDING, UNDERSTANDING
from .state import COUNTER_PF, OVER, State
from .table import odds


def orders(state: State, nation: str, salt: str, stocks: tuple[str, ...] = LIQUID_STOCKS) -> str:
    """The order text of one phase. No stock is named twice; when they run out the reserve list decides."""
    if state.step == OVER or state.mover not in (None, nation):
        return ""
    if state.placing:
        lines = list(_placements(state, nation, salt))
    else:
        shuffled = sorted(stocks, key=lambda stock: _chance(salt, state, nation, stock))
        lines = [*_attacks(state, nation, salt, iter(shuffled)), *_wishes(state, nation)]
    return "\n".join(lines) or "PASS"


def _chance(salt: str, state: State, *about: str) -> float:
    """A number from 0 to 1 that depends on the salt and on nothing that anybody could ask twice."""
    said = "\x1f".join((salt, str(state.turn), state.step, *about))
    return int.from_bytes(hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()[:6], "big") / 2**48


def _open(state: State) -> list[str]:
    return [area for area in state.card.areas if not state.pieces.closed(area)]


def _others(state: State, nation: str, area: str) -> dict[str, int]:
    there = {other: state.pieces.strength(area, other) for other in state.card.order if other != nation}
    return {other: strength for other, strength in there.items() if strength}


def _placements(state: State, nation: str, salt: str) -> Iterator[str]:
    """The best areas first, each up to what its counter needs; what is over reinforces the best."""
    new, at_home = state.allocation(nation), state.home_pf(nation)
    wanted: dict[str, int] = {}
    ranked = sorted(_open(state), key=lambda area: -_worth(state, nation, area) * (0.6 + 0.8 * _chance(salt, state, nation, area)))
    ranked = [area for area in ranked if _worth(state, nation, area)]
    for area in ranked:
        need = _need(state, nation, area)
        if need <= 0:
            continue
        moved = min(need, at_home) if area != state.home(nation) else 0
        placed = min(need - moved, new)
        at_home, new = at_home - moved, new - placed
        if moved:
            yield f"FROM HOME {moved} {area}"
        if placed:
            wanted[area] = placed
    if new and ranked:
        wanted[ranked[0]] = wanted.get(ranked[0], 0) + new
    for area, placed in wanted.items():
        yield f"PLACE {placed} {area}"


def _worth(state: State, nation: str, area: str) -> int:
    """The most that the card pays for the area."""
    return max(state.card.points(nation, area, kind) for kind in KINDS)


def _need(state: State, nation: str, area: str) -> int:
    """PFs that the area still wants: enough for the counter and to outweigh whoever is there, or a foot in the door to bar others."""
    card, mine = state.card, state.pieces.at(area, nation)
    against = max(_others(state, nation, area).values(), default=0)
    if card.allows(nation, area, CONTROL):
        return max(COUNTER_PF, min(against + 1, 3 * COUNTER_PF)) - state.pieces.strength(area, nation)
    if card.allows(nation, area, UNDERSTANDING):
        return 0 if mine.understanding else COUNTER_PF + 1 - mine.pf
    return (2 if against else 1) - mine.pf


def _attacks(state: State, nation: str, salt: str, stocks: Iterator[str]) -> Iterator[str]:
    for area in state.card.areas:
        mine = state.pieces.strength(area, nation)
        if not mine or not _worth(state, nation, area):
            continue
        targets = _targets(state, nation, area, mine)
        column = odds(mine, sum(_others(state, nation, area)[target] for target in targets))
        # 1-1 fails as often as it helps: only now and then, and never with a pile that is to become a counter.
        daring = _chance(salt, state, nation, area, "dare") < 0.25 and mine < COUNTER_PF
        if column is None or (column == 1 and not daring):
            continue
        stock = next(stocks, "")
        yield f"ATTACK {area}: {', '.join(targets)}{f' STOCK {stock}' if stock else ''}{' MIN 2-1' if column > 1 else ''}"


def _targets(state: State, nation: str, area: str, mine: int) -> list[str]:
    """All who may be attacked if that is still 2-1, else the weakest few; nobody where nothing is gained by it."""
    others = _others(state, nation, area)
    if area != state.home(nation):
        others = {other: strength for other, strength in others.items() if not state.immune(other, nation)}
    if not any(_in_the_way(state, nation, other, area) for other in others):
        return []
    chosen: list[str] = []
    total = 0
    for other in sorted(others, key=lambda other: others[other]):
        if not chosen or mine >= 2 * (total + others[other]):
            chosen.append(other)
            total += others[other]
    return chosen


def _in_the_way(state: State, nation: str, other: str, area: str) -> bool:
    """Whether the other bars the nation's CONTROL, or could place a counter that costs the nation points."""
    card = state.card
    if card.allows(nation, area, CONTROL):
        return True
    if card.allows(nation, area, NO_UNDERSTANDING):
        return card.allows(other, area, UNDERSTANDING)
    return card.allows(other, area, CONTROL) and (card.allows(nation, area, NO_CONTROL) or card.allows(nation, area, UNDERSTANDING))


def _wishes(state: State, nation: str) -> Iterator[str]:
    """Every counter that the card allows where the nation stands: elsewhere none can come about in this phase."""
    card = state.card
    for area in card.allowed_areas(nation, CONTROL):
        if state.pieces.closed(area) or not state.pieces.strength(area, nation):
            continue
        others = _others(state, nation, area)
        partner = next(iter(others), "")
        if len(others) == 1 and card.allows(partner, area, CONTROL):
            yield f"SHARE {area} WITH {partner}"
        yield f"CONTROL {area}"
    for area in card.allowed_areas(nation, UNDERSTANDING):
        mine = state.pieces.at(area, nation)
        if mine.pf and not mine.understanding and not state.pieces.closed(area):
            yield f"UNDERSTANDING {area}"
