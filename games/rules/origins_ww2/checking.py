"""What is to be said about orders before they are judged (contract 3): refusals, warnings, notes.
Reads a board, changes none.

A line is refused for the reasons of the contract and for no others. Everything else that may come
to nothing is accepted with a warning, because an earlier nation may yet change the board (K3, I4).
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import Reading, Remark
from ..names import all_of
from ..orders import Line, Order, Pass, lines, quoted
from ..sifting import elsewhere, named_again, off_the_list, reading, refused, warning
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


def read(text: str, nation: str, state: State, reserves: Sequence[str] = ()) -> Reading:
    """Reads every line, refuses what must be refused, then says what may come to nothing.

    `reserves` is the published list where it is known; it matters only to the warning under
    rng.stock_choice = list_only.
    """
    state = state.seen_by(
        nation
    )  # whatever the caller knows: what is said rests on what the sender may see
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
            remarks += _unplaced(accepted, written[-1], nation, state)
    else:
        remarks += _attack_warnings(
            accepted, nation, state, reserves or state.options["rng.reserve_list"]
        )
        remarks += _wish_warnings(accepted, nation, state)
    return reading(written, accepted, remarks)


def _refusal(line: Line, order: Order, nation: str, state: State) -> Remark | None:
    """The first reason of the contract's list that holds, else None."""

    if state.drawing and not isinstance(order, Pass):
        return refused(
            line,
            "wrong_phase",
            "nobody orders anything while it is drawn, so send it when the next phase opens",
        )
    if not isinstance(order, Pass):
        if isinstance(order, Place | Blanks) != state.placing:
            asked = "attacks and counters" if state.placing else "placements"
            now = "placement" if state.placing else "attacks and counters"
            return refused(
                line,
                "wrong_phase",
                f"these are orders for {now}, so send {asked} when their turn comes",
            )
        if state.mover not in (None, nation):
            return refused(line, "wrong_phase", f"it is {state.mover}'s placement now")
    if isinstance(order, Attack) and nation in (*order.targets, *order.otherwise):
        return refused(
            line, "own_nation", f"{nation} cannot attack itself, so leave {nation} out of the list"
        )
    if isinstance(order, Share) and order.partner == nation:
        return refused(
            line, "own_nation", "CONTROL is shared with another nation, so name that one"
        )
    if isinstance(order, Place | Blanks) and state.pieces.closed(order.area):
        what = "blanks" if isinstance(order, Blanks) else "more PFs"
        return refused(
            line,
            "closed",
            f"{order.area} has a CONTROL counter and takes no {what}, so name another area",
        )
    if isinstance(order, Place):
        if order.from_home and state.home(nation) is None:
            return refused(line, "no_home", f"{nation} has no home area on this card, so use PLACE")
        if order.from_home and state.home(nation) == order.area:
            return refused(
                line,
                "no_home",
                f"{order.area} is {nation}'s home area, where these PFs stand already",
            )
    return None


def _all_or_nothing(
    accepted: Sequence[tuple[Line, Order]], nation: str, state: State
) -> tuple[list[tuple[Line, Order]], list[Remark]]:
    """ow2.overplaced = reject_all (P6): where all lines of one kind ask for too much, none of them
    counts."""
    refused: list[Remark] = []
    for from_home, limit in ((False, state.allocation(nation)), (True, state.home_pf(nation))):
        asked = sum(
            order.pf
            for _, order in accepted
            if isinstance(order, Place) and order.from_home == from_home
        )
        if asked > limit:
            there = "at home" if from_home else "to place"
            refused += [
                Remark(
                    line.number,
                    "error",
                    "too_many",
                    f"{quoted(line)} does nothing: such lines ask for {asked} PFs together and"
                    f" {nation} has {limit} {there}.",
                )
                for line, order in accepted
                if isinstance(order, Place) and order.from_home == from_home
            ]
    blanks = sum(order.number for _, order in accepted if isinstance(order, Blanks))
    if blanks > BLANKS_A_TURN:
        said = (
            f"does nothing: such lines ask for {min(blanks, 10**9)} blanks together and there are"
            f" {BLANKS_A_TURN} a turn."
        )
        lines_of_them = [line for line, order in accepted if isinstance(order, Blanks)]
        refused += [
            Remark(line.number, "error", "too_many", f"{quoted(line)} {said}")
            for line in lines_of_them
        ]
    numbers = {remark.line for remark in refused}
    return [(line, order) for line, order in accepted if line.number not in numbers], refused


