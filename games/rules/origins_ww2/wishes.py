"""Reasons why a counter cannot be placed, as far as they are known before the attacks (T1-T8).

In a phase of attacks PFs only get fewer and no area opens, so most of these reasons are certain.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..names import all_of
from ..orders import Order
from .reading import Attack, Control, Share, Understanding
from .state import COUNTER_PF, State, strength

#: Codes of warnings that an event of the result repeats: “Germany cannot place CONTROL in Austria”.
TOLD = ("already_there", "closed", "too_few", "others_present")
#: The code of a remark, and the rest of its sentence.
Trouble = tuple[str, str]


def attack_targets(
    state: State, nation: str, orders: Collection[Order]
) -> Mapping[str, frozenset[str]]:
    """Return the nations that these orders can attack on this board, by area, with ELSE lists.

    A guest at home that the nation attacks there may be attacked elsewhere after that (A5).
    """
    attacks = [order for order in orders if isinstance(order, Attack)]
    home = state.home(nation)
    fought = {name for order in attacks if order.area == home for name in order.targets}
    targets: dict[str, frozenset[str]] = {}
    for order in attacks:
        open_to = frozenset(
            name
            for name in (*order.targets, *order.otherwise)
            if order.area == home or name in fought or not state.immune(name, nation)
        )
        targets[order.area] = targets.get(order.area, frozenset()) | open_to
    return targets


def hindrance(state: State, nation: str, order: Order) -> Trouble | None:
    """Return why the counter of a wish will certainly not be placed; None where it may be.

    `state` is the nation's own view. This does not check what the card allows.
    """
    if not isinstance(order, Understanding | Control | Share):
        return None
    area = order.area
    if state.pieces.cell_at(area, nation).control and not isinstance(order, Understanding):
        return "already_there", f"{nation} already has CONTROL in {area}"
    if state.pieces.closed(area):
        return "closed", f"{area} already has a CONTROL counter"
    if isinstance(order, Understanding) and state.pieces.cell_at(area, nation).understanding:
        return "already_there", f"{nation} already has an Understanding in {area}"
    askers = (nation, order.partner) if isinstance(order, Share) else (nation,)
    for asker in askers:
        if few := _too_few_sentence(state, asker, area, plain=isinstance(order, Understanding)):
            return "too_few", few
    return None


def obstacle(
    state: State,
    nation: str,
    order: Order,
    attacked: Mapping[str, Collection[str]],
    void: Collection[str] = (),
) -> Trouble | None:
    """Return the nations that prevent CONTROL and that the nation's own orders do not attack.

    `void`: the areas where an attack is ordered that cannot be made on this board. Once all have
    attacked (`ow2.attacks` = sequential), nobody there can be removed.
    """
    if not isinstance(order, Control | Share):
        return None
    others = _nations_present(state, order.area) - {nation}
    if isinstance(order, Share):
        others -= {order.partner}
        may_stay = 1 if state.options["ow2.share_max"] == "3" else 0
    else:
        may_stay = 1 if state.options["ow2.share_consent"] == "both_asked_control" else 0
    if len(others) <= may_stay:
        return None
    left = [
        other for other in state.card.order if other in others - {*attacked.get(order.area, ())}
    ]
    if not left:
        return None
    verb, them = ("is", "it") if len(left) == 1 else ("are", "them")
    sentence = f"{all_of(left)} {verb} in {order.area}"
    if state.is_attacking and order.area in void:
        sentence += f", and {nation}'s attack there would be void"
    elif state.is_attacking:
        sentence += f", and {nation} does not attack {them if order.area in attacked else 'there'}"
    return "others_present", sentence


def _too_few_sentence(state: State, nation: str, area: str, plain: bool) -> str:
    """Return half a sentence where the nation has fewer PFs there than a counter takes, as far as
    known; else an empty string."""
    if state.face_down.unknown(area, nation):
        return ""
    cell = state.face_up_pieces.cell_at(area, nation)
    plain = plain or state.options["ow2.u_counts_for_control"] != "yes"
    has = cell.pf if plain else strength(cell)
    if has >= COUNTER_PF:
        return ""
    return f"{nation} needs {COUNTER_PF} PFs in {area} and has {has or 'none'}"


def _nations_present(state: State, area: str) -> set[str]:
    """Return the nations with anything there, face up or down."""
    lying = {nation for where, nation in state.face_down if where == area}
    return state.pieces.present(area) | lying
