"""What a nation may order now, for forms, programs and fuzzers: every line offered is accepted. And where it stands, in words."""

from __future__ import annotations

from .. import Choice
from ..names import all_of
from .card import CONTROL, KINDS, UNDERSTANDING, Card
from .state import OVER, State

_KIND_WORDS = dict(zip(KINDS, ("Understanding", "CONTROL", "no Understanding", "no CONTROL"), strict=True))


def choices(state: State, nation: str) -> tuple[Choice, ...]:
    if state.step == OVER or state.mover not in (None, nation):
        return ()
    found = _placements(state, nation) if state.placing else _attacks(state, nation) + _wishes(state, nation)
    return (*found, Choice("PASS"))


def _placements(state: State, nation: str) -> tuple[Choice, ...]:
    """New PFs into any open area (P3); PFs at home out into any other (P4)."""
    open_areas = [area for area in state.card.areas if not state.pieces.closed(area)]
    new, at_home = state.allocation(nation), state.home_pf(nation)
    found = [Choice("PLACE", area, most=new) for area in open_areas if new]
    found += [Choice("FROM HOME", area, most=at_home) for area in open_areas if at_home and area != state.home(nation)]
    return tuple(found)


def _attacks(state: State, nation: str) -> tuple[Choice, ...]:
    """Areas where the nation and others stand. Immune nations are named too: their immunity may end before the attack (I4)."""
    found = []
    for area in state.card.areas:
        others = tuple(other for other in state.card.order if other != nation and state.pieces.strength(area, other))
        if others and state.pieces.strength(area, nation):
            found.append(Choice("ATTACK", area, nations=others, stock=True))
    return tuple(found)


def _wishes(state: State, nation: str) -> tuple[Choice, ...]:
    """Counters that the card allows where none stands yet and the area is open."""
    card = state.card
    understandings = [area for area in card.allowed_areas(nation, UNDERSTANDING) if not state.pieces.closed(area)]
    controls = [area for area in card.allowed_areas(nation, CONTROL) if not state.pieces.closed(area)]
    found = [Choice("UNDERSTANDING", area) for area in understandings if not state.pieces.at(area, nation).understanding]
    found += [Choice("CONTROL", area) for area in controls]
    for area in controls:
        partners = tuple(other for other in card.order if other != nation and card.allows(other, area, CONTROL))
        if partners:
            found.append(Choice("SHARE", area, nations=partners))
    if understandings:
        found.append(Choice("STANDING UNDERSTANDING ALL"))
    return tuple(found)


def brief(state: State, nation: str) -> tuple[str, ...]:
    """Where the nation stands in this phase, one sentence a fact."""
    if state.step == OVER:
        return ("The game is over.",)
    if state.placing:
        return _placement_brief(state, nation)
    found = []
    free_of_me = [other for other in state.card.order if other != nation and state.immune(nation, other)]
    barred_to_me = [other for other in state.card.order if other != nation and state.immune(other, nation)]
    if free_of_me:
        found.append(f"{all_of(free_of_me)} cannot attack {nation} outside {_homes(state, free_of_me)}.")
    if barred_to_me:
        found.append(f"{nation} cannot attack {all_of(barred_to_me)} outside {state.home(nation)} while an Understanding stands there.")
    if nation in state.memory.standing:
        found.append("The standing wish for every Understanding is kept.")
    return tuple(found) or (f"Nobody is immune to {nation}, and {nation} is immune to nobody.",)


def _placement_brief(state: State, nation: str) -> tuple[str, ...]:
    if state.mover not in (None, nation):
        return (f"{state.mover} places now.",)
    found = [f"{nation} has {state.allocation(nation)} new PFs to place."]
    home, at_home = state.home(nation), state.home_pf(nation)
    if home is None:
        found.append(f"{nation} has no home area: what is not placed is forfeited.")
    elif at_home:
        found.append(f"{at_home} PF{'' if at_home == 1 else 's'} at home in {home} may go elsewhere.")
    else:
        found.append(f"No PFs stand at home in {home} yet; what is placed there may leave in a later turn.")
    closed = [area for area in state.card.areas if state.pieces.closed(area)]
    if closed:
        found.append(f"No PFs may go into {all_of(closed)}: CONTROL stands there.")
    return tuple(found)


def _homes(state: State, nations: list[str]) -> str:
    return all_of([home for nation in nations if (home := state.home(nation)) is not None])


def charts(card: Card) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The printed charts, nation by nation: allocation and objectives as one line each."""
    found = []
    for nation in card.order:
        lines = [f"PFs a turn: {', '.join(map(str, card.allocation[nation]))}."]
        home = card.home.get(nation)
        lines.append(f"Home area: {home}." if home else "No home area.")
        for area in card.areas:
            kinds = card.objectives.get(nation, {}).get(area, {})
            if kinds:
                lines.append(f"{area}: {', '.join(f'{_KIND_WORDS[kind]} {kinds[kind]}' for kind in KINDS if kind in kinds)}.")
        found.append((nation, tuple(lines)))
    return tuple(found)
