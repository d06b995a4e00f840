"""Check orders before they are judged: refusals, warnings and notes. This module reads
the board and never changes it.

A line is refused only for the reasons in the contract. Any other order that may fail is accepted
with a warning, because an earlier nation may still change the board.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from .. import Reading, Remark
from ..names import all_of
from ..orders import Line, Order, Pass, lines, no_agreement_prefix, quote_line, shorten
from ..plain.quoting import quote_readings
from ..sifting import Accepted, note, reading, refuse, stock_warnings, warning
from . import alliances, placement
from .attacks import ALTERNATIVES
from .language import orders_of
from .placement import pfs
from .reading import Ally, Attack, Leave, Place
from .state import OVER, State
from .table import column

#: Codes of warnings that the event of an attack answers: by its odds, or by the reason for a void.
OF_ATTACKS = ("attacker_absent", "absent", "below_min", "less")


def read(text: str, nation: str, state: State, reserves: Sequence[str] = ()) -> Reading:
    """Read every line, refuse invalid ones, then add warnings about orders that may fail.

    `reserves` is the published reserve list where it is known; only the warning under
    rng.stock_choice = list_only needs it.
    """
    # Remarks may depend only on what the sender can see, even if the caller knows more.
    state = alliances.view_for(state, nation)
    written = lines(text)
    accepted, remarks, doubt = orders_of(
        state, nation, text, lambda line, order: _refusal(line, order, nation, state)
    )
    if doubt is not None:
        return reading(written, [], remarks, doubt)
    accepted = quote_readings(accepted, remarks)
    if state.is_placing and state.options["wwi.overplaced"] == "reject_all":
        accepted, too_many = _all_or_nothing(accepted, nation, state)
        remarks += too_many
    if state.is_placing and state.mover in (None, nation):
        remarks += _placement_warnings(accepted, nation, state)
        remarks += _unplaced_warnings(accepted, written[-1:], nation, state)
    if state.is_attacking:
        remarks += _attack_warnings(
            accepted, nation, state, reserves or state.options["rng.reserve_list"]
        )
    remarks += _alliance_warnings(accepted, nation, state)
    return reading(written, accepted, remarks)


def _refusal(line: Line, order: Order, nation: str, state: State) -> Remark | None:
    """Return the first reason on the contract's list that applies; None where none does."""
    if isinstance(order, Pass):
        return None
    if state.step == OVER:
        return refuse(line, "wrong_phase", "the game is over")
    if state.mover not in (None, nation):
        return refuse(line, "wrong_phase", f"it is {state.mover}'s turn now")
    if isinstance(order, Place) and not state.is_placing:
        return refuse(
            line,
            "wrong_phase",
            "placing is over for this turn; send attacks now",
        )
    if isinstance(order, Attack) and not state.is_attacking:
        return refuse(
            line,
            "wrong_phase",
            "place first; send attacks when the board is published",
        )
    if isinstance(order, Attack) and order.target == nation:
        return refuse(line, "own_nation", f"{nation} cannot attack itself; name another nation")
    if isinstance(order, Ally) and order.partner == nation:
        return refuse(line, "own_nation", f"{nation} cannot ally with itself; name another nation")
    if isinstance(order, Leave) and not alliances.may_leave(state):
        return refuse(line, "not_allowed", "alliances are permanent in this game")
    return None


def _all_or_nothing(accepted: Accepted, nation: str, state: State) -> tuple[Accepted, list[Remark]]:
    """Reject all placement lines where they ask for too much (A3, wwi.overplaced = reject_all)."""
    pf_by_area: dict[str, int] = {}
    for _, order in accepted:
        if isinstance(order, Place):
            pf_by_area[order.area] = pf_by_area.get(order.area, 0) + order.pf
    whole, have = sum(pf_by_area.values()), state.allocation(nation)
    over = [
        area
        for area, pf in pf_by_area.items()
        if (cap := state.card.cap(nation, area)) is not None and pf > cap
    ]
    if whole <= have and not over:
        return accepted, []
    if whole > have:
        why = f"together the lines place {_pfs_words(whole)}; {nation} has only {have}"
    else:
        why = (
            f"together the lines place more than {state.card.area_cap} PFs in {all_of(over)}, the"
            " limit for an area abroad"
        )
    refused = [
        Remark(line.number, "error", "too_many", f"{quote_line(line)} does nothing: {why}.")
        for line, order in accepted
        if isinstance(order, Place)
    ]
    return [(line, order) for line, order in accepted if not isinstance(order, Place)], refused


