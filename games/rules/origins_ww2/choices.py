"""What a nation may order now, for forms, programs and fuzzers: every line offered is accepted.
Also the nation's situation in words."""

from __future__ import annotations

from collections.abc import Mapping

from .. import Choice
from ..lands import PF
from ..names import all_of
from ..orders import PASS, Order
from .card import CONTROL, KINDS, UNDERSTANDING, Card
from .face_down import BLANKS_A_TURN, VALUES, describe_counters
from .reading import VERBS, Control, Share, Understanding
from .state import CHARTS, OVER, State, strength
from .wishes import hindrance

#: Orders to lose the Understanding first in a partial loss (K17): in one area, or everywhere.
LOSE, LOSE_ALL = "LOSE UNDERSTANDING FIRST", "LOSE UNDERSTANDING FIRST ALL"
_KIND_WORDS = dict(
    zip(KINDS, ("Understanding", "CONTROL", "no Understanding", "no CONTROL"), strict=True)
)


def choices(state: State, nation: str) -> tuple[Choice, ...]:
    if state.step == OVER or state.drawing or state.mover not in (None, nation):
        return ()
    offers = (
        _placements(state, nation)
        if state.is_placing
        else (_attacks(state, nation) + _losses(state, nation) if state.is_attacking else ())
        + (_wishes(state, nation) if state.is_wishing else ())
    )
    return (*offers, VERBS.choice(PASS))


def _placements(state: State, nation: str) -> tuple[Choice, ...]:
    """Return placements: new PFs into any open area (P3), PFs at home into any other open area
    (P4)."""
    open_areas = [area for area in state.card.areas if not state.pieces.closed(area)]
    new, at_home = state.allocation(nation), state.home_pf(nation)
    counters = VALUES if state.lays_face_down else ()
    offers = [
        VERBS.choice("PLACE", area, most=new, counters=counters) for area in open_areas if new
    ]
    offers += [
        VERBS.choice("FROM HOME", area, most=at_home, counters=counters)
        for area in open_areas
        if at_home and area != state.home(nation)
    ]
    if state.lays_face_down:
        offers += [
            VERBS.choice("BLANKS", area, most=BLANKS_A_TURN, blanks=BLANKS_A_TURN)
            for area in open_areas
        ]
    return tuple(offers)


def _attacks(state: State, nation: str) -> tuple[Choice, ...]:
    """Return an attack for each area where the nation and others stand.

    Immune nations are included, because their immunity may end before the attack (I4).
    """
    offers = []
    state = state.view_for(nation)
    standing = {(area, owner) for area, owner, cell in state.face_up_pieces if strength(cell)}
    standing |= {
        (area, owner) for area, owner in state.face_down if state.face_down.unknown(area, owner)
    }
    conditions = state.options["ow2.conditionals"] != "none"
    for area in state.card.areas:
        if (area, nation) in standing:
            there = [owner for owner in state.card.order if (area, owner) in standing]
            if others := tuple([owner for owner in there if owner != nation]):
                attack = VERBS.choice(
                    "ATTACK", area, nations=others, stock=True, conditions=conditions
                )
                offers.append(attack)
    return tuple(offers)


def _losses(state: State, nation: str) -> tuple[Choice, ...]:
    """Return the choices to lose the Understanding first in a partial loss, where owners decide
    (`ow2.u_loss`, K17)."""
    areas = state.card.areas if state.has_loss_orders else ()
    areas_held = [area for area in areas if state.pieces.cell_at(area, nation).understanding]
    offers = [VERBS.choice(LOSE, area) for area in areas_held]
    return (*offers, *([VERBS.choice(LOSE_ALL)] if areas_held else []))


def _wishes(state: State, nation: str) -> tuple[Choice, ...]:
    """Return the counters that the card allows, in open areas where the nation does not have them
    yet."""
    card = state.card
    understandings, controls = (
        [area for area in card.allowed_areas(nation, kind) if not state.pieces.closed(area)]
        for kind in (UNDERSTANDING, CONTROL)
    )
    seen = state.view_for(nation)
    offers = [
        VERBS.choice(
            "UNDERSTANDING", area, barred=_hindrances(seen, nation, {"": Understanding(0, area)})
        )
        for area in understandings
        if not state.pieces.cell_at(area, nation).understanding
    ]
    for area in controls:
        barred = _hindrances(seen, nation, {"": Control(0, area)})
        offers.append(VERBS.choice("CONTROL", area, barred=barred))
    for area in controls:
        # In a blind game nobody knows which charts allow CONTROL here, so any nation may be named
        # as partner and may agree (F5).
        partners = tuple(
            other
            for other in state.in_play
            if other != nation and (state.blind or card.allows(other, area, CONTROL))
        )
        barred = _hindrances(seen, nation, {other: Share(0, area, other) for other in partners})
        if partners:
            offers.append(VERBS.choice("SHARE", area, nations=partners, barred=barred))
    if understandings:
        offers.append(VERBS.choice("STANDING UNDERSTANDING ALL"))
    return tuple(offers)


