"""Check orders before they are judged: refusals, warnings and notes. This module reads
the board and never changes it.

A line is refused only for the reasons in the contract. Any other order that may fail is accepted
with a warning, because an earlier nation may still change the board (K3, I4).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from .. import Reading, Remark
from ..lands import PF
from ..names import all_of, count_of
from ..orders import Line, Order, Pass, lines, no_agreement_prefix, quote_line, shorten
from ..plain.quoting import quote_readings
from ..sifting import Accepted, note, reading, refuse, stock_warnings, warning
from .card import CONTROL, UNDERSTANDING
from .face_down import BLANKS_A_TURN
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

#: Codes of warnings that any event of an attack answers; and of those that it answers only where
# the attack was void.
OF_ATTACKS = ("attacker_absent", "below_1_1", "below_min", "face_down")
OF_VOID_ATTACKS = ("absent", "immune")


def read(text: str, nation: str, state: State, reserves: Sequence[str] = ()) -> Reading:
    """Read every line, refuse invalid ones, then add warnings about orders that may fail.

    `reserves` is the published reserve list where it is known; only the warning under
    rng.stock_choice = list_only needs it.
    """
    written = lines(text)
    if not written:  # the usual case when a letter previews what happens to silent nations
        return reading(written, [], [])
    # Remarks may depend only on what the sender can see, even if the caller knows more.
    state = state.view_for(nation)
    accepted, remarks, doubt = orders_of(
        state, nation, text, lambda line, order: _refusal(line, order, nation, state)
    )
    if doubt is not None:
        return reading(written, [], remarks, doubt)
    accepted = quote_readings(accepted, remarks)
    if state.options["ow2.overplaced"] == "reject_all":
        accepted, too_many = _all_or_nothing(accepted, nation, state)
        remarks += too_many
    if state.is_placing:
        remarks += _placement_warnings(accepted, nation, state)
        remarks += _unplaced_warnings(accepted, written[-1], nation, state)
    else:
        void = list(
            _attack_warnings(accepted, nation, state, reserves or state.options["rng.reserve_list"])
        )
        remarks += void
        wasted = {remark.line for remark in void if remark.wasted}
        remarks += _wish_warnings(accepted, nation, state, wasted)
    return reading(written, accepted, remarks)


def _refusal(line: Line, order: Order, nation: str, state: State) -> Remark | None:
    """Return the first reason on the contract's list that applies; None where none does."""
    if state.drawing and not isinstance(order, Pass):
        sentence = "nobody sends orders during the draw; send it when the next phase opens"
        return refuse(line, "wrong_phase", sentence)
    if not isinstance(order, Pass):
        if isinstance(order, Place | Blanks) != state.is_placing:
            ordered_kind = "attacks and counters" if state.is_placing else "placements"
            now = "placement" if state.is_placing else "attacks and counters"
            sentence = f"this phase is for {now}; send {ordered_kind} later"
            return refuse(line, "wrong_phase", sentence)
        if state.mover not in (None, nation):
            noun = "placement" if state.is_placing else "attack"
            return refuse(line, "wrong_phase", f"it is {state.mover}'s {noun} now")
        if (
            not state.is_placing
            and not state.is_wishing
            and not isinstance(order, Attack | LoseFirst)
        ):
            sentence = "send counters once all have attacked"
            return refuse(line, "wrong_phase", sentence)
        if (
            isinstance(order, Attack | LoseFirst)
            and not state.is_attacking
            and not state.is_placing
        ):
            sentence = "all attacks of this turn are over; send counters now"
            return refuse(line, "wrong_phase", sentence)
    if isinstance(order, Attack) and nation in (*order.targets, *order.otherwise):
        sentence = f"{nation} cannot attack itself; leave {nation} out of the list"
        return refuse(line, "own_nation", sentence)
    if isinstance(order, Share) and order.partner == nation:
        sentence = "name another nation to share CONTROL with"
        return refuse(line, "own_nation", sentence)
    if isinstance(order, Place | Blanks) and state.pieces.closed(order.area):
        noun = "blanks" if isinstance(order, Blanks) else "more PFs"
        sentence = f"{order.area} has a CONTROL counter and takes no {noun}; name another area"
        return refuse(line, "closed", sentence)
    if isinstance(order, Place):
        if order.from_home and state.home(nation) is None:
            return refuse(line, "no_home", f"{nation} has no home area; use PLACE")
        if order.from_home and state.home(nation) == order.area:
            sentence = f"{order.area} is {nation}'s home area, where these PFs already are"
            return refuse(line, "no_home", f"{sentence}, so leave this line out")
    return None


