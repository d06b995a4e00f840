"""What is to be said about orders before they are judged (contract 3): refusals, warnings, notes.
Reads a board, changes none.

A line is refused for the reasons of the contract and for no others. Everything else that may come
to nothing is accepted with a warning, because an earlier nation may yet change the board (K3, I4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .. import Reading, Remark
from ..lands import PF
from ..names import all_of
from ..orders import Line, Order, Pass, lines, passed_by_vote, quote_line
from ..sifting import Accepted, note, reading, refuse, stock_warnings, warning
from .card import CONTROL, UNDERSTANDING
from .face_down import BLANKS_A_TURN, count_in_words
from .language import orders_of
from .reading import (
    Attack,
    Blanks,
    Control,
    LoseFirst,
    Place,
    Share,
    StandingUnderstanding,
    Understanding,
)
from .state import State
from .table import odds
from .wishes import attack_targets, hindrance, obstacle


def read(text: str, nation: str, state: State, reserves: Sequence[str] = ()) -> Reading:
    """Reads every line, refuses what must be refused, then says what may come to nothing.

    `reserves` is the published list where it is known; it matters only to the warning under
    rng.stock_choice = list_only.
    """
    # Whatever the caller knows: what is said rests on what the sender may see.
    state = state.view_for(nation)
    written = lines(text)
    accepted, remarks = orders_of(
        state, nation, text, lambda line, order: _refusal(line, order, nation, state)
    )
    if state.options["ow2.overplaced"] == "reject_all":
        accepted, too_many = _all_or_nothing(accepted, nation, state)
        remarks += too_many
    if state.placing:
        remarks += _placement_warnings(accepted, nation, state)
        if written:
            remarks += _unplaced_warnings(accepted, written[-1], nation, state)
    else:
        remarks += _attack_warnings(
            accepted, nation, state, reserves or state.options["rng.reserve_list"]
        )
        remarks += _wish_warnings(accepted, nation, state)
    return reading(written, accepted, remarks)


def _refusal(line: Line, order: Order, nation: str, state: State) -> Remark | None:
    """The first reason of the contract's list that holds, else None."""
    if state.drawing and not isinstance(order, Pass):
        said = "send it when the next phase opens; nobody sends orders during the draw"
        return refuse(line, "wrong_phase", said)
    if not isinstance(order, Pass):
        if isinstance(order, Place | Blanks) != state.placing:
            asked = "attacks and counters" if state.placing else "placements"
            now = "placement" if state.placing else "attacks and counters"
            said = f"this phase is for {now}; send {asked} later"
            return refuse(line, "wrong_phase", said)
        if state.mover not in (None, nation):
            what = "placement" if state.placing else "attack"
            return refuse(line, "wrong_phase", f"it is {state.mover}'s {what} now")
        if not state.placing and not state.wishing and not isinstance(order, Attack | LoseFirst):
            said = "send counters once all have attacked"
            return refuse(line, "wrong_phase", said)
        if isinstance(order, Attack | LoseFirst) and not state.attacking and not state.placing:
            said = "all attacks of this turn are over; send counters now"
            return refuse(line, "wrong_phase", said)
    if isinstance(order, Attack) and nation in (*order.targets, *order.otherwise):
        said = f"{nation} cannot attack itself; leave {nation} out of the list"
        return refuse(line, "own_nation", said)
    if isinstance(order, Share) and order.partner == nation:
        said = "name another nation to share CONTROL with"
        return refuse(line, "own_nation", said)
    if isinstance(order, Place | Blanks) and state.pieces.closed(order.area):
        what = "blanks" if isinstance(order, Blanks) else "more PFs"
        said = f"{order.area} has a CONTROL counter and takes no {what}; name another area"
        return refuse(line, "closed", said)
    if isinstance(order, Place):
        if order.from_home and state.home(nation) is None:
            return refuse(line, "no_home", f"{nation} has no home area; use PLACE")
        if order.from_home and state.home(nation) == order.area:
            said = f"{order.area} is {nation}'s home area, where these PFs already are"
            return refuse(line, "no_home", said)
    return None


def _all_or_nothing(accepted: Accepted, nation: str, state: State) -> tuple[Accepted, list[Remark]]:
    """Let no line count of a kind that asks for too much (P6, ow2.overplaced = reject_all)."""
    too_many: list[Remark] = []
    for from_home, limit in ((False, state.allocation(nation)), (True, state.home_pf(nation))):
        placed = [
            (line, order.pf)
            for line, order in accepted
            if isinstance(order, Place) and order.from_home == from_home
        ]
        asked = sum(pf for _, pf in placed)
        if asked > limit:
            there = "at home" if from_home else "to place"
            said = f"together these lines place {asked} PFs; {nation} has {limit} {there}"
            too_many += [refuse(line, "too_many", said) for line, _ in placed]
    blanks = [(line, order.number) for line, order in accepted if isinstance(order, Blanks)]
    asked = sum(number for _, number in blanks)
    if asked > BLANKS_A_TURN:
        there = f"there are {BLANKS_A_TURN} a turn"
        said = f"together these lines place {min(asked, 10**9)} blanks; {there}"
        too_many += [refuse(line, "too_many", said) for line, _ in blanks]
    numbers = {remark.line for remark in too_many}
    return [(line, order) for line, order in accepted if line.number not in numbers], too_many


