"""What a nation may order now, for forms, programs and fuzzers: every line offered is accepted. And
where it stands, in words."""

from __future__ import annotations

from collections.abc import Mapping

from .. import Choice
from ..lands import PF
from ..names import all_of
from ..orders import Order
from .card import CONTROL, KINDS, UNDERSTANDING, Card
from .face_down import BLANKS_A_TURN, VALUES, in_words
from .reading import Control, Share, Understanding
from .state import CHARTS, OVER, State, strength
from .wishes import hindrance

#: In a partial loss the Understanding first (K17): in one area, and wherever the nation has one.
LOSE, LOSE_ALL = "LOSE UNDERSTANDING FIRST", "LOSE UNDERSTANDING FIRST ALL"
LOSE_EVERYWHERE = "Everywhere, a partial loss takes my Understanding first"
EVERY_UNDERSTANDING = "Every Understanding my sheet allows, this turn and later"
BLANKS_LAID = "Blank counters laid here"
_KIND_WORDS = dict(
    zip(KINDS, ("Understanding", "CONTROL", "no Understanding", "no CONTROL"), strict=True)
)


def choices(state: State, nation: str) -> tuple[Choice, ...]:
    if state.step == OVER or state.drawing or state.mover not in (None, nation):
        return ()
    found = (
        _placements(state, nation)
        if state.placing
        else (_attacks(state, nation) + _losses(state, nation) if state.attacking else ())
        + (_wishes(state, nation) if state.wishing else ())
    )
    return (*found, Choice("PASS"))


def _placements(state: State, nation: str) -> tuple[Choice, ...]:
    """New PFs into any open area (P3); PFs at home out into any other (P4)."""
    open_areas = [area for area in state.card.areas if not state.pieces.closed(area)]
    new, at_home = state.allocation(nation), state.home_pf(nation)
    counters = VALUES if state.lays_face_down else ()
    found = [
        Choice("PLACE", area, most=new, counters=counters, label="New PFs placed here")
        for area in open_areas
        if new
    ]
    found += [
        Choice(
            "FROM HOME", area, most=at_home, counters=counters, label="PFs brought here from home"
        )
        for area in open_areas
        if at_home and area != state.home(nation)
    ]
    if state.lays_face_down:
        found += [
            Choice("BLANKS", area, most=BLANKS_A_TURN, blanks=BLANKS_A_TURN, label=BLANKS_LAID)
            for area in open_areas
        ]
    return tuple(found)


def _attacks(state: State, nation: str) -> tuple[Choice, ...]:
    """Areas where the nation and others stand. Immune nations are named too: their immunity may end
    before the attack (I4)."""
    found = []
    state = state.view_for(nation)
    standing = {(area, one) for area, one, cell in state.face_up_pieces if strength(cell)}
    standing |= {(area, one) for area, one in state.face_down if state.face_down.unknown(area, one)}
    conditions = state.options["ow2.conditionals"] != "none"
    for area in state.card.areas:
        if (area, nation) in standing:
            there = [one for one in state.card.order if (area, one) in standing]
            if others := tuple([one for one in there if one != nation]):
                may = Choice("ATTACK", area, nations=others, stock=True, conditions=conditions)
                found.append(may)
    return tuple(found)


def _losses(state: State, nation: str) -> tuple[Choice, ...]:
    """What a partial loss takes first, where its owner says so (`ow2.u_loss`, K17)."""
    areas = state.card.areas if state.has_loss_orders else ()
    held = [area for area in areas if state.pieces.at(area, nation).understanding]
    found = [Choice(LOSE, area, label="lose the Understanding first") for area in held]
    return (*found, *([Choice(LOSE_ALL, label=LOSE_EVERYWHERE)] if held else []))


def _wishes(state: State, nation: str) -> tuple[Choice, ...]:
    """Counters that the card allows where none stands yet and the area is open."""
    card = state.card
    understandings, controls = (
        [area for area in card.allowed_areas(nation, kind) if not state.pieces.closed(area)]
        for kind in (UNDERSTANDING, CONTROL)
    )
    seen = state.view_for(nation)
    found = [
        Choice(
            "UNDERSTANDING", area, barred=_hindrances(seen, nation, {"": Understanding(0, area)})
        )
        for area in understandings
        if not state.pieces.at(area, nation).understanding
    ]
    for area in controls:
        barred = _hindrances(seen, nation, {"": Control(0, area)})
        found.append(Choice("CONTROL", area, label="CONTROL", barred=barred))
    for area in controls:
        # In a blind game nobody knows whose chart allows what: it may be asked of anybody, and
        # whoever is asked may agree (F5).
        partners = tuple(
            other
            for other in state.in_play
            if other != nation and (state.blind or card.allows(other, area, CONTROL))
        )
        barred = _hindrances(seen, nation, {other: Share(0, area, other) for other in partners})
        if partners:
            label = "share CONTROL with {}"
            found.append(Choice("SHARE", area, nations=partners, label=label, barred=barred))
    if understandings:
        found.append(Choice("STANDING UNDERSTANDING ALL", label=EVERY_UNDERSTANDING))
    return tuple(found)


