"""Alliances (Rules A.4, A.5, A8-A10; contract 4.2): two nations that name each other, and whoever
leaves.

They are made first of all in a phase, by nations in card order and their lines as written. Where
turns are taken one after the other, an ALLY line stands as an offer until its nation's next own
turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .. import Json, Reading, Remark, RulesError, event, pairs
from ..names import all_of
from .reading import Ally, Leave
from .state import Pair, State

#: What members alone are told under wwi.alliance_secrecy = until_end: nation to remarks.
Told = dict[str, list[Remark]]


def premade_alliances(text: str, nations: Sequence[str]) -> tuple[Pair, ...]:
    """Return the alliances of `wwi.premade`. Raises `RulesError` that names the key."""
    try:
        return pairs.check(pairs.read(text), nations)
    except RulesError as error:
        raise RulesError(f"{pairs.PREMADE}: {error}") from error


def may_form(state: State) -> bool:
    """A9: until the last orders, or before the last turn (wwi.alliance_deadline = turn9)."""
    return state.options["wwi.alliance_deadline"] == "last_orders" or state.turn < state.card.turns


def may_leave(state: State) -> bool:
    """A10."""
    return bool(state.options["wwi.alliance_withdrawal"] == "allowed")


def pair_of(state: State, nation: str) -> Pair | None:
    return next((pair for pair in state.alliances if nation in pair), None)


def resolve(state: State, readings: Mapping[str, Reading]) -> tuple[State, list[Json], Told]:
    """Who leaves, then who allies. Of secret alliances only their members are told."""
    events: list[Json] = []
    told: Told = {}
    for nation in state.movers:
        if any(isinstance(order, Leave) for order in readings[nation].orders):
            state = _leave(state, nation, readings, events, told)
    if may_form(state):
        state = _form(state, readings, events, told)
    elif state.offers:
        state = replace(state, offers={})
    return state, events, told


def _leave(
    state: State, nation: str, readings: Mapping[str, Reading], events: list[Json], told: Told
) -> State:
    pair = pair_of(state, nation)
    if pair is None or pair in state.premade or not may_leave(state):
        return state
    said = f"{nation} leaves the alliance of {all_of(pair)}."
    if state.secret:
        _tell(told, pair, "alliance_left", said)
    else:
        events.append(event("alliance_left", "A A10", said, nation=nation, nations=list(pair)))
    return replace(state, alliances=tuple(one for one in state.alliances if one != pair))


def _form(state: State, readings: Mapping[str, Reading], events: list[Json], told: Told) -> State:
    """Ally free nations that name each other. A nation's new offers replace those from before."""
    named = {nation: _partners_of(readings[nation]) for nation in state.movers}
    offers = {nation: partners for nation, partners in state.offers.items() if nation not in named}
    if not any(named.values()):
        return replace(state, offers=offers) if offers != state.offers else state
    asked = {**offers, **named}
    for nation in state.movers:
        for partner in named[nation]:
            free = state.ally_of(nation) is None and state.ally_of(partner) is None
            if partner == nation or not free or nation not in asked.get(partner, ()):
                continue
            pair = _order_pair(state, nation, partner)
            state = replace(state, alliances=_sort_pairs(state, (*state.alliances, pair)))
            made = new_alliance(pair)
            if state.secret:
                _tell(told, pair, "alliance", made["message"])
            else:
                events.append(made)
    if state.mover is None:
        return state
    standing = {
        nation: partners
        for nation in state.card.order
        if (partners := asked.get(nation)) and state.ally_of(nation) is None
    }
    return replace(state, offers=standing)


def _partners_of(reading: Reading) -> tuple[str, ...]:
    named = (order.partner for order in reading.orders if isinstance(order, Ally))
    return tuple(dict.fromkeys(named))


def new_alliance(pair: Pair) -> Json:
    return event("alliance", "A A9", f"{all_of(pair)} are allies.", nations=list(pair))


def alliances_to_reveal(state: State) -> list[Json]:
    """Return the last report's events of alliances that were secret until then (A8)."""
    if state.options["wwi.alliance_secrecy"] != "until_end":
        return []
    return [new_alliance(pair) for pair in state.alliances if pair not in state.premade]


def _tell(told: Told, pair: Pair, code: str, message: str) -> None:
    said = f"{message} Only the two of you know until the game ends."
    for nation in pair:
        told.setdefault(nation, []).append(Remark(1, "note", code, said))


def view_for(state: State, nation: str | None) -> State:
    """Return the state without the offers of others and their secret alliances (A8)."""
    found = state
    if state.offers:
        own = {one: partners for one, partners in state.offers.items() if one == nation}
        found = replace(found, offers=own)
    if state.secret and state.alliances:
        known = (pair for pair in state.alliances if pair in state.premade or nation in pair)
        found = replace(found, alliances=tuple(known))
    return found


def ally(state: State, a: str, b: str, allied: bool) -> State:
    """Ally two nations, or part them, by a ruling. Raises `RulesError` where that cannot be."""
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
        return replace(state, alliances=tuple(one for one in state.alliances if one != pair))
    for nation in pair:
        if other := state.ally_of(nation):
            raise RulesError(f"{nation} is already allied with {other}.")
    offers = {nation: partners for nation, partners in state.offers.items() if nation not in pair}
    return replace(state, alliances=_sort_pairs(state, (*state.alliances, pair)), offers=offers)


def pairs_of(tree: object, state: State) -> tuple[Pair, ...]:
    """The alliances of a position or a situation, with those made before the game. Raises
    `RulesError` naming the key at fault."""
    if not isinstance(tree, list):
        raise RulesError("alliances must be a list of pairs")
    found: list[Pair] = list(state.premade)
    for place, given in enumerate(tree):
        here = f"alliances[{place}]"
        if (
            not isinstance(given, list | tuple)
            or len(given) != 2
            or not all(nation in state.card.order for nation in given)
        ):
            raise RulesError(f"{here} must be a pair of nations of this card")
        pair = _order_pair(state, *given)
        if pair in found:
            continue
        if pair[0] == pair[1] or any(nation in one for one in found for nation in pair):
            raise RulesError(f"{here}: each nation is in one alliance at most, with another nation")
        found.append(pair)
    return _sort_pairs(state, found)


def _order_pair(state: State, a: str, b: str) -> Pair:
    order = state.card.order
    return (a, b) if order.index(a) < order.index(b) else (b, a)


def _sort_pairs(state: State, found: Sequence[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(found, key=lambda pair: state.card.order.index(pair[0])))