def _placement_warnings(
    accepted: Sequence[tuple[Line, Order]], nation: str, state: State
) -> list[Remark]:
    """Asking for more than is left (P4, P6)."""
    found = []
    left = {False: state.allocation(nation), True: state.home_pf(nation)}
    blanks = BLANKS_A_TURN
    for line, order in accepted:
        if isinstance(order, Blanks) and order.number > blanks:
            fate = (
                f"only {blanks} {'is' if blanks == 1 else 'are'} left to go there"
                if blanks
                else "none is left: nothing goes there"
            )
            asked = str(order.number) if order.number < 10**9 else "more"
            found.append(
                warning(
                    line,
                    "more_than_left",
                    f"asks for {asked} of the {BLANKS_A_TURN} blanks of a turn, but {fate}",
                )
            )
        if isinstance(order, Blanks):
            blanks -= min(order.number, blanks)
        if not isinstance(order, Place):
            continue
        if order.pf > left[order.from_home]:
            there = "that stood at home" if order.from_home else "of this turn"
            asked = f"{order.pf} PFs" if order.pf < 10**9 else "more PFs than any nation ever had"
            rest = left[order.from_home]
            fate = (
                f"only {rest} {there} {'is' if rest == 1 else 'are'} left to go there"
                if rest
                else f"none {there} is left: nothing goes there"
            )
            found.append(warning(line, "more_than_left", f"asks for {asked}, but {fate}"))
        left[order.from_home] -= min(order.pf, left[order.from_home])
    return found


def _unplaced(
    accepted: Sequence[tuple[Line, Order]], last: Line, nation: str, state: State
) -> list[Remark]:
    if state.mover not in (None, nation):
        return []
    asked = sum(
        order.pf for _, order in accepted if isinstance(order, Place) and not order.from_home
    )
    left = state.allocation(nation) - asked
    if left <= 0:
        return []
    home = state.home(nation)
    goes_home = (
        state.options["ow2.unplaced"] != "forfeit"
        and home is not None
        and not state.pieces.closed(home)
    )
    fate = f"go home to {home}" if goes_home else "will be forfeited"
    if state.options["ow2.unplaced"] == "gm_places" and not state.hides:
        fate += " unless the gamesmaster places them"
    return [
        Remark(
            last.number,
            "note",
            "unplaced",
            f"After {quoted(last)} {_pfs(left)} of {nation}'s allocation {fate}.",
        )
    ]


def _attack_warnings(
    accepted: Sequence[tuple[Line, Order]], nation: str, state: State, reserves: Sequence[str]
) -> list[Remark]:
    """What would make an attack come to nothing if the board stayed as published, and stocks named
    again."""
    found: list[Remark] = []
    areas: set[str] = set()
    stocks: set[str] = set()
    for line, order in accepted:
        if not isinstance(order, Attack):
            continue
        if order.area in areas:
            found.append(
                warning(
                    line,
                    "second_attack",
                    f"is void: one attack of a nation an area, and {order.area} has one (K15)",
                )
            )
        else:
            trouble = _trouble(order, nation, state)
            if trouble:
                found.append(warning(line, *trouble))
        areas.add(order.area)
        found += named_again(line, order.stocks, stocks, state.options)
        stocks.update(order.stocks)
        found += off_the_list(line, order.stocks, reserves, state.options)
        found += elsewhere(line, order.stocks, state.options)
        if state.options["ow2.conditionals"] == "none" and (order.otherwise or order.minimum):
            found.append(
                warning(
                    line,
                    "conditionals",
                    "is read without ELSE and MIN, which this game does not have",
                )
            )
    return found


