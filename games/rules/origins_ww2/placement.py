"""Placement (Rules C.2, P1-P9): where new PFs go, and which PFs leave home."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .. import Choice, Json, Reading, Remark, event
from ..lands import PF
from ..names import count_of
from ..orders import Order
from . import telling
from .face_down import (
    BLANK,
    BLANKS_A_TURN,
    VALUES,
    FaceDownCounters,
    fewest,
    trim,
)
from .reading import VERBS, Blanks, Place
from .state import Memory, Pieces, State

#: Area, nation, and the PFs that arrive (or leave, if negative).
Move = tuple[str, str, int]


def lay_face_down(
    state: State, readings: Mapping[str, Reading]
) -> tuple[Pieces, FaceDownCounters, list[Json], Memory]:
    """Place PFs face down (F9, F10). PFs leave home openly, but their destination stays secret.

    The events state how many counters lie in each area for each nation. They contain nothing that
    depends on the counters' values or on the order lines, because everybody reads them. So they do
    not mention forfeited PFs either; only the owner learns of those (`checking`).
    """
    pieces, down = state.pieces, state.face_down
    events: list[Json] = []
    placed = dict(state.memory.placed)
    for nation in state.movers:
        reading, home = readings[nation], state.home(nation)
        left = {
            "new": state.allocation(nation),
            "home": state.home_pf(nation),
            "blanks": BLANKS_A_TURN,
        }
        for order in reading.orders:
            if isinstance(order, Place):
                source = "home" if order.from_home else "new"
                pf = min(order.pf, left[source])
                left[source] -= pf
                down = down.lay(order.area, nation, trim(order.counters, pf))
            elif isinstance(order, Blanks):
                blanks = min(order.number, left["blanks"])
                left["blanks"] -= blanks
                down = down.lay(order.area, nation, [BLANK] * blanks)
        fate = state.options["ow2.unplaced" if reading.sent else "ow2.nmr_placement"]
        if left["new"] and fate != "forfeit" and home is not None and not state.pieces.closed(home):
            down = down.lay(home, nation, fewest(left["new"]))
        moved = state.home_pf(nation) - left["home"]
        if moved and home is not None:
            pieces = pieces.add(home, nation, -moved)
            sentence = f"{nation} moves {PF.amount(moved)} out of {home}."
            events.append(event("left_home", "C P4", sentence, nation=nation, area=home, pf=moved))
        for area in state.card.areas:
            if number := down.number(area, nation):
                sentence = f"{nation} lays {count_of(number, 'counter')} face down in {area}."
                facts = {"nation": nation, "area": area, "counters": number}
                events.append(event("placed_face_down", "C F9", sentence, **facts))
        if reading.sent:
            placed[nation] = _text_to_repeat(reading.orders)
    return pieces, down, events, Memory(placed, state.memory.standing)


def turn_up(
    state: State, pieces: Pieces, down: FaceDownCounters
) -> tuple[Pieces, FaceDownCounters, list[Json]]:
    """Turn up everything that lies face down once all have placed (source 000, line 282).

    Return the board, no counters face down, and an event for each heap.
    """
    events = []
    for area in state.card.areas:
        for nation in state.card.order:
            counters = down.counters(area, nation)
            if counters:
                pieces = pieces.add(area, nation, sum(counters))
                facts: Json = {"kind": "turned_up", "nation": nation, "area": area}
                facts |= {"counters": list(counters), "rule": "C F8"}
                events.append({**facts, "message": telling.turning_up(facts)})
    return pieces, FaceDownCounters(), events


def forfeits(state: State, readings: Mapping[str, Reading]) -> dict[str, tuple[Remark, ...]]:
    """Return remarks about PFs forfeited by nations that sent nothing (F9).

    No event may mention them. Nations that sent orders get the remark from `checking`.
    """
    remarks = {}
    for nation in state.movers:
        home, pf = state.home(nation), state.allocation(nation)
        lost = (
            state.options["ow2.nmr_placement"] == "forfeit"
            or home is None
            or state.pieces.closed(home)
        )
        if pf and not readings[nation].sent and lost:
            sentence = f"{nation} forfeits {PF.amount(pf)}."
            remarks[nation] = (*readings[nation].remarks, Remark(1, "note", "unplaced", sentence))
    return remarks


def _text_to_repeat(orders: Iterable[Order]) -> str:
    """Return the text that ow2.nmr_placement = repeat_last repeats; a deliberate PASS is repeated
    too."""
    return "\n".join(order.words() for order in orders) or "PASS"


def resolve(state: State, readings: Mapping[str, Reading]) -> tuple[Pieces, list[Json], Memory]:
    """Place PFs of nations in card order: each nation's lines as written, then its unplaced PFs."""
    moves: list[Move] = []
    events: list[Json] = []
    placed = dict(state.memory.placed)
    for nation in state.movers:
        reading = readings[nation]
        left = _lines(state, nation, reading.orders, moves, events)
        _rest(state, nation, left, reading.sent, moves, events)
        if reading.sent:
            placed[nation] = _text_to_repeat(reading.orders)
    return state.pieces.add_all(moves), events, Memory(placed, state.memory.standing)


