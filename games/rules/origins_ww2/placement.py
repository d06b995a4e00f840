"""Placement (Rules C.2, P1-P9; contract 4.1): where new PFs go and which leave home."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .. import Json, Reading, Remark, event
from ..lands import PF
from ..orders import Order
from . import telling
from .face_down import BLANK, BLANKS_A_TURN, FaceDown, count_in_words, fewest, trim
from .reading import Blanks, Place
from .state import Memory, Pieces, State

#: Area, nation, and the PFs that come there or leave.
Move = tuple[str, str, int]


def lay_face_down(
    state: State, readings: Mapping[str, Reading]
) -> tuple[Pieces, FaceDown, list[Json], Memory]:
    """The same where new PFs lie face down (F9, F10): what leaves home leaves it openly, and nobody
    is told where it goes.

    The events say for each nation and area how many counters lie there, and nothing that depends on
    what they are worth or on the lines by which they came: an event that is everybody's cannot tell
    what is one nation's. So nothing is said of PFs that are forfeited either, but to their owner
    (`checking`).
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
            said = f"{nation} moves {PF.amount(moved)} out of {home}."
            events.append(event("left_home", "C P4", said, nation=nation, area=home, pf=moved))
        for area in state.card.areas:
            if number := down.number(area, nation):
                said = f"{nation} lays {count_in_words(number)} face down in {area}."
                told = {"nation": nation, "area": area, "counters": number}
                events.append(event("placed_face_down", "C F9", said, **told))
        if reading.sent:
            placed[nation] = _text_to_repeat(reading.orders)
    return pieces, down, events, Memory(placed, state.memory.standing)


def turn_up(state: State, pieces: Pieces, down: FaceDown) -> tuple[Pieces, FaceDown, list[Json]]:
    """The board once all have placed and all that lies face down is turned up (source 000, line
    282), with an event for each heap."""
    events = []
    for area in state.card.areas:
        for nation in state.card.order:
            counters = down.counters(area, nation)
            if counters:
                pieces = pieces.add(area, nation, sum(counters))
                told: Json = {"kind": "turned_up", "nation": nation, "area": area}
                told |= {"counters": list(counters), "rule": "C F8"}
                events.append({**told, "message": telling.turning_up(told)})
    return pieces, FaceDown(), events


def forfeits(state: State, readings: Mapping[str, Reading]) -> dict[str, tuple[Remark, ...]]:
    """What a nation that sent nothing is told alone (F9): no event may say it. Who sent orders has
    the remark of `checking`."""
    found = {}
    for nation in state.movers:
        home, pf = state.home(nation), state.allocation(nation)
        lost = (
            state.options["ow2.nmr_placement"] == "forfeit"
            or home is None
            or state.pieces.closed(home)
        )
        if pf and not readings[nation].sent and lost:
            said = f"{nation} forfeits {PF.amount(pf)}."
            found[nation] = (*readings[nation].remarks, Remark(1, "note", "unplaced", said))
    return found


def _text_to_repeat(orders: Iterable[Order]) -> str:
    """For ow2.nmr_placement = repeat_last: a nation that passed on purpose passes again."""
    return "\n".join(order.words() for order in orders) or "PASS"


def resolve(state: State, readings: Mapping[str, Reading]) -> tuple[Pieces, list[Json], Memory]:
    """Nations in card order, each one's lines as written, then what it did not place."""
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
    """PFs that nations with orders have not placed, where the gamesmaster is to place them (P5,
    ow2.unplaced = gm_places).

    None where counters lie face down: what lies there nobody but its owner may know, and so nobody
    else can place it.
    """
    if state.lays_face_down:
        return {}
    found = {}
    for nation in state.movers:
        reading = readings[nation]
        asked = sum(
            order.pf for order in reading.orders if isinstance(order, Place) and not order.from_home
        )
        left = state.allocation(nation) - asked
        if reading.sent and left > 0:
            found[nation] = left
    return found


def _lines(
    state: State, nation: str, orders: Iterable[object], moves: list[Move], events: list[Json]
) -> int:
    """What the lines place; each gets what is left (P6). Returns what is left of the allocation."""
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
        said = f"{nation} places {pf} in {order.area}."
        if order.from_home:
            said = f"{nation} moves {pf} from {home} to {order.area}."
        events.append({
            "kind": "placed", "nation": nation, "area": order.area, "pf": pf, "source": source,
            "rule": "C P4" if order.from_home else "C P3",
            "message": said,
        })  # fmt: skip
    return left["new"]


def _rest(
    state: State, nation: str, left: int, sent: bool, moves: list[Move], events: list[Json]
) -> None:
    """PFs nobody placed: home (P5, P9), or forfeited where the option says so or there is no home
    to go to."""
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
