"""Carry out binding lines when orders are opened (4.2, 19.12, Rules B.3).

These are alliances, peace, grants, declarations and instructions. What binds both sides needs both:
`ALLY France` of Britain and `ALLY Britain` of France, in the same phase or while the other's offer
is open. An offer is open until its Game-Turn is over, and until then only its addressee is told of
it. Everything else needs only one side. The order is: declarations, alliances ended, grants taken
back, grants given, instructions, columns; then offers and agreements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from games.rules import Json, Remark, event

from . import columns, hostility
from .checking import read
from .operators import operates
from .orders import Order
from .players import player_of
from .state import Grant, Offer, State

ALLIANCE, PEACE = "alliance", "peace"


def carry_out(
    state: State, orders: Mapping[str, str]
) -> tuple[State, list[Json], dict[str, tuple[Remark, ...]]]:
    """Carry out the binding lines of all texts.

    Return the state, the events, and the remarks for each sender.
    """
    readings = {
        power: read(orders[power], power, state) for power in state.card.order if orders.get(power)
    }
    remarks = {power: reading.remarks for power, reading in readings.items() if reading.remarks}
    sent: list[tuple[str, Order]] = [
        (power, order) for power, reading in readings.items() for order in reading.orders
    ]
    events: list[Json] = []
    for step in (_declarations, _end_alliances, _grants, _instructions):
        state, step_events = step(state, sent)
        events += step_events
    state = _columns(state, sent)
    new = [candidate for candidate in _offers(state, sent) if candidate not in state.offers]
    state = replace(state, offers=(*state.offers, *new))
    state, agreements = _conclude_agreements(state)
    events += agreements
    for offer in state.offers:
        if any(offer in _offers(state, [pair]) for pair in sent):
            waiting = Remark(0, "note", "offer", _waiting_sentence(state, offer))
            speaker = _speaker(state, offer, sent)
            remarks[speaker] = (*remarks.get(speaker, ()), waiting)
    return state, events, remarks


def _declarations(state: State, sent: list[tuple[str, Order]]) -> tuple[State, list[Json]]:
    events = []
    for power, order in sent:
        if order.verb == "DECLARE" and (power, order.to) not in state.declared:
            state = replace(state, declared=(*state.declared, (power, order.to)))
            sentence = f"{power} declares war on {order.to}."
            events.append(event("declaration", "B.1", sentence, nation=power, on=order.to))
    return state, events


def _end_alliances(state: State, sent: list[tuple[str, Order]]) -> tuple[State, list[Json]]:
    events = []
    for power, order in sent:
        if order.verb != "UNALLY":
            continue
        own_seat, other_seat = player_of(state, power), player_of(state, order.to)
        offers = tuple(
            offer
            for offer in state.offers
            if not (offer.kind == ALLIANCE and offer.by == own_seat and offer.to == other_seat)
        )
        were_allied = hostility.is_alliance_registered(state, own_seat, other_seat)
        state = replace(hostility.set_alliance(state, own_seat, other_seat, False), offers=offers)
        if were_allied:
            sentence = f"{own_seat} ends its alliance with {other_seat}."
            events.append(
                event("alliance_ended", "19.12", sentence, nations=[own_seat, other_seat])
            )
    return state, events


def _grants(state: State, sent: list[tuple[str, Order]]) -> tuple[State, list[Json]]:
    events = []
    for power, order in sent:
        if order.verb != "REVOKE":
            continue
        revoked = [
            existing
            for existing in state.grants
            if _is_grant_of(existing, power, order)
            and (not order.origin or existing.place == order.origin)
        ]
        state = replace(
            state, grants=tuple(existing for existing in state.grants if existing not in revoked)
        )
        if revoked:
            sentence = f"{power} takes {_grant_words(order)} back from {order.to}."
            events.append(_grant_event("grant_ended", sentence, power, order))
    for power, order in sent:
        if order.verb != "GRANT" or any(
            _is_grant_of(existing, power, order) and existing.place == order.origin
            for existing in state.grants
        ):
            continue
        grant = Grant(power, order.to, order.kind, order.origin, state.turn)
        state = replace(state, grants=(*state.grants, grant))
        sentence = f"{power} grants {order.to} {_grant_words(order)}."
        events.append(_grant_event("grant", sentence, power, order))
    return state, events


def _grant_words(order: Order) -> str:
    kind = "a base" if order.kind == "base" else order.kind.replace("_", "-")
    return kind + (f" in {order.origin}" if order.origin else "")


def _grant_event(kind: str, message: str, power: str, order: Order) -> Json:
    permission, place = order.kind, order.origin
    return event(kind, "B.1", message, nation=power, to=order.to, what=permission, place=place)


def _is_grant_of(grant: Grant, power: str, order: Order) -> bool:
    return (grant.by, grant.to, grant.kind) == (power, order.to, order.kind)


def _instructions(state: State, sent: list[tuple[str, Order]]) -> tuple[State, list[Json]]:
    """Keep Italy's secret standing instruction on 6.53.

    ON adds the powers named, OFF removes them.
    """
    for power, order in sent:
        if order.verb != "MED":
            continue
        others = tuple(other for other in state.card.order if other != power)
        before = others if state.med is None else state.med
        named = order.powers or others
        chosen = (
            {*named}
            if order.on and order.powers and state.med is None
            else ({*before, *named} if order.on else {*before} - {*named})
        )
        state = replace(state, med=tuple(other for other in others if other in chosen))
    return state, []


def _columns(state: State, sent: list[tuple[str, Order]]) -> State:
    """Seal the columns of players of two powers. A later one replaces an earlier one.

    Each comes from one text, which `checking` has found valid.
    """
    pairs: dict[str, list[tuple[str, str]]] = {}
    for power, order in sent:
        if order.verb == "BLEND":
            pairs.setdefault(power, []).append((order.country, order.to))
    sealed = {seat: columns.check_blend(state, seat, chosen) for seat, chosen in pairs.items()}
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
    """Return who signs for a country.

    A power signs for its home and what it held before the war; other countries sign by their
    operator.
    """
    return hostility.belongs_to(state, country) or country


def _speaker(state: State, offer: Offer, sent: list[tuple[str, Order]]) -> str:
    """Return the power whose text contained an offer."""
    return next(power for power, order in sent if offer in _offers(state, [(power, order)]))


def _waiting_sentence(state: State, offer: Offer) -> str:
    answer = f"{'ALLY' if offer.kind == ALLIANCE else 'PEACE'} {offer.by}"
    who = offer.to if offer.to in state.card.order else f"the player who operates {offer.to}"
    return (
        f"Your offer of {offer.kind} stands until this Game-Turn ends. It takes effect when {who}"
        f" answers {answer}."
    )


def _conclude_agreements(state: State) -> tuple[State, list[Json]]:
    events = []
    for offer in state.offers:
        if offer not in state.offers or not any(_answers(other, offer) for other in state.offers):
            continue
        pair = sorted((offer.by, offer.to), key=(*state.card.order, *state.card.areas).index)
        if offer.kind == ALLIANCE:
            if hostility.is_alliance_registered(state, *pair):
                continue
            state = hostility.set_alliance(state, pair[0], pair[1], True)
            sentence = f"{pair[0]} and {pair[1]} are allied."
            events.append(event("alliance", "19.12", sentence, nations=pair))
        else:
            state, ended = hostility.make_peace(state, pair[0], pair[1])
            also = "" if ended else " They were not hostile to each other."
            sentence = f"{pair[0]} and {pair[1]} make peace.{also}"
            events.append(event("peace", "19.12", sentence, nations=pair))
        state = replace(
            state,
            offers=tuple(
                candidate
                for candidate in state.offers
                if candidate != offer and not _answers(candidate, offer)
            ),
        )
    open_offers = tuple(
        candidate
        for candidate in state.offers
        if candidate.kind == PEACE
        or not hostility.is_alliance_registered(state, candidate.by, candidate.to)
    )
    return replace(state, offers=open_offers), events


def _answers(reply: Offer, offer: Offer) -> bool:
    return (reply.by, reply.to, reply.kind) == (offer.to, offer.by, offer.kind)


def offers_to(state: State, power: str) -> tuple[Offer, ...]:
    """Return the offers that a power may answer: to it, and to countries that it operates."""
    return tuple(
        offer
        for offer in state.offers
        if player_of(state, offer.to) == player_of(state, power)
        or (offer.to not in state.card.order and operates(state, power, offer.to))
    )
