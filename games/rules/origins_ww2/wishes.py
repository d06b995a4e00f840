"""What keeps a counter from being placed, as far as it is known before the attacks (T1-T8).

In a phase of attacks PFs only get fewer and no area opens, so that most of it is certain.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..names import all_of
from ..orders import Order
from .reading import Attack, Control, Share, Understanding
from .state import COUNTER_PF, State, strength

#: Codes of warnings that an event of the result tells: “Germany places no CONTROL in Austria”.
TOLD = ("already_there", "closed", "too_few", "others_present")
#: Code of a remark, and the rest of its sentence.
Trouble = tuple[str, str]


def attack_targets(orders: Collection[Order]) -> Mapping[str, frozenset[str]]:
    """Whom these orders attack, by area; those of an ELSE list, too."""
    found: dict[str, frozenset[str]] = {}
    for order in orders:
        if isinstance(order, Attack):
            named = frozenset((*order.targets, *order.otherwise))
            found[order.area] = found.get(order.area, frozenset()) | named
    return found


def hindrance(state: State, nation: str, order: Order) -> Trouble | None:
    """Why the counter of a wish will certainly not be placed; None where it may be.

    `state` is as the nation sees it. What its card allows is not asked here.
    """
    if not isinstance(order, Understanding | Control | Share):
        return None
    area = order.area
    if state.pieces.at(area, nation).control and not isinstance(order, Understanding):
        return "already_there", f"{nation} already has CONTROL in {area}"
    if state.pieces.closed(area):
        return "closed", f"{area} already has a CONTROL counter"
    if isinstance(order, Understanding) and state.pieces.at(area, nation).understanding:
        return "already_there", f"{nation} already has an Understanding in {area}"
    askers = (nation, order.partner) if isinstance(order, Share) else (nation,)
    for one in askers:
        if few := _too_few(state, one, area, plain=isinstance(order, Understanding)):
            return "too_few", few
    return None


def obstacle(
    state: State, nation: str, order: Order, attacked: Mapping[str, Collection[str]]
) -> Trouble | None:
    """Whom CONTROL would have to be rid of first, and the nation's own orders do not attack.

    Once all have attacked (`ow2.attacks` = sequential) nobody there can be removed.
    """
    if not isinstance(order, Control | Share):
        return None
    others = _present(state, order.area) - {nation}
    if isinstance(order, Share):
        others -= {order.partner}
        may_stay = 1 if state.options["ow2.share_max"] == "3" else 0
    else:
        may_stay = 1 if state.options["ow2.share_consent"] == "both_asked_control" else 0
    if len(others) <= may_stay:
        return None
    left = [one for one in state.card.order if one in others - {*attacked.get(order.area, ())}]
    if not left:
        return None
    verb = "is" if len(left) == 1 else "are"
    said = f"{all_of(left)} {verb} in {order.area}"
    if state.attacking:
        said += f", and {nation} does not attack there"
    return "others_present", said


def _too_few(state: State, nation: str, area: str, plain: bool) -> str:
    """Half a sentence where the nation has less there than a counter takes, as far as it is
    known."""
    if state.face_down.unknown(area, nation):
        return ""
    cell = state.face_up_pieces.at(area, nation)
    plain = plain or state.options["ow2.u_counts_for_control"] != "yes"
    has = cell.pf if plain else strength(cell)
    if has >= COUNTER_PF:
        return ""
    return f"{nation} needs {COUNTER_PF} PFs in {area} and has {has or 'none'}"


def _present(state: State, area: str) -> set[str]:
    """The nations with anything there, face up or down."""
    lying = {nation for where, nation in state.face_down if where == area}
    return state.pieces.present(area) | lying