def _hindrances(state: State, nation: str, wishes: Mapping[str, Order]) -> dict[str, str]:
    """Return why each of these wishes would fail, where that is certain."""
    troubles = {name: hindrance(state, nation, wish) for name, wish in wishes.items()}
    return {name: trouble[1] for name, trouble in troubles.items() if trouble}


def brief(state: State, nation: str) -> tuple[str, ...]:
    """Return the nation's situation in this phase, one fact per sentence."""
    if state.step == OVER:
        return ("The game is over.",)
    if state.drawing:
        return _drawing_brief(state, nation)
    if state.is_placing:
        return _placement_brief(state, nation)
    if state.mover not in (None, nation):
        return (f"{state.mover} attacks now.",)
    sentences = []
    others = [other for other in state.card.order if other != nation]
    # A nation is immune to another everywhere except in the other's home (A5).
    if free_of_me := [other for other in others if state.immune(nation, other)]:
        first, *more = [f"only in {state.home(other_nation)}" for other_nation in free_of_me]
        only = [f"{free_of_me[0]} can attack {nation} {first}"]
        only += [
            f"{other_nation} {where}"
            for other_nation, where in zip(free_of_me[1:], more, strict=True)
        ]
        sentences.append(f"{all_of(only)}.")
    if barred := [other for other in others if state.immune(other, nation)]:
        its = "its Understanding stands" if len(barred) == 1 else "their Understandings stand"
        sentences.append(
            f"{nation} can attack {all_of(barred)} only in {state.home(nation)}, while {its} there."
        )
    sentences += _own_face_down(state, nation)
    if state.has_loss_orders and any(
        state.pieces.cell_at(area, nation).understanding for area in state.card.areas
    ):
        sentences.append(
            "A partial loss takes plain PFs first. With “LOSE UNDERSTANDING FIRST Poland”, or “…"
            " ALL”, it takes the Understanding first, in this turn only."
        )
    if nation in state.memory.standing:
        sentences.append("The standing wish for every Understanding is kept.")
    return tuple(sentences)


def _drawing_brief(state: State, nation: str) -> tuple[str, ...]:
    """Return the brief of a phase in which nobody acts."""
    nobody = "Nobody sends orders in this phase"
    if state.step == CHARTS:
        drawn = "every nation draws its PFs openly and its objectives in secret"
        once = f"After the draw only {nation} learns its objectives."
        return (f"{nobody}: {drawn}.", once)
    return (f"{nobody}: the draw decides who plays {all_of(list(state.unheld))} this turn.",)


def _placement_brief(state: State, nation: str) -> tuple[str, ...]:
    if state.mover not in (None, nation):
        return (f"{state.mover} places now.",)
    until = "the attacks" if state.fights_face_down else "all have placed"
    sentences = [f"{nation} has {state.allocation(nation)} new PFs to place."]
    home, at_home = state.home(nation), state.home_pf(nation)
    if home is None:
        sentences.append(f"{nation} has no home area and loses PFs that it does not place.")
    elif at_home:
        sentences.append(f"{PF.amount(at_home)} at home in {home} may go elsewhere.")
    if state.lays_face_down:
        sentences.append(
            f"New PFs lie face down until {until}, as counters of 1, 3, 5 and 10, with up to 4"
            " blanks among them. “PLACE 4 Poland AS 3+1” chooses the counters; without AS you get"
            " as few as possible. “BLANKS 2 Poland” lays 2 blanks."
        )
    closed = [area for area in state.card.areas if state.pieces.closed(area)]
    if closed:
        sentences.append(f"You cannot place PFs in {all_of(closed)}: there is a CONTROL counter.")
    return tuple(sentences)


def _own_face_down(state: State, nation: str) -> list[str]:
    """Return what only the nation itself knows about its face-down counters, and what everybody can
    count (F9)."""
    own = [
        f"{area}: {describe_counters(counters)}"
        for area in state.card.areas
        if (counters := state.view_for(nation).face_down.counters(area, nation))
    ]
    whose = f"{nation}’s counters face down, which no other nation sees"
    sentences = [f"{whose}: {'; '.join(own)}."] if own else []
    if any(other != nation for _, other in state.face_down):
        sentences.append(
            "You know only how many counters others have: “2?” means 2. An attack turns up the"
            " counters of both sides; an attacker that is then below 1-1 loses everything there."
        )
    return sentences


def charts(card: Card) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the printed charts, nation by nation: the allocation, and each area's objectives on a
    line."""
    rows = []
    for nation in card.order:
        lines = [f"PFs a turn: {', '.join(map(str, card.allocation[nation]))}."]
        home = card.home.get(nation)
        lines.append(f"Home area: {home}." if home else "No home area.")
        for area in card.areas:
            kinds = card.objectives.get(nation, {}).get(area, {})
            if kinds:
                paid = (f"{_KIND_WORDS[kind]} {kinds[kind]}" for kind in KINDS if kind in kinds)
                lines.append(f"{area}: {', '.join(paid)}.")
        rows.append((nation, tuple(lines)))
    return tuple(rows)