def _placement_warnings(accepted: Accepted, nation: str, state: State) -> Iterator[Remark]:
    """Asking for more than is left (P4, P6)."""
    left = {False: state.allocation(nation), True: state.home_pf(nation)}
    blanks = BLANKS_A_TURN
    for line, order in accepted:
        if isinstance(order, Blanks) and order.number > blanks:
            fate = (
                f"only {blanks} {'is' if blanks == 1 else 'are'} left to place there"
                if blanks
                else "none is left: none is placed there"
            )
            asked = str(order.number) if order.number < 10**9 else "more"
            said = f"asks for {asked} of the {BLANKS_A_TURN} blanks of a turn, but {fate}"
            yield warning(line, "more_than_left", said)
        if isinstance(order, Blanks):
            blanks -= min(order.number, blanks)
        if not isinstance(order, Place):
            continue
        if order.pf > left[order.from_home]:
            there = "that stood at home" if order.from_home else "of this turn"
            asked = f"{order.pf} PFs" if order.pf < 10**9 else "more PFs than any nation ever had"
            rest = left[order.from_home]
            fate = (
                f"only {rest} {there} {'is' if rest == 1 else 'are'} left to place there"
                if rest
                else f"none {there} is left: none is placed there"
            )
            yield warning(line, "more_than_left", f"asks for {asked}, but {fate}")
        left[order.from_home] -= min(order.pf, left[order.from_home])


def _unplaced_warnings(
    accepted: Accepted, last: Line, nation: str, state: State
) -> Iterator[Remark]:
    if state.mover not in (None, nation):
        return
    asked = sum(
        order.pf for _, order in accepted if isinstance(order, Place) and not order.from_home
    )
    left = state.allocation(nation) - asked
    if left <= 0:
        return
    home = state.home(nation)
    goes_home = (
        state.options["ow2.unplaced"] != "forfeit"
        and home is not None
        and not state.pieces.closed(home)
    )
    one = left == 1
    fate = f"{'it goes' if one else 'they go'} home to {home}"
    if not goes_home:
        fate = f"{'it is' if one else 'they are'} lost"
    if state.options["ow2.unplaced"] == "gm_places" and not state.lays_face_down:
        fate += " unless the gamesmaster places them"
    unplaced = f"{PF.amount(left)} {'is' if one else 'are'} not placed: {fate}."
    said = f"{passed_by_vote(last)}{unplaced}"
    yield note(last, "unplaced", said)


def _attack_warnings(
    accepted: Accepted, nation: str, state: State, reserves: Sequence[str]
) -> Iterator[Remark]:
    """Say what makes an attack come to nothing on the published board, and which stocks do."""
    areas: set[str] = set()
    stocks: set[str] = set()
    for line, order in accepted:
        if not isinstance(order, Attack):
            continue
        if order.area in areas:
            said = f"is void: an earlier line already attacks in {order.area} (K15)"
            yield warning(line, "second_attack", said)
        elif trouble := _trouble(order, nation, state):
            yield warning(line, *trouble)
        areas.add(order.area)
        yield from stock_warnings(line, order.stocks, stocks, reserves, state.options)
        stocks.update(order.stocks)
        if state.options["ow2.conditionals"] == "none" and (order.otherwise or order.minimum):
            said = "counts without ELSE and MIN, which this game does not have"
            yield warning(line, "conditionals", said)


def _trouble(order: Attack, nation: str, state: State) -> tuple[str, str] | None:
    """Why the attack would be void on the published board, or be on fewer than it names; else whom
    it would leave out."""
    found = _list_trouble(order, order.targets, nation, state)
    if found is None:
        return None
    instead = ""
    if found.void and order.otherwise and state.options["ow2.conditionals"] != "none":
        other = _list_trouble(order, order.otherwise, nation, state)
        if other is None or not other.void:
            instead = f"; its ELSE, {all_of(order.otherwise)}, is attacked unless that changes"
    return found.code, found.said + (instead or found.fate)


class _Found(NamedTuple):
    """What is wrong with a list of targets. `void`: as it stands nobody of it is attacked; `fate`
    is how the sentence ends where no other list is attacked instead."""

    code: str
    said: str
    void: bool = False
    fate: str = ""