def _all_or_nothing(accepted: Accepted, nation: str, state: State) -> tuple[Accepted, list[Remark]]:
    """Reject all lines of a kind that together ask for too much (P6, ow2.overplaced =
    reject_all)."""
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
            sentence = (
                f"together these lines place {PF.amount(asked)}; {nation} has {limit} {there}"
            )
            too_many += [refuse(line, "too_many", sentence) for line, _ in placed]
    blanks = [(line, order.number) for line, order in accepted if isinstance(order, Blanks)]
    asked = sum(number for _, number in blanks)
    if asked > BLANKS_A_TURN:
        there = f"there are {BLANKS_A_TURN} a turn"
        sentence = f"together these lines place {min(asked, 10**9)} blanks; {there}"
        too_many += [refuse(line, "too_many", sentence) for line, _ in blanks]
    numbers = {remark.line for remark in too_many}
    return [(line, order) for line, order in accepted if line.number not in numbers], too_many


def room(
    state: State, nation: str, orders: Iterable[Order]
) -> Iterator[tuple[Place | Blanks, int]]:
    """Yield each placement with the number of PFs or blanks left for it (P4, P6)."""
    new, at_home, blanks = state.allocation(nation), state.home_pf(nation), BLANKS_A_TURN
    for order in orders:
        if isinstance(order, Blanks):
            yield order, blanks
            blanks -= min(order.number, blanks)
        elif isinstance(order, Place) and order.from_home:
            yield order, at_home
            at_home -= min(order.pf, at_home)
        elif isinstance(order, Place):
            yield order, new
            new -= min(order.pf, new)


def _placement_warnings(accepted: Accepted, nation: str, state: State) -> Iterator[Remark]:
    """Yield a warning for each placement that asks for more than is left (P4, P6)."""
    lines = {order.line: line for line, order in accepted}
    for order, left in room(state, nation, [order for _, order in accepted]):
        asked = order.number if isinstance(order, Blanks) else order.pf
        if asked <= left:
            continue
        if isinstance(order, Blanks):
            there = home = ""
            number = str(asked) if asked < 10**9 else "more"
            amount = f"{number} of the {BLANKS_A_TURN} blanks of a turn"
        else:
            there = " that stood at home" if order.from_home else " of this turn"
            home = " at home" if order.from_home else ""
            amount = PF.amount(asked) if asked < 10**9 else "more PFs than any nation ever had"
        fate = (
            f"only {left}{there} {'is' if left == 1 else 'are'} left to place there"
            if left
            else f"you have none left{home}"
        )
        sentence = f"asks for {amount}, but {fate}"
        yield warning(lines[order.line], "more_than_left", sentence)


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
    # PASS says that nothing is to be placed, and need not be asked about.
    wasted = any(not isinstance(order, Pass) for _, order in accepted)
    is_single = left == 1
    fate = f"{'it goes' if is_single else 'they go'} to {home}"
    if not goes_home:
        fate = f"{'it is' if is_single else 'they are'} lost"
    if state.options["ow2.unplaced"] == "gm_places" and not state.lays_face_down:
        fate += " unless the gamesmaster places them"
    some = f"{left} of " if asked else ""
    number = f"{some}{PF.amount(state.allocation(nation))}"
    unplaced = f"{number} {'is' if is_single else 'are'} not placed: {fate}."
    sentence = f"{no_agreement_prefix(last)}{unplaced}"
    yield note(last, "unplaced", sentence, wasted)


