"""Placement (Rules C.2, P1-P9; contract 4.1): where new PFs go and which leave home."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .. import Json, Reading
from .reading import Place
from .state import Memory, Pieces, State


def resolve(state: State, readings: Mapping[str, Reading]) -> tuple[Pieces, list[Json], Memory]:
    """Nations in card order, each one's lines as written, then what it did not place."""
    pieces = state.pieces
    events: list[Json] = []
    placed = dict(state.memory.placed)
    for nation in state.movers:
        reading = readings[nation]
        pieces, left = _lines(state, pieces, nation, reading.orders, events)
        pieces = _rest(state, pieces, nation, left, reading.sent, events)
        if reading.sent:
            # For ow2.nmr_placement = repeat_last: a nation that passed on purpose passes again.
            placed[nation] = "\n".join(order.words() for order in reading.orders) or "PASS"
    return pieces, events, Memory(placed, state.memory.standing)


def _lines(state: State, pieces: Pieces, nation: str, orders: Iterable[object], events: list[Json]) -> tuple[Pieces, int]:
    """What the lines place; each gets what is left (P6). Returns also what is left of the allocation."""
    left = {"new": state.allocation(nation), "home": state.home_pf(nation)}
    for order in orders:
        if not isinstance(order, Place):
            continue
        source = "home" if order.from_home else "new"
        pf = min(order.pf, left[source])
        if not pf:
            continue
        left[source] -= pf
        home = state.home(nation)
        if order.from_home and home is not None:
            pieces = pieces.add(home, nation, -pf)
        pieces = pieces.add(order.area, nation, pf)
        whence = f"from {home}" if order.from_home else "of the new ones"
        events.append({
            "kind": "placed", "nation": nation, "area": order.area, "pf": pf, "source": source,
            "rule": "C P4" if order.from_home else "C P3",
            "message": f"{nation} places {_pfs(pf)} {whence} in {order.area}.",
        })  # fmt: skip
    return pieces, left["new"]


def _rest(state: State, pieces: Pieces, nation: str, left: int, sent: bool, events: list[Json]) -> Pieces:
    """PFs nobody placed: home (P5, P9), or forfeited where the option says so or there is no home to go to."""
    if not left:
        return pieces
    fate = state.options["ow2.unplaced" if sent else "ow2.nmr_placement"]
    rule = "C P5" if sent else "C P9"
    home = state.home(nation)
    why = "" if sent else ", which sent no orders"
    if fate == "forfeit" or home is None or state.pieces.closed(home):
        events.append({
            "kind": "forfeited", "nation": nation, "pf": left, "rule": rule,
            "message": f"{nation}{why}{',' if why else ''} forfeits {_pfs(left)}.",
        })  # fmt: skip
        return pieces
    events.append({
        "kind": "kept_home", "nation": nation, "area": home, "pf": left, "rule": rule,
        "message": f"{_pfs(left)} of {nation}{why}{',' if why else ''} go home to {home}.",
    })  # fmt: skip
    return pieces.add(home, nation, left)


def _pfs(number: int) -> str:
    return f"{number} PF{'' if number == 1 else 's'}"
