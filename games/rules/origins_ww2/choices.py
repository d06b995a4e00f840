"""What a nation may order now, for forms, programs and fuzzers: every line offered is accepted.
Also the nation's situation in words."""

from __future__ import annotations

from collections.abc import Iterator

from .. import Choice
from ..lands import PF
from ..names import all_of
from ..orders import PASS
from . import attacks, counters, placement
from .card import KINDS, Card
from .face_down import describe_counters
from .reading import VERBS
from .state import CHARTS, OVER, State

_KIND_WORDS = dict(
    zip(
        KINDS,
        ("Understanding", "CONTROL", "no foreign Understanding", "uncontrolled"),
        strict=True,
    )
)


def choices(state: State, nation: str) -> tuple[Choice, ...]:
    if not _may_order(state, nation):
        return ()
    return (*_offers(state, nation), VERBS.choice(PASS))


def could_order(state: State, nation: str) -> bool:
    """In a blind game only a nation itself knows which counters it may place (F4)."""
    if state.blind and state.is_wishing:
        return True
    seen = state.view_for(None)
    return _may_order(seen, nation) and any(not offer.hopeless for offer in _offers(seen, nation))


def _may_order(state: State, nation: str) -> bool:
    return not (state.step == OVER or state.drawing) and state.mover in (None, nation)


def _offers(state: State, nation: str) -> Iterator[Choice]:
    """Yield all choices but PASS."""
    if state.is_placing:
        yield from placement.offers(state, nation)
        return
    if state.is_attacking:
        yield from attacks.offers(state, nation)
    if state.is_wishing:
        yield from counters.offers(state, nation)


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