def _trouble(order: Attack, nation: str, state: State) -> tuple[str, str] | None:
    """Why the attack would be void on the published board, its ELSE list left aside; else whom it
    would leave out."""
    pieces, down, area = state.turned_up, state.face_down, order.area
    if down.unknown(
        area,
        nation,
        # whoever asks may not know what the nation has there: then nothing can be said of its
        # chances
    ):
        return None
    mine = pieces.strength(area, nation)
    if not mine:
        but = " but blanks, and those cannot attack" if down.number(area, nation) else ""
        return (
            "attacker_absent",
            f"will be void: {nation} has nothing to attack with in {area}{but}",
        )
    absent = [
        target
        for target in order.targets
        if not pieces.strength(area, target) and not down.unknown(area, target)
    ]
    immune = [
        target
        for target in order.targets
        if target not in absent and area != state.home(nation) and state.immune(target, nation)
    ]
    there = [target for target in order.targets if target not in absent and target not in immune]
    total = sum(pieces.strength(area, target) for target in there)
    lying = sum(down.unknown(area, target) for target in there)
    if state.hides and there and (lying or mine < total):
        open_ones = f"{total} in the open" + (
            f" and {count_in_words(lying)} face down" if lying else ""
        )
        below = f"below 1-1 {nation} loses everything that it has there"
        return (
            "face_down" if mine >= total else "below_1_1"
        ), f"sets {mine} against {open_ones} in {area}, and {below}"
    if there and mine < total:
        return (
            "below_1_1",
            (
                f"is below 1-1 on the published board, {mine} against {total}; it is void unless"
                " that changes"
            ),
        )
    if (
        there
        and order.minimum
        and (odds(mine, total) or 0) < order.minimum
        and state.options["ow2.conditionals"] != "none"
    ):
        return (
            "below_min",
            f"is at less than {order.minimum}-1 on the published board, {mine} against {total}",
        )
    if immune:
        return (
            "immune",
            f"names {all_of(immune)}, immune while an Understanding stands in {state.home(nation)}",
        )
    if absent:
        return (
            "absent",
            f"names {all_of(absent)}, with nothing to attack in {area} on the published board",
        )
    return None


def _wish_warnings(
    accepted: Sequence[tuple[Line, Order]], nation: str, state: State
) -> list[Remark]:
    """Counters that the nation's card does not allow (T11, T12), and wishes that are not kept."""
    card = state.card
    found: list[Remark] = []
    for line, order in accepted:
        if isinstance(order, LoseFirst):
            areas = (order.area,) if order.area else card.areas
            if not any(state.pieces.at(area, nation).understanding for area in areas):
                where = f"in {order.area}" if order.area else "anywhere"
                found.append(
                    warning(
                        line,
                        "absent",
                        f"comes to nothing: {nation} has no Understanding {where} that it could"
                        " lose",
                    )
                )
    for line, order in accepted if state.knows(nation) else ():
        if isinstance(order, Understanding) and not card.allows(nation, order.area, UNDERSTANDING):
            found.append(
                warning(
                    line,
                    "not_on_card",
                    f"is not on {nation}'s card: no Understanding in {order.area}",
                )
            )
        elif isinstance(order, Control) and not card.allows(nation, order.area, CONTROL):
            found.append(
                warning(
                    line, "not_on_card", f"is not on {nation}'s card: no CONTROL in {order.area}"
                )
            )
        elif isinstance(order, Share):
            asked = (
                (nation,) if state.blind else (nation, order.partner)
            )  # of a blind game nobody learns another's chart by asking (F5)
            barred = [one for one in asked if not card.allows(one, order.area, CONTROL)]
            if barred:
                found.append(
                    warning(
                        line,
                        "not_on_card",
                        f"is not on the card of {all_of(barred)}: no CONTROL in {order.area}",
                    )
                )
        elif isinstance(order, StandingUnderstanding):
            if not card.allowed_areas(nation, UNDERSTANDING):
                found.append(
                    warning(
                        line,
                        "not_on_card",
                        f"comes to nothing: {nation}'s card allows no Understanding",
                    )
                )
            elif state.options["orders.standing"] == "no":
                said = (
                    f"{quoted(line)} counts for this turn only: standing wishes are not kept in"
                    " this game."
                )
                found.append(Remark(line.number, "note", "not_kept", said))
    return found


def _pfs(number: int) -> str:
    return f"{number} PF{'' if number == 1 else 's'}"
