"""Alliances, peace, grants, declarations and instructions (4.2, 19.12, Rules B.3): what binding
lines come to when orders are opened.

What binds both needs both: `ALLY France` of Britain and `ALLY Britain` of France, in the same phase
or while the other's word stands. It stands until its Game-Turn is over; until then its addressee
alone is told of it. Everything else is one side's own word. In this order: declarations, alliances
ended, grants taken back, grants given, instructions, columns; then offers, and what they come to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from .. import Json, Remark, event
from . import columns, hostility
from .checking import read
from .operators import operates
from .orders import Order
from .players import player_of
from .state import Grant, Offer, State

ALLIANCE, PEACE = "alliance", "peace"


def carried_out(
    state: State, orders: Mapping[str, str]
) -> tuple[State, list[Json], dict[str, tuple[Remark, ...]]]:
    """The state after the binding lines of everybody's texts, the events, and what is to be said to
    each sender."""
    readings = {
        power: read(orders[power], power, state) for power in state.card.order if orders.get(power)
    }
    remarks = {power: reading.remarks for power, reading in readings.items() if reading.remarks}
    sent: list[tuple[str, Order]] = [
        (power, order) for power, reading in readings.items() for order in reading.orders
    ]
    events: list[Json] = []
    for step in (_declarations, _alliances_ended, _grants, _instructions):
        state, told = step(state, sent)
        events += told
    state = _columns(state, sent)
    new = [one for one in _offers(state, sent) if one not in state.offers]
    state = replace(state, offers=(*state.offers, *new))
    state, made = _agreed(state)
    events += made
    for offer in state.offers:
        if any(offer in _offers(state, [pair]) for pair in sent):
            waiting = Remark(0, "note", "offer", _waits(state, offer))
            speaker = _speaker(state, offer, sent)
            remarks[speaker] = (*remarks.get(speaker, ()), waiting)
    return state, events, remarks


def _declarations(state: State, sent: list[tuple[str, Order]]) -> tuple[State, list[Json]]:
    events = []
    for power, order in sent:
        if order.verb == "DECLARE" and (power, order.to) not in state.declared:
            state = replace(state, declared=(*state.declared, (power, order.to)))
            said = f"{power} declares war on {order.to}."
            events.append(event("declaration", "B.1", said, nation=power, on=order.to))
    return state, events


def _alliances_ended(state: State, sent: list[tuple[str, Order]]) -> tuple[State, list[Json]]:
    events = []
    for power, order in sent:
        if order.verb != "UNALLY":
            continue
        mine, theirs = player_of(state, power), player_of(state, order.to)
        offers = tuple(
            one
            for one in state.offers
            if not (one.kind == ALLIANCE and one.by == mine and one.to == theirs)
        )
        was = hostility.registered(state, mine, theirs)
        state = replace(hostility.with_alliance(state, mine, theirs, False), offers=offers)
        if was:
            said = f"{mine} ends its alliance with {theirs}."
            events.append(event("alliance_ended", "19.12", said, nations=[mine, theirs]))
    return state, events


def _grants(state: State, sent: list[tuple[str, Order]]) -> tuple[State, list[Json]]:
    events = []
    for power, order in sent:
        if order.verb != "REVOKE":
            continue
        gone = [
            one
            for one in state.grants
            if _same(one, power, order) and (not order.origin or one.place == order.origin)
        ]
        state = replace(state, grants=tuple(one for one in state.grants if one not in gone))
        if gone:
            said = f"{power} takes {_granted(order)} back from {order.to}."
            events.append(_of_grant("grant_ended", said, power, order))
    for power, order in sent:
        if order.verb != "GRANT" or any(
            _same(one, power, order) and one.place == order.origin for one in state.grants
        ):
            continue
        grant = Grant(power, order.to, order.kind, order.origin, state.turn)
        state = replace(state, grants=(*state.grants, grant))
        said = f"{power} grants {order.to} {_granted(order)}."
        events.append(_of_grant("grant", said, power, order))
    return state, events


def _granted(order: Order) -> str:
    return order.kind.replace("_", "-") + (f" in {order.origin}" if order.origin else "")


def _of_grant(kind: str, said: str, power: str, order: Order) -> Json:
    what, place = order.kind, order.origin
    return event(kind, "B.1", said, nation=power, to=order.to, what=what, place=place)


def _same(grant: Grant, power: str, order: Order) -> bool:
    return (grant.by, grant.to, grant.kind) == (power, order.to, order.kind)


def _instructions(state: State, sent: list[tuple[str, Order]]) -> tuple[State, list[Json]]:
    """Keep Italy's secret standing word on 6.53: ON adds those named, OFF takes them away."""
    for power, order in sent:
        if order.verb != "MED":
            continue
        others = tuple(one for one in state.card.order if one != power)
        before = others if state.med is None else state.med
        named = order.powers or others
        chosen = (
            {*named}
            if order.on and order.powers and state.med is None
            else ({*before, *named} if order.on else {*before} - {*named})
        )
        state = replace(state, med=tuple(one for one in others if one in chosen))
    return state, []


