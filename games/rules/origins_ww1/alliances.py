"""Alliances (Rules A.4, A.5, A8-A10): two nations that name each other, and nations
that leave.

Alliances are resolved first in a phase, by nations in card order and their lines as written. Where
nations take turns, an ALLY line stays open as an offer until its nation's next turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .. import Choice, Json, Reading, Remark, RulesError, event, pairs
from ..names import all_of
from .reading import VERBS, Ally, Leave
from .state import Pair, State

#: Remarks for members only, by nation, under wwi.alliance_secrecy = until_end.
Told = dict[str, list[Remark]]


def premade_alliances(text: str, nations: Sequence[str]) -> tuple[Pair, ...]:
    """Return the alliances of `wwi.premade`. Raise `RulesError` that names the key."""
    try:
        return pairs.check(pairs.read(text), nations)
    except RulesError as error:
        raise RulesError(f"{pairs.PREMADE}: {error}") from error


def may_form(state: State) -> bool:
    """Return whether alliances may form (A9): until the last orders, or until before the last turn
    (wwi.alliance_deadline = turn9)."""
    return state.options["wwi.alliance_deadline"] == "last_orders" or state.turn < state.card.turns


def may_leave(state: State) -> bool:
    """Return whether nations may leave alliances (A10)."""
    return bool(state.options["wwi.alliance_withdrawal"] == "allowed")


def may_end(state: State, pair: Pair | None) -> bool:
    """Return whether one of an alliance's nations may leave it: not if it stood from the start."""
    return pair is not None and pair not in state.premade and may_leave(state)


def pair_of(state: State, nation: str) -> Pair | None:
    return next((pair for pair in state.alliances if nation in pair), None)


def resolve(state: State, readings: Mapping[str, Reading]) -> tuple[State, list[Json], Told]:
    """Resolve withdrawals, then new alliances. Only members are told of secret alliances."""
    events: list[Json] = []
    remarks: Told = {}
    for nation in state.movers:
        if any(isinstance(order, Leave) for order in readings[nation].orders):
            state = _leave(state, nation, events, remarks)
    if may_form(state):
        state = _form(state, readings, events, remarks)
    elif state.offers:
        state = replace(state, offers={})
    return state, events, remarks


def _leave(state: State, nation: str, events: list[Json], remarks: Told) -> State:
    pair = pair_of(state, nation)
    if pair is None or not may_end(state, pair):
        return state
    sentence = f"{nation} leaves the alliance of {all_of(pair)}."
    if state.secret:
        _tell(remarks, pair, "alliance_left", sentence)
    else:
        events.append(event("alliance_left", "A A10", sentence, nation=nation, nations=list(pair)))
    return replace(
        state, alliances=tuple(alliance for alliance in state.alliances if alliance != pair)
    )


def _form(
    state: State, readings: Mapping[str, Reading], events: list[Json], remarks: Told
) -> State:
    """Ally free nations that name each other. A nation's new offers replace its earlier ones."""
    new_offers = {nation: _partners_of(readings[nation]) for nation in state.movers}
    offers = {
        nation: partners for nation, partners in state.offers.items() if nation not in new_offers
    }
    if not any(new_offers.values()):
        return replace(state, offers=offers) if offers != state.offers else state
    all_offers = {**offers, **new_offers}
    for nation in state.movers:
        for partner in new_offers[nation]:
            free = state.ally_of(nation) is None and state.ally_of(partner) is None
            if partner == nation or not free or nation not in all_offers.get(partner, ()):
                continue
            pair = _order_pair(state, nation, partner)
            state = replace(state, alliances=_sort_pairs(state, (*state.alliances, pair)))
            announcement = new_alliance(pair)
            if state.secret:
                _tell(remarks, pair, "alliance", announcement["message"])
            else:
                events.append(announcement)
    if state.mover is None:
        return state
    standing = {
        nation: partners
        for nation in state.card.order
        if (partners := all_offers.get(nation)) and state.ally_of(nation) is None
    }
    return replace(state, offers=standing)


def _partners_of(reading: Reading) -> tuple[str, ...]:
    partners = (order.partner for order in reading.orders if isinstance(order, Ally))
    return tuple(dict.fromkeys(partners))


