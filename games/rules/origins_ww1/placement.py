"""Placement (Rules A.2, A1-A3, A13): where new PFs go. They never move again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import Choice, Json, Reading, event
from ..lands import PF
from ..orders import Order
from .reading import VERBS, Place
from .state import Pair, State

pfs = PF.amount


def resolve(
    state: State, pf: dict[Pair, int], nation: str, reading: Reading, events: list[Json]
) -> None:
    """Place one nation's PFs on the board `pf`: its lines as written, then the PFs it did not
    place."""
    placed, left = room(state, nation, reading.orders)
    for order, number in placed:
        place = order.area, nation
        pf[place] = pf.get(place, 0) + number
        events.append({
            "kind": "placed", "nation": nation, "area": order.area, "pf": number, "source": "new",
            "rule": "A A.2", "message": f"{nation} places {number} in {order.area}.",
        })  # fmt: skip
    if left:
        _rest(state, pf, nation, left, reading.sent, events)


def room(state: State, nation: str, orders: Iterable[Order]) -> tuple[list[tuple[Place, int]], int]:
    """Return the PFs that each line really places, and what is left of the allowance.

    Lines place no more than the allowance in total, and abroad no more than the cap per area (A3).
    """
    left, cap, home = state.allocation(nation), state.card.area_cap, state.home(nation)
    there: dict[str, int] = {}
    placed: list[tuple[Place, int]] = []
    for order in orders:
        if not isinstance(order, Place):
            continue
        area = order.area
        number = order.pf if order.pf < left else left
        if area != home:  # at home there is no cap (A.2)
            number = min(number, cap - there.get(area, 0))
        if number > 0:
            left -= number
            there[area] = there.get(area, 0) + number
            placed.append((order, number))
    return placed, left


def goes_home(state: State, nation: str, sent: bool) -> bool:
    """Return whether unplaced PFs go home (A1, A13) instead of being lost."""
    fate = state.options["wwi.unplaced" if sent else "wwi.nmr"]
    return fate != "lost" and state.home(nation) is not None


def _rest(
    state: State, pf: dict[Pair, int], nation: str, left: int, sent: bool, events: list[Json]
) -> None:
    who = nation if sent else f"{nation} sent no orders and"
    rule, home = ("A A1" if sent else "A A13"), state.home(nation)
    if home is None or not goes_home(state, nation, sent):
        events.append(event("forfeited", rule, f"{who} loses {pfs(left)}.", nation=nation, pf=left))
        return
    pf[home, nation] = pf.get((home, nation), 0) + left
    events.append({
        "kind": "kept_home", "nation": nation, "area": home, "pf": left, "rule": rule,
        "message": f"{who} keeps {pfs(left)} at home.",
    })  # fmt: skip


def text_to_repeat(orders: Sequence[Order]) -> str:
    """Return the placement lines that wwi.nmr = repeat_last repeats; a nation that deliberately
    placed nothing does so again."""
    return "\n".join(order.words() for order in orders if isinstance(order, Place)) or "PASS"


def offers(state: State, nation: str) -> list[Choice]:
    """Return placements: at most the cap abroad, any number at home (A.2)."""
    new = state.allocation(nation)
    caps = {area: state.card.cap(nation, area) for area in state.card.areas}
    return [
        VERBS.choice("PLACE", area, most=new if cap is None else min(new, cap))
        for area, cap in caps.items()
        if new
    ]