def _placement_warnings(accepted: Accepted, nation: str, state: State) -> Iterator[Remark]:
    """Yield a warning for each line that asks for more than the allowance or the cap allows
    (A3)."""
    placed = {
        order.line: number
        for order, number in placement.room(state, nation, [order for _, order in accepted])[0]
    }
    for line, order in accepted:
        if not isinstance(order, Place) or placed.get(order.line, 0) == order.pf:
            continue
        number, cap = placed.get(order.line, 0), state.card.cap(nation, order.area)
        fate = (
            f"only {number} {'goes' if number == 1 else 'go'} there"
            if number
            else "none is placed there"
        )
        limit = f"{nation} has {state.allocation(nation)} a turn" + (
            f", and {cap} at most may go into an area abroad" if cap else ""
        )
        yield warning(
            line, "more_than_left", f"asks for {_pfs_words(order.pf)}, but {fate}: {limit}"
        )


def _unplaced_warnings(
    accepted: Accepted, last: Sequence[Line], nation: str, state: State
) -> Iterator[Remark]:
    left = placement.room(state, nation, [order for _, order in accepted])[1]
    if not left or not last:
        return
    home = state.home(nation)
    fate = (
        f"{'goes' if left == 1 else 'go'} to {home}"
        if placement.goes_home(state, nation, sent=True)
        else "will be lost"
    )
    after = no_agreement_prefix(last[0]) or f"After {quote_line(last[0])} "
    sentence = f"{after}{pfs(left)} of {nation}'s allowance {fate}."
    # PASS says that nothing is to be placed, and need not be asked about.
    wasted = any(not isinstance(order, Pass) for _, order in accepted)
    yield note(last[0], "unplaced", sentence, wasted)


def _attack_warnings(
    accepted: Accepted, nation: str, state: State, reserves: Sequence[str]
) -> Iterator[Remark]:
    """Yield warnings about attacks that would be void on the board after the nation's placement,
    and about their stocks."""
    seen = state_after_placing(state, nation, [order for _, order in accepted])
    stocks: set[str] = set()
    attacks = [(line, order) for line, order in accepted if isinstance(order, Attack)]
    troubles = [_trouble(order, nation, seen) for _, order in attacks]
    # Of alternatives the first that is possible is made.
    hopeless = all(trouble is not None and trouble.void for trouble in troubles)
    for place, (line, order) in enumerate(attacks):
        if place and not state.is_choosing:
            earlier_attack = shorten(attacks[0][1].words())
            sentence = f"is void: a nation attacks once a turn, and “{earlier_attack}” comes first"
            yield warning(line, "second_attack", sentence, wasted=True)
        elif place >= ALTERNATIVES:
            sentence = f"is void: an attack may have at most {ALTERNATIVES} lines"
            yield warning(line, "second_attack", sentence, wasted=True)
        else:
            if trouble := troubles[place]:
                wasted = trouble.void and (hopeless or not state.is_choosing)
                yield warning(line, trouble.code, trouble.said, wasted)
            if place:
                sentence = "is an alternative: it is made only if no earlier attack is possible."
                yield note(line, "alternative", f"{quote_line(line)} {sentence}")
        earlier = set() if state.is_choosing else stocks
        yield from stock_warnings(line, order.stocks, earlier, reserves, state.options)
        stocks.update(order.stocks)