def _columns(state: State, sent: list[tuple[str, Order]]) -> State:
    """Columns of players of two powers, each out of one text, which `checking` has found sound; a
    later one replaces it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for power, order in sent:
        if order.verb == "BLEND":
            found.setdefault(power, []).append((order.country, order.to))
    sealed = {seat: columns.check_blend(state, seat, chosen) for seat, chosen in found.items()}
    return replace(state, columns={**state.columns, **sealed})


# --- what needs both ---


def _offers(state: State, sent: list[tuple[str, Order]]) -> Iterator[Offer]:
    for power, order in sent:
        if order.verb == "ALLY":
            yield Offer(player_of(state, power), player_of(state, order.to), ALLIANCE, state.turn)
        elif order.verb == "PEACE":
            yield Offer(power, _signer(state, order.to), PEACE, state.turn)
        elif (
            order.verb == "MINOR"
            and order.core.verb == "PEACE"
            and operates(state, power, order.country)
        ):
            yield Offer(order.country, _signer(state, order.core.to), PEACE, state.turn)


def _signer(state: State, country: str) -> str:
    """Who signs for a country: a power for its home and what it held before the war, else the
    country itself, by its operator."""
    return hostility.belongs_to(state, country) or country


def _speaker(state: State, offer: Offer, sent: list[tuple[str, Order]]) -> str:
    """Whose text an offer stood in."""
    return next(power for power, order in sent if offer in _offers(state, [(power, order)]))


def _waits(state: State, offer: Offer) -> str:
    answer = f"{'ALLY' if offer.kind == ALLIANCE else 'PEACE'} {offer.by}"
    who = offer.to if offer.to in state.card.order else f"the player who operates {offer.to}"
    return (
        f"Your offer of {offer.kind} stands until this Game-Turn ends. It takes effect when {who}"
        f" answers {answer}."
    )


def _agreed(state: State) -> tuple[State, list[Json]]:
    events = []
    for offer in state.offers:
        if offer not in state.offers or not any(_answers(other, offer) for other in state.offers):
            continue
        pair = sorted((offer.by, offer.to), key=(*state.card.order, *state.card.areas).index)
        if offer.kind == ALLIANCE:
            if hostility.registered(state, *pair):
                continue
            state = hostility.with_alliance(state, pair[0], pair[1], True)
            said = f"{pair[0]} and {pair[1]} are allied."
            events.append(event("alliance", "19.12", said, nations=pair))
        else:
            state, gone = hostility.made_peace(state, pair[0], pair[1])
            also = "" if gone else " They were not hostile to each other."
            said = f"{pair[0]} and {pair[1]} make peace.{also}"
            events.append(event("peace", "19.12", said, nations=pair))
        state = replace(
            state,
            offers=tuple(one for one in state.offers if one != offer and not _answers(one, offer)),
        )
    kept = tuple(
        one
        for one in state.offers
        if one.kind == PEACE or not hostility.registered(state, one.by, one.to)
    )
    return replace(state, offers=kept), events


def _answers(one: Offer, offer: Offer) -> bool:
    return (one.by, one.to, one.kind) == (offer.to, offer.by, offer.kind)


def offered_to(state: State, power: str) -> tuple[Offer, ...]:
    """Return the offers that a power may answer: to it, and to countries that it operates."""
    return tuple(
        one
        for one in state.offers
        if player_of(state, one.to) == player_of(state, power)
        or (one.to not in state.card.order and operates(state, power, one.to))
    )