def _attack_warnings(
    accepted: Accepted, nation: str, state: State, reserves: Sequence[str]
) -> Iterator[Remark]:
    """Yield warnings about attacks that would be void on the published board, and about their
    stocks."""
    first: dict[str, Attack] = {}
    stocks: set[str] = set()
    attacked = attack_targets(state, nation, [order for _, order in accepted])
    for line, order in accepted:
        if not isinstance(order, Attack):
            continue
        if earlier := first.get(order.area):
            sentence = f"is void: “{shorten(earlier.words())}” comes first"
            yield warning(line, "second_attack", sentence, wasted=True)
        elif fault := _trouble(order, nation, state):
            frees = fault.code == "immune" and attacked[order.area]
            yield warning(line, fault.code, fault.said, fault.wasted and not frees)
        first.setdefault(order.area, order)
        yield from stock_warnings(line, order.stocks, stocks, reserves, state.options)
        stocks.update(order.stocks)
        if state.options["ow2.conditionals"] == "none" and (order.otherwise or order.minimum):
            sentence = "counts without ELSE and MIN, which this game does not have"
            yield warning(line, "conditionals", sentence)


def _trouble(order: Attack, nation: str, state: State) -> _TargetFault | None:
    """Return why the attack would be void on the published board or lose some of its targets; None
    where nothing is wrong."""
    fault = _list_trouble(order, order.targets, nation, state)
    if fault is None:
        return None
    if fault.void and order.otherwise and state.options["ow2.conditionals"] != "none":
        other_fault = _list_trouble(order, order.otherwise, nation, state)
        if other_fault is None or not other_fault.void:
            instead = f"; its ELSE, {all_of(order.otherwise)}, is attacked unless that changes"
            return _TargetFault(fault.code, fault.said + instead)
    return fault._replace(said=fault.said + fault.fate)


class _TargetFault(NamedTuple):
    """A fault in a list of targets.

    `void`: on this board nobody on the list can be attacked. `fate`: the end of the sentence where
    no other list is attacked instead.
    """

    code: str
    said: str
    void: bool = False
    fate: str = ""

    @property
    def wasted(self) -> bool:
        """Whether nothing comes of the attack on this board, or only the attacker's loss."""
        return self.void or self.code == "below_1_1"


def _list_trouble(
    order: Attack, targets: Sequence[str], nation: str, state: State
) -> _TargetFault | None:
    pieces, down, area = state.face_up_pieces, state.face_down, order.area
    if down.unknown(area, nation):
        return None  # the reader may know neither what the nation has there nor its chances
    mine = pieces.strength(area, nation)
    if not mine:
        but = " but blanks, which cannot attack" if down.number(area, nation) else ""
        sentence = f"will be void: {nation} has nothing to attack with in {area}{but}"
        return _TargetFault("attacker_absent", sentence, True)
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
            f" and {count_of(lying, 'counter')} face down" if lying else ""
        )
        below = f"below 1-1, {nation} loses everything it has there"
        sentence = f"has {mine} against {open_ones} in {area}; {below}"
        return _TargetFault("face_down" if mine >= total else "below_1_1", sentence)
    known = f"on the published board, {mine} against {total}"
    if there and mine < total:
        fate = "; it is void unless that changes"
        if state.options["ow2.sub_1_1"] == "attacker_removed":
            fate = f"; unless that changes, {nation} loses everything it has there"
        return _TargetFault("below_1_1", f"is below 1-1 {known}", True, fate)
    if (
        there
        and order.minimum
        and (odds(mine, total) or 0) < order.minimum
        and state.options["ow2.conditionals"] != "none"
    ):
        fate = "; it is void unless that changes"
        return _TargetFault("below_min", f"is at less than {order.minimum}-1 {known}", True, fate)
    if immune:
        sentence = f"immune while an Understanding stands in {state.home(nation)}"
        return _TargetFault("immune", f"names {all_of(immune)}, {sentence}", void)
    if absent and not there:
        # PFs only get fewer in this phase, so an absent nation stays absent.
        verb = "has" if len(absent) == 1 else "have"
        sentence = f"{all_of(absent)} {verb} nothing in {area}"
        return _TargetFault("absent", f"cannot be made: {sentence}", void)
    if absent:
        return _TargetFault(
            "absent", f"names {all_of(absent)}, with nothing to attack in {area}", void
        )
    return None


