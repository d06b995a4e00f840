"""What a nation may order now, for forms, programs and fuzzers: every line offered is accepted.
Also the nation's situation in words."""

from __future__ import annotations

from .. import Choice
from ..names import all_of
from ..orders import PASS
from . import alliances, attacks, placement
from .attacks import ALTERNATIVES
from .card import EXCLUSIVE, KINDS, TREATY, Card
from .placement import pfs
from .reading import VERBS
from .scoring import rights
from .state import OVER, State

_KIND_WORDS = {TREATY: "treaty rights", EXCLUSIVE: "treaty rights that nobody else has"}


def choices(state: State, nation: str) -> tuple[Choice, ...]:
    if state.step == OVER or state.mover not in (None, nation):
        return ()
    state = alliances.view_for(state, nation)
    offers: list[Choice] = []
    if state.is_placing:
        offers += placement.offers(state, nation)
    if state.is_attacking:
        offers += attacks.offers(state, nation)
    return (*offers, *alliances.offers(state, nation), VERBS.choice(PASS))


def could_order(state: State, nation: str) -> bool:
    """Only its members know of a secret alliance (A8), and which nation may leave one (A10)."""
    if state.secret and alliances.may_leave(state):
        return True
    offers = choices(alliances.view_for(state, None), nation)
    return any(offer.verb != PASS and not offer.hopeless for offer in offers)


def brief(state: State, nation: str) -> tuple[str, ...]:
    """Return the nation's situation in this phase, one fact per sentence."""
    if state.step == OVER:
        return ("The game is over.",)
    if state.mover not in (None, nation):
        return (f"It is {state.mover}'s turn.",)
    state = alliances.view_for(state, nation)
    sentences = []
    if state.is_placing:
        sentences.append(_allowance(state, nation))
    if state.is_attacking:
        sentences += _attack_brief(state, nation)
    sentences += _treaties_brief(state, nation)
    return (*sentences, *_alliance_brief(state, nation))


def _allowance(state: State, nation: str) -> str:
    home, has = state.home(nation), f"{nation} has {pfs(state.allocation(nation))} to place"
    abroad = f"at most {state.card.area_cap} in any one area abroad"
    if home is None:
        return f"{has}, {abroad}."
    at_home = f"any number at home in {home}"
    return f"{has}, {abroad}, and {at_home}. PFs never move once they are placed."


def _attack_brief(state: State, nation: str) -> list[str]:
    if state.is_choosing:
        return [
            f"After placing, {nation} may make one attack, ordered before the board is known:"
            f" write up to {ALTERNATIVES} attack lines, each with “MIN 2-1” if you like; the first"
            " possible one is made."
        ]
    where = [
        area
        for area in state.card.areas
        if state.piles.pf_at(area, nation)
        and any(state.piles.pf_at(area, other) for other in state.card.order if other != nation)
    ]
    if state.is_placing:
        return [
            f"After placing, {nation} may make one attack in an area where it and another nation"
            " have PFs."
        ]
    if not where:
        return [f"{nation} shares no area with another nation, so it cannot attack."]
    beside = f"It shares {all_of(where)} with others."
    return [f"{nation} may attack one nation in one area. {beside}"]


def _treaties_brief(state: State, nation: str) -> list[str]:
    here = rights(state.card, state.piles)
    own = [area for area in state.card.areas if nation in here.get(area, ())]
    if not own:
        return []
    return [f"{nation} has treaty rights in {all_of(own)}."]


def _alliance_brief(state: State, nation: str) -> list[str]:
    pair = alliances.pair_of(state, nation)
    sentences = []
    if pair is not None:
        sentences.append(f"{nation} is allied with {state.ally_of(nation)}.")
        if state.secret and pair not in state.premade:
            sentences[0] += " The others learn about it at the end."
        if alliances.may_end(state, pair):
            sentences.append("“LEAVE ALLIANCE” ends that.")
    elif alliances.may_form(state) and not (free := alliances.free_nations(state, nation)):
        sentences.append(f"{nation} is in no alliance, and all other nations are in one.")
    elif alliances.may_form(state):
        other = free[0]
        made = f"it is made if {other} names {nation} too"
        offers = f"“ALLY {other}” offers one to {other}"
        sentences.append(f"{nation} is in no alliance. {offers}; {made}.")
    if offered := state.offers.get(nation):
        offer = f"{nation}'s offer of an alliance to {all_of(offered)}"
        sentences.append(f"{offer} stands until its next turn.")
    return sentences


def charts(card: Card) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the printed card, nation by nation: PFs a turn, home, objectives and bonus, one per
    line."""
    rows = []
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
        rows.append((nation, tuple(lines)))
    return tuple(rows)
