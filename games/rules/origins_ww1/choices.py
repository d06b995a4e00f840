"""What a nation may order now, for forms, programs and fuzzers: every line offered is accepted. And
where it stands, in words."""

from __future__ import annotations

from dataclasses import replace

from .. import Choice
from ..names import all_of
from . import alliances
from .attacks import ALTERNATIVES
from .card import EXCLUSIVE, KINDS, TREATY, Card
from .placement import pfs
from .scoring import rights
from .state import OVER, State

_KIND_WORDS = {TREATY: "treaty rights", EXCLUSIVE: "treaty rights that nobody else has"}


def choices(state: State, nation: str) -> tuple[Choice, ...]:
    if state.step == OVER or state.mover not in (None, nation):
        return ()
    state = alliances.view_for(state, nation)
    found: list[Choice] = []
    if state.placing:
        found += _placements(state, nation)
    if state.attacking:
        found += _attacks(state, nation)
    return (*found, *_alliances(state, nation), Choice("PASS"))


def _placements(state: State, nation: str) -> list[Choice]:
    """At most the cap abroad, any number at home (A.2)."""
    new = state.allocation(nation)
    caps = {area: state.card.cap(nation, area) for area in state.card.areas}
    return [
        Choice(
            "PLACE", area, most=new if cap is None else min(new, cap), label="New PFs placed here"
        )
        for area, cap in caps.items()
        if new
    ]


def _attacks(state: State, nation: str) -> list[Choice]:
    """Areas where the nation and others stand, and the others there; where others place before it
    attacks, all areas and nations."""
    forbidden = state.ally_of(nation) if state.options["wwi.attack_ally"] == "forbidden" else None
    found = []
    for area in state.card.areas:
        others = tuple(
            other
            for other in state.card.order
            if other not in (nation, forbidden) and (state.choosing or state.piles.at(area, other))
        )
        if others and (state.placing or state.piles.at(area, nation)):
            may = Choice("ATTACK", area, nations=others, stock=True, form="in")
            found.append(replace(may, conditions=state.choosing))
    return found


def _alliances(state: State, nation: str) -> list[Choice]:
    """Whom an unallied nation may name; and leaving, where the game has that."""
    found = []
    pair = alliances.pair_of(state, nation)
    if pair is None and alliances.may_form(state):
        free = tuple(
            other for other in state.card.order if other != nation and state.ally_of(other) is None
        )
        if free:
            found.append(Choice("ALLY", nations=free, label="Alliance with {}"))
    if pair is not None and pair not in state.premade and alliances.may_leave(state):
        found.append(Choice("LEAVE ALLIANCE", label="Leave the alliance"))
    return found


def brief(state: State, nation: str) -> tuple[str, ...]:
    """Where the nation stands in this phase, one sentence a fact."""
    if state.step == OVER:
        return ("The game is over.",)
    if state.mover not in (None, nation):
        return (f"It is {state.mover}'s turn.",)
    state = alliances.view_for(state, nation)
    found = []
    if state.placing:
        found.append(_allowance(state, nation))
    if state.attacking:
        found += _attack_brief(state, nation)
    found += _treaties_brief(state, nation)
    return (*found, *_alliance_brief(state, nation))


def _allowance(state: State, nation: str) -> str:
    home, has = state.home(nation), f"{nation} has {pfs(state.allocation(nation))} to place"
    abroad = f"at most {state.card.area_cap} in any one area abroad"
    if home is None:
        return f"{has}, {abroad}."
    at_home = f"any number at home in {home}"
    return f"{has}, {abroad}, and {at_home}. PFs never move once they are placed."


def _attack_brief(state: State, nation: str) -> list[str]:
    if state.choosing:
        return [
            f"One attack may follow, after {nation} has placed. It is written before the board is"
            f" known: up to {ALTERNATIVES} attack lines, each with “MIN 2-1” if you like, and the"
            " first that can be made is made."
        ]
    where = [
        area
        for area in state.card.areas
        if state.piles.at(area, nation)
        and any(state.piles.at(area, other) for other in state.card.order if other != nation)
    ]
    if state.placing:
        return [f"One attack may follow, wherever {nation} and another nation then stand."]
    if not where:
        return [f"{nation} has no other nation in its areas and cannot attack."]
    beside = f"Others are with it in {all_of(where)}."
    return [f"{nation} may attack one nation in one area. {beside}"]


def _treaties_brief(state: State, nation: str) -> list[str]:
    here = rights(state.card, state.piles)
    own = [area for area in state.card.areas if nation in here.get(area, ())]
    if not own:
        return []
    return [f"{nation} has treaty rights in {all_of(own)}."]


def _alliance_brief(state: State, nation: str) -> list[str]:
    pair = alliances.pair_of(state, nation)
    found = []
    if pair is not None:
        found.append(f"{nation} is allied with {state.ally_of(nation)}.")
        if state.secret and pair not in state.premade:
            found[0] += " The others learn of it at the end."
        if pair not in state.premade and alliances.may_leave(state):
            found.append("“LEAVE ALLIANCE” ends that.")
    elif alliances.may_form(state):
        other = _example(state, nation)
        made = f"it is made if {other} names {nation} too"
        offers = f"“ALLY {other}” offers one to {other}"
        found.append(f"{nation} is in no alliance. {offers}; {made}.")
    if offered := state.offers.get(nation):
        offer = f"{nation}'s offer of an alliance to {all_of(offered)}"
        found.append(f"{offer} stands until its next turn.")
    return found


def _example(state: State, nation: str) -> str:
    """Somebody who could be named."""
    others = [other for other in state.card.order if other != nation]
    free = [other for other in others if state.ally_of(other) is None]
    return (*free, *others, nation)[0]


def charts(card: Card) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The printed sheet, nation by nation: PFs a turn, home, objectives and bonus as one line
    each."""
    found = []
    for nation in card.order:
        allocation = card.allocation[nation]
        each = f"{allocation[0]}" if len(set(allocation)) == 1 else ", ".join(map(str, allocation))
        home = card.home.get(nation)
        lines = [f"PFs a turn: {each}.", f"Home area: {home}." if home else "No home area."]
        for area in card.areas:
            kinds = card.objectives.get(nation, {}).get(area, {})
            if kinds:
                paid = (f"{_KIND_WORDS[kind]} {kinds[kind]}" for kind in KINDS if kind in kinds)
                lines.append(f"{area}: {', '.join(paid)}.")
        if bonus := card.bonus.get(nation):
            lines.append(f"{bonus.words()}: {bonus.points}.")
        found.append((nation, tuple(lines)))
    return tuple(found)