class _Trouble(NamedTuple):
    """Why an attack would do little or nothing. `void`: it is not made, whatever others do."""

    code: str
    said: str
    void: bool = False


def _trouble(order: Attack, nation: str, state: State) -> _Trouble | None:
    """Return why the attack would be void or weak on the board as it is now known; None where
    nothing is wrong."""
    area, target = order.area, order.target
    if state.options["wwi.attack_ally"] == "forbidden" and state.ally_of(nation) == target:
        sentence = "and allies may not attack each other in this game"
        return _Trouble("ally", f"has no effect: {target} is {nation}'s ally, {sentence}", True)
    mine, theirs = state.piles.pf_at(area, nation), state.piles.pf_at(area, target)
    if not mine:
        sentence = f"will be void: {nation} has nothing to attack with in {area}"
        return _Trouble("attacker_absent", sentence, True)
    if not theirs:
        # Where no other nation places before the attack, an absent nation stays absent.
        others_place = state.is_choosing or (state.is_placing and state.mover is None)
        unless = " unless that changes" if others_place else ""
        sentence = f"will be void{unless}: {target} has nothing in {area}"
        return _Trouble("absent", sentence, not others_place)
    known = f"on the board as it is known, {mine} against {theirs}"
    if order.minimum and column(mine, theirs) < order.minimum:
        return _Trouble("below_min", f"is at less than {order.minimum}-1 {known}")
    if mine < theirs:
        return _Trouble("less", f"is below 1-1 {known}. The attack is made, but weak")
    return None


def state_after_placing(state: State, nation: str, orders: Sequence[Order]) -> State:
    """Return the state after the nation's own placements, which its attack will find."""
    if not state.is_placing or not state.is_attacking or state.mover not in (None, nation):
        return state
    placed, left = placement.room(state, nation, orders)
    pf = dict(state.piles.pf)
    for order, number in placed:
        pf[order.area, nation] = pf.get((order.area, nation), 0) + number
    home = state.home(nation)
    if left and home is not None and placement.goes_home(state, nation, sent=True):
        pf[home, nation] = pf.get((home, nation), 0) + left
    return replace(state, piles=type(state.piles)(pf))


def _alliance_warnings(accepted: Accepted, nation: str, state: State) -> Iterator[Remark]:
    """Yield warnings about offers and withdrawals that will have no effect, as far as the nation
    may know."""
    ally = state.ally_of(nation)
    pair = alliances.pair_of(state, nation)
    leaves = False
    for line, order in accepted:
        if isinstance(order, Leave):
            if ally is None:
                sentence = f"{nation} is in no alliance"
                yield warning(line, "no_alliance", f"has no effect: {sentence}")
            elif pair in state.premade:
                sentence = f"the alliance with {ally} from before the game is permanent"
                yield warning(line, "no_alliance", f"has no effect: {sentence}")
            else:
                leaves = True
    for line, order in accepted:
        if not isinstance(order, Ally):
            continue
        other = state.ally_of(order.partner)
        if not alliances.may_form(state):
            sentence = "has no effect: in this game nobody can form an alliance in the last turn"
            yield warning(line, "too_late", sentence)
        elif ally is not None and not leaves:
            sentence = f"{nation} is already allied with {ally}"
            yield warning(line, "allied", f"has no effect: {sentence}")
        elif other is not None and other != nation:
            sentence = f"{order.partner} is allied with {other}"
            for_good = not alliances.may_end(state, alliances.pair_of(state, order.partner))
            has = f"has no effect{'' if for_good else ' unless that changes'}: {sentence}"
            yield warning(line, "allied", f"{has}{' for good' if for_good else ''}")
        else:
            later = f"before {nation}'s next turn, or has named it already"
            until = "in this phase" if state.mover is None else later
            sentence = f"makes an alliance only if {order.partner} names {nation} too {until}."
            yield note(line, "offer", f"{quote_line(line)} {sentence}")


def _pfs_words(number: int) -> str:
    return pfs(number) if number < 10**9 else "more PFs than any nation ever had"