def _list_trouble(
    order: Attack, targets: Sequence[str], nation: str, state: State
) -> _Found | None:
    pieces, down, area = state.face_up_pieces, state.face_down, order.area
    if down.unknown(area, nation):
        return None  # whoever asks may not know what the nation has there, nor its chances
    mine = pieces.strength(area, nation)
    if not mine:
        but = " but blanks, which cannot attack" if down.number(area, nation) else ""
        said = f"will be void: {nation} has nothing to attack with in {area}{but}"
        return _Found("attacker_absent", said)
    absent = [
        target
        for target in targets
        if not pieces.strength(area, target) and not down.unknown(area, target)
    ]
    immune = [
        target
        for target in targets
        if target not in absent and area != state.home(nation) and state.immune(target, nation)
    ]
    there = [target for target in targets if target not in absent and target not in immune]
    void = not there or state.options["ow2.absent_target"] == "void"
    total = sum(pieces.strength(area, target) for target in there)
    lying = sum(down.unknown(area, target) for target in there)
    if state.fights_face_down and there and (lying or mine < total):
        open_ones = f"{total} in the open" + (
            f" and {count_in_words(lying)} face down" if lying else ""
        )
        below = f"below 1-1 {nation} loses everything it has there"
        said = f"sets {mine} against {open_ones} in {area}, and {below}"
        return _Found("face_down" if mine >= total else "below_1_1", said)
    known = f"on the published board, {mine} against {total}"
    if there and mine < total:
        fate = "; it is void unless that changes"
        return _Found("below_1_1", f"is below 1-1 {known}", True, fate)
    if (
        there
        and order.minimum
        and (odds(mine, total) or 0) < order.minimum
        and state.options["ow2.conditionals"] != "none"
    ):
        fate = "; it is void unless that changes"
        return _Found("below_min", f"is at less than {order.minimum}-1 {known}", True, fate)
    if immune:
        said = f"immune while an Understanding stands in {state.home(nation)}"
        return _Found("immune", f"names {all_of(immune)}, {said}", void)
    if absent and not there:
        # PFs only get fewer in this phase: nobody will be there who is not.
        verb = "has" if len(absent) == 1 else "have"
        said = f"{all_of(absent)} {verb} nothing in {area}"
        return _Found("absent", f"cannot be made: {said}", void)
    if absent:
        return _Found("absent", f"names {all_of(absent)}, with nothing to attack in {area}", void)
    return None


def _wish_warnings(accepted: Accepted, nation: str, state: State) -> Iterator[Remark]:
    """Counters that the nation's card does not allow (T11, T12) or that cannot be placed, and
    wishes that are not kept."""
    for line, order in accepted:
        if isinstance(order, LoseFirst):
            areas = (order.area,) if order.area else state.card.areas
            if not any(state.pieces.at(area, nation).understanding for area in areas):
                where = f"in {order.area}" if order.area else "anywhere"
                said = f"{nation} has no Understanding {where} that it could lose"
                yield warning(line, "absent", f"has no effect: {said}")
    attacked = attack_targets([order for _, order in accepted])
    for line, order in accepted:
        if state.knows(nation) and (barred := _off_card(line, order, nation, state)):
            yield barred
        elif trouble := hindrance(state, nation, order):
            yield warning(line, trouble[0], f"has no effect: {trouble[1]}")
        elif trouble := obstacle(state, nation, order, attacked):
            unless = " unless that changes" if state.attacking else ""
            yield warning(line, trouble[0], f"has no effect{unless}: {trouble[1]}")


def _off_card(line: Line, order: Order, nation: str, state: State) -> Remark | None:
    """What the charts keep from a wish."""
    card = state.card
    if isinstance(order, Understanding) and not card.allows(nation, order.area, UNDERSTANDING):
        said = f"is not on {nation}'s card: no Understanding in {order.area}"
        return warning(line, "not_on_card", said)
    if isinstance(order, Control) and not card.allows(nation, order.area, CONTROL):
        said = f"is not on {nation}'s card: no CONTROL in {order.area}"
        return warning(line, "not_on_card", said)
    if isinstance(order, Share):
        # Of a blind game nobody learns another's chart by asking (F5).
        asked = (nation,) if state.blind else (nation, order.partner)
        if barred := [one for one in asked if not card.allows(one, order.area, CONTROL)]:
            said = f"is not on the card of {all_of(barred)}: no CONTROL in {order.area}"
            return warning(line, "not_on_card", said)
    if isinstance(order, StandingUnderstanding):
        if not card.allowed_areas(nation, UNDERSTANDING):
            said = f"has no effect: {nation}'s card allows no Understanding"
            return warning(line, "not_on_card", said)
        if state.options["orders.standing"] == "no":
            said = "counts for this turn only; this game keeps no standing wishes."
            return note(line, "not_kept", f"{quote_line(line)} {said}")
    return None
