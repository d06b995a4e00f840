"""Treaty rights, scores and winners (Rules A.2-A.4, A4-A6)."""

from __future__ import annotations

from functools import lru_cache

from .. import NationFacts, Objective, Standing
from ..names import all_of
from .card import BONUSES, KINDS, NO_OTHER_ABOVE, NO_TREATIES, REGIONS, Bonus, Card
from .state import OVER, Pair, Piles, State


def rights(card: Card, piles: Piles) -> dict[str, list[str]]:
    """Return the nations with treaty rights, by area: those with ten or more PFs in an area that is
    not their own home."""
    by_area: dict[str, list[str]] = {}
    enough, home = card.treaty_at, card.home
    for (area, nation), pf in piles.pf.items():
        if pf >= enough and home.get(nation) != area:
            by_area.setdefault(area, []).append(nation)
    return by_area


@lru_cache(maxsize=64)
def _counted_areas(areas: tuple[str, ...], without_regions: bool) -> frozenset[str]:
    return frozenset(area for area in areas if not (without_regions and area in REGIONS))


def treaty_nations(state: State, piles: Piles) -> tuple[str, ...]:
    """Return the nations that have received or given treaty rights on this board, in card order
    (A.3).

    Received rights count only in areas that count (A4).
    """
    card = state.card
    counted = _counted_areas(card.areas, state.options["wwi.bonus_areas"] == "without_regions")
    bound: set[str] = set()
    here = rights(card, piles)
    for area, nations in here.items():
        if area in counted:
            bound.update(nations)
    bound.update(nation for nation, home in card.home.items() if home in here)
    return tuple(nation for nation in card.order if nation in bound)


def treaty_nations_so_far(state: State, piles: Piles) -> tuple[str, ...]:
    """Return the nations that have ever received or given treaty rights (A5, wwi.bonus_time =
    ever).

    Piles grow only by placement, so checking after each nation's placement is enough.
    """
    if state.options["wwi.bonus_time"] == "end":
        return ()
    now = treaty_nations(state, piles)
    return tuple(nation for nation in state.card.order if nation in state.tied or nation in now)


def scores(state: State) -> dict[str, int]:
    """Return the scores in card order as if the game ended here, rulings included.

    The nation whose bonus depends on others' points is scored last.
    """
    card = state.card
    here = rights(card, state.piles)
    plain = {
        nation: sum(line.points for line in lines if _pays(here, nation, line.area, line.exclusive))
        for nation, lines in card.lines.items()
    }
    final = {nation: plain[nation] + state.points.get(nation, 0) for nation in card.order}
    spoiled = _bonus_losers(state)
    for nation, bonus in card.bonus.items():
        if bonus.limit is None and bonus.nation not in spoiled:
            final[nation] += bonus.points
    for nation, bonus in card.bonus.items():
        if bonus.limit is not None and _is_nobody_above(state, nation, bonus.limit, plain, final):
            final[nation] += bonus.points
    return final


def _pays(here: dict[str, list[str]], nation: str, area: str, exclusive: bool) -> bool:
    nations = here.get(area, ())
    return nation in nations and not (exclusive and len(nations) > 1)


def _bonus_losers(state: State) -> tuple[str, ...]:
    """Return the nations whose treaties cost others their bonus."""
    now = treaty_nations(state, state.piles)
    return now if state.options["wwi.bonus_time"] == "end" else (*state.tied, *now)


def _is_nobody_above(
    state: State, nation: str, limit: int, plain: dict[str, int], final: dict[str, int]
) -> bool:
    """Return whether no other nation is above the limit (A6).

    Each nation counts by itself, even if allied, with its final total or with its objectives only.
    """
    counted = final if state.options["wwi.britain_test"] == "final" else plain
    return all(points <= limit for other, points in counted.items() if other != nation)


def nation_facts(state: State, nation: str) -> NationFacts:
    """Return the nation's objectives, area by area, and its bonus, with whether each would pay
    now."""
    card, here = state.card, rights(state.card, state.piles)
    objectives = [
        Objective(area, kind, points, _pays(here, nation, area, kind == KINDS[1]))
        for area in card.areas
        for kind in KINDS
        if (points := card.points(nation, area, kind))
    ]
    if bonus := card.bonus.get(nation):
        kind = NO_TREATIES if bonus.limit is None else NO_OTHER_ABOVE
        assert kind in BONUSES
        objectives.append(
            Objective(
                "", kind, bonus.points, _is_bonus_reached(state, nation, bonus), bonus.words()
            )
        )
    return NationFacts(
        card.home.get(nation),
        tuple(card.allocation[nation]),
        tuple(objectives),
        state.points.get(nation, 0),
    )


def _is_bonus_reached(state: State, nation: str, bonus: Bonus) -> bool:
    if bonus.limit is None:
        return bonus.nation not in _bonus_losers(state)
    here = rights(state.card, state.piles)
    plain = {
        owner: sum(line.points for line in lines if _pays(here, owner, line.area, line.exclusive))
        for owner, lines in state.card.lines.items()
    }
    return _is_nobody_above(state, nation, bonus.limit, plain, scores(state))


def standing(state: State) -> Standing:
    final = scores(state)
    if state.step != OVER:
        return Standing(final, alliances=state.alliances)
    winners, passed = winners_of(state, final)
    return Standing(final, winners, _remark(final, state.alliances, passed), state.alliances)


def winners_of(state: State, final: dict[str, int]) -> tuple[tuple[str, ...], tuple[Pair, ...]]:
    """Return the winners in card order, and the alliances that win (A.4).

    Every alliance that passes its test wins, with both members. If none does, the best nation wins,
    among unallied nations or among all; ties share the win.
    """
    total = sum(final.values())
    passed = tuple(
        pair
        for pair in state.alliances
        if _passes(state, sum(final[nation] for nation in pair), total)
    )
    if passed:
        return (
            tuple(nation for nation in state.card.order if any(nation in pair for pair in passed)),
            passed,
        )
    ranked = state.card.order
    if state.options["wwi.failed_alliance"] == "unallied":
        ranked = tuple(nation for nation in ranked if state.ally_of(nation) is None) or ranked
    best = max(final[nation] for nation in ranked)
    return tuple(nation for nation in ranked if final[nation] == best), ()


def _passes(state: State, ours: int, total: int) -> bool:
    return (
        ours > total - ours if state.options["wwi.alliance_test"] == "gt" else ours >= total - ours
    )


def _remark(final: dict[str, int], alliances: tuple[Pair, ...], passed: tuple[Pair, ...]) -> str:
    """Return the totals of the alliances, for the last report."""
    total = sum(final.values())
    sentences = []
    for pair in alliances:
        ours = sum(final[nation] for nation in pair)
        verb = "wins" if pair in passed else "does not win"
        sentences.append(
            f"The alliance of {all_of(pair)} {verb} with {ours} points to the others’"
            f" {total - ours}."
        )
    return " ".join(sentences)