def _hindrances(state: State, nation: str, wishes: Mapping[str, Order]) -> dict[str, str]:
    """Why each of these wishes would come to nothing, where that is certain."""
    found = {name: hindrance(state, nation, wish) for name, wish in wishes.items()}
    return {name: trouble[1] for name, trouble in found.items() if trouble}


def brief(state: State, nation: str) -> tuple[str, ...]:
    """Where the nation stands in this phase, one sentence a fact."""
    if state.step == OVER:
        return ("The game is over.",)
    if state.drawing:
        return _drawing_brief(state, nation)
    if state.placing:
        return _placement_brief(state, nation)
    if state.mover not in (None, nation):
        return (f"{state.mover} attacks now.",)
    found = []
    others = [other for other in state.card.order if other != nation]
    if free_of_me := [other for other in others if state.immune(nation, other)]:
        homes = all_of([home for one in free_of_me if (home := state.home(one)) is not None])
        found.append(f"{all_of(free_of_me)} cannot attack {nation} outside {homes}.")
    if barred := [other for other in others if state.immune(other, nation)]:
        while_it = f"outside {state.home(nation)} while an Understanding stands there"
        found.append(f"{nation} cannot attack {all_of(barred)} {while_it}.")
    found += _own_face_down(state, nation)
    if state.has_loss_orders and any(
        state.pieces.at(area, nation).understanding for area in state.card.areas
    ):
        found.append(
            "A partial loss takes plain PFs first; “LOSE UNDERSTANDING FIRST Poland”, or “… ALL”,"
            " says in this turn that it takes the Understanding there first."
        )
    if nation in state.memory.standing:
        found.append("The standing wish for every Understanding is kept.")
    return tuple(found)


def _drawing_brief(state: State, nation: str) -> tuple[str, ...]:
    """Of a phase in which nobody acts."""
    nobody = "Nobody sends orders in this phase"
    if state.step == CHARTS:
        drawn = "the charts are drawn, those of PFs openly and those of objectives in secret"
        once = f"After the draw only {nation} learns its objectives."
        return (f"{nobody}: {drawn}.", once)
    return (f"{nobody}: the draw decides who plays {all_of(list(state.unheld))} this turn.",)


def _placement_brief(state: State, nation: str) -> tuple[str, ...]:
    if state.mover not in (None, nation):
        return (f"{state.mover} places now.",)
    until = "the attacks" if state.fights_face_down else "all have placed"
    found = [f"{nation} has {state.allocation(nation)} new PFs to place."]
    home, at_home = state.home(nation), state.home_pf(nation)
    if home is None:
        found.append(f"{nation} has no home area and loses PFs that it does not place.")
    elif at_home:
        found.append(f"{PF.amount(at_home)} at home in {home} may go elsewhere.")
    else:
        later = "PFs placed there may leave in a later turn"
        found.append(f"No PFs stand at home in {home} yet; {later}.")
    if state.lays_face_down:
        found.append(
            f"New PFs lie face down until {until}, as counters of 1, 3, 5 and 10, and up to four"
            " blanks may lie among them. “PLACE 4 Poland AS 3+1” says which counters; without AS"
            " they are as few as can be. “BLANKS 2 Poland” lays two blanks."
        )
    closed = [area for area in state.card.areas if state.pieces.closed(area)]
    if closed:
        found.append(f"You cannot place PFs in {all_of(closed)}: there is a CONTROL counter.")
    return tuple(found)


def _own_face_down(state: State, nation: str) -> list[str]:
    """What only the nation itself knows, and what anybody may count (F9)."""
    own = [
        f"{area}: {in_words(counters)}"
        for area in state.card.areas
        if (counters := state.view_for(nation).face_down.counters(area, nation))
    ]
    whose = f"{nation}’s own counters that lie face down, for nobody else to know"
    found = [f"{whose}: {'; '.join(own)}."] if own else []
    if any(other != nation for _, other in state.face_down):
        found.append(
            "Of the counters of others only the number is known: “2?” is two of them. An attack"
            " turns up what it touches, and an attacker that turns out to be below 1-1 loses"
            " everything there."
        )
    return found


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
                paid = (f"{_KIND_WORDS[kind]} {kinds[kind]}" for kind in KINDS if kind in kinds)
                lines.append(f"{area}: {', '.join(paid)}.")
        found.append((nation, tuple(lines)))
    return tuple(found)