def pf_to_place(state: State, readings: Mapping[str, Reading]) -> dict[str, int]:
    """Return the unplaced PFs of nations with orders, where the gamesmaster is to place them (P5,
    ow2.unplaced = gm_places).

    Return nothing where counters lie face down: only their owner may know what lies there, so
    nobody else can place it.
    """
    if state.lays_face_down:
        return {}
    unplaced = {}
    for nation in state.movers:
        reading = readings[nation]
        asked = sum(
            order.pf for order in reading.orders if isinstance(order, Place) and not order.from_home
        )
        left = state.allocation(nation) - asked
        if reading.sent and left > 0:
            unplaced[nation] = left
    return unplaced


def _lines(
    state: State, nation: str, orders: Iterable[object], moves: list[Move], events: list[Json]
) -> int:
    """Execute the lines; each gets at most what is left (P6). Return the PFs left of the
    allocation."""
    left = {"new": state.allocation(nation), "home": state.home_pf(nation)}
    home = state.home(nation)
    for order in orders:
        if not isinstance(order, Place):
            continue
        source = "home" if order.from_home else "new"
        pf = min(order.pf, left[source])
        if not pf:
            continue
        left[source] -= pf
        if order.from_home and home is not None:
            moves.append((home, nation, -pf))
        moves.append((order.area, nation, pf))
        sentence = f"{nation} places {pf} in {order.area}."
        if order.from_home:
            sentence = f"{nation} moves {pf} from {home} to {order.area}."
        events.append({
            "kind": "placed", "nation": nation, "area": order.area, "pf": pf, "source": source,
            "rule": "C P4" if order.from_home else "C P3",
            "message": sentence,
        })  # fmt: skip
    return left["new"]


def _rest(
    state: State, nation: str, left: int, sent: bool, moves: list[Move], events: list[Json]
) -> None:
    """Send unplaced PFs home (P5, P9), or forfeit them where the option says so or there is no open
    home."""
    if not left:
        return
    fate = state.options["ow2.unplaced" if sent else "ow2.nmr_placement"]
    rule = "C P5" if sent else "C P9"
    home = state.home(nation)
    who = nation if sent else f"{nation} sent no orders and"
    if fate == "forfeit" or home is None or state.pieces.closed(home):
        events.append({
            "kind": "forfeited", "nation": nation, "pf": left, "rule": rule,
            "message": f"{who} forfeits {PF.amount(left)}.",
        })  # fmt: skip
        return
    events.append({
        "kind": "kept_home", "nation": nation, "area": home, "pf": left, "rule": rule,
        "message": f"{who} keeps {PF.amount(left)} at home.",
    })  # fmt: skip
    moves.append((home, nation, left))


def offers(state: State, nation: str) -> Iterator[Choice]:
    """Yield placements: new PFs into any open area (P3), PFs at home into any other open area
    (P4)."""
    open_areas = [area for area in state.card.areas if not state.pieces.closed(area)]
    counters = VALUES if state.lays_face_down else ()
    if new := state.allocation(nation):
        for area in open_areas:
            yield VERBS.choice("PLACE", area, most=new, counters=counters)
    if at_home := state.home_pf(nation):
        for area in open_areas:
            if area != state.home(nation):
                yield VERBS.choice("FROM HOME", area, most=at_home, counters=counters)
    if state.lays_face_down:
        for area in open_areas:
            yield VERBS.choice("BLANKS", area, most=BLANKS_A_TURN, blanks=BLANKS_A_TURN)