def new_alliance(pair: Pair) -> Json:
    return event("alliance", "A A9", f"{all_of(pair)} are allies.", nations=list(pair))


def alliances_to_reveal(state: State) -> list[Json]:
    """Return the events of the last report about alliances that were secret until then (A8)."""
    if state.options["wwi.alliance_secrecy"] != "until_end":
        return []
    return [new_alliance(pair) for pair in state.alliances if pair not in state.premade]


def _tell(remarks: Told, pair: Pair, code: str, message: str) -> None:
    sentence = f"{message} Only the two of you know until the game ends."
    for nation in pair:
        remarks.setdefault(nation, []).append(Remark(1, "note", code, sentence))


def view_for(state: State, nation: str | None) -> State:
    """Return the state without other nations' offers and secret alliances (A8)."""
    seen = state
    if state.offers:
        own = {offerer: partners for offerer, partners in state.offers.items() if offerer == nation}
        seen = replace(seen, offers=own)
    if state.secret and state.alliances:
        known = (pair for pair in state.alliances if pair in state.premade or nation in pair)
        seen = replace(seen, alliances=tuple(known))
    return seen


def ally(state: State, a: str, b: str, allied: bool) -> State:
    """Ally two nations by a ruling, or end their alliance. Raise `RulesError` where that is
    impossible."""
    for nation in (a, b):
        if nation not in state.card.order:
            raise RulesError(f"There is no nation “{nation}”.")
    if a == b:
        raise RulesError(f"{a} cannot ally with itself.")
    pair = _order_pair(state, a, b)
    if not allied:
        if pair not in state.alliances:
            raise RulesError(f"{all_of(pair)} are not allied.")
        if pair in state.premade:
            why = "was made before the game and cannot end, because one person plays both"
            raise RulesError(f"The alliance of {all_of(pair)} {why}.")
        return replace(
            state, alliances=tuple(alliance for alliance in state.alliances if alliance != pair)
        )
    for nation in pair:
        if other := state.ally_of(nation):
            raise RulesError(f"{nation} is already allied with {other}.")
    offers = {nation: partners for nation, partners in state.offers.items() if nation not in pair}
    return replace(state, alliances=_sort_pairs(state, (*state.alliances, pair)), offers=offers)


def pairs_of(tree: object, state: State) -> tuple[Pair, ...]:
    """Return the alliances of a position or a situation, including those made before the game.

    Raise `RulesError` naming the key at fault.
    """
    if not isinstance(tree, list):
        raise RulesError("alliances must be a list of pairs")
    accepted: list[Pair] = list(state.premade)
    for place, entry in enumerate(tree):
        here = f"alliances[{place}]"
        if (
            not isinstance(entry, list | tuple)
            or len(entry) != 2
            or not all(nation in state.card.order for nation in entry)
        ):
            raise RulesError(f"{here} must be a pair of nations of this card")
        pair = _order_pair(state, *entry)
        if pair in accepted:
            continue
        if pair[0] == pair[1] or any(
            nation in alliance for alliance in accepted for nation in pair
        ):
            raise RulesError(f"{here}: each nation is in one alliance at most, with another nation")
        accepted.append(pair)
    return _sort_pairs(state, accepted)


def _order_pair(state: State, a: str, b: str) -> Pair:
    order = state.card.order
    return (a, b) if order.index(a) < order.index(b) else (b, a)


def _sort_pairs(state: State, found: Sequence[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(found, key=lambda pair: state.card.order.index(pair[0])))


def free_nations(state: State, nation: str) -> tuple[str, ...]:
    """Return the other nations that are in no alliance, as far as the state's reader knows."""
    return tuple(
        other for other in state.card.order if other != nation and state.ally_of(other) is None
    )


def offers(state: State, nation: str) -> list[Choice]:
    """Return the nations that an unallied nation may name; and leaving, where the game allows
    it."""
    offers = []
    pair = pair_of(state, nation)
    if pair is None and may_form(state) and (free := free_nations(state, nation)):
        offers.append(VERBS.choice("ALLY", nations=free))
    if may_end(state, pair):
        offers.append(VERBS.choice("LEAVE ALLIANCE"))
    return offers