def _wish_warnings(
    accepted: Accepted, nation: str, state: State, void: Collection[int]
) -> Iterator[Remark]:
    """Yield warnings about wishes that the nation's card does not allow (T11, T12), that cannot be
    placed, or that are not kept.

    `void`: the lines of attacks that cannot be made on this board.
    """
    for line, order in accepted:
        if isinstance(order, LoseFirst):
            areas = (order.area,) if order.area else state.card.areas
            if not any(state.pieces.cell_at(area, nation).understanding for area in areas):
                where = f"in {order.area}" if order.area else "anywhere"
                sentence = f"{nation} has no Understanding {where} that it could lose"
                yield warning(line, "absent", f"has no effect: {sentence}", wasted=True)
    made = [order for line, order in accepted if line.number not in void]
    attacked = attack_targets(state, nation, made)
    void_areas = {
        order.area
        for line, order in accepted
        if line.number in void and isinstance(order, Attack) and order.area not in attacked
    }
    for line, order in accepted:
        if state.knows(nation) and (remark := _off_card_remark(line, order, nation, state)):
            yield remark
        elif trouble := hindrance(state, nation, order):
            yield warning(line, trouble[0], f"has no effect: {trouble[1]}", wasted=True)
        elif trouble := obstacle(state, nation, order, attacked, void_areas):
            unless = " unless that changes" if state.is_attacking else ""
            sentence = f"has no effect{unless}: {trouble[1]}"
            in_vain = isinstance(order, Control | Share) and order.area in void_areas
            yield warning(line, trouble[0], sentence, in_vain or not state.is_attacking)


def _off_card_remark(line: Line, order: Order, nation: str, state: State) -> Remark | None:
    """Return a remark where the nation's card does not allow a wish."""
    card = state.card
    if isinstance(order, Understanding) and not card.allows(nation, order.area, UNDERSTANDING):
        sentence = f"is not on {nation}'s card: no Understanding in {order.area}"
        return warning(line, "not_on_card", sentence, wasted=True)
    if isinstance(order, Control) and not card.allows(nation, order.area, CONTROL):
        sentence = f"is not on {nation}'s card: no CONTROL in {order.area}"
        return warning(line, "not_on_card", sentence, wasted=True)
    if isinstance(order, Share):
        # In a blind game an order must not reveal another nation's chart (F5).
        sharers = (nation,) if state.blind else (nation, order.partner)
        if barred := [sharer for sharer in sharers if not card.allows(sharer, order.area, CONTROL)]:
            sentence = f"is not on the card of {all_of(barred)}: no CONTROL in {order.area}"
            return warning(line, "not_on_card", sentence, wasted=True)
    if isinstance(order, StandingUnderstanding):
        if not card.allowed_areas(nation, UNDERSTANDING):
            sentence = f"has no effect: {nation}'s card allows no Understanding"
            return warning(line, "not_on_card", sentence, wasted=True)
        if state.options["orders.standing"] == "no":
            sentence = "counts for this turn only; this game keeps no standing wishes."
            return note(line, "not_kept", f"{quote_line(line)} {sentence}")
    return None
