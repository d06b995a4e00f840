"""Check orders before they are judged: reject binding lines, warn about the others.

A line for the map is never rejected, because what others do before it may make it valid. Binding
lines are rejected if they cannot be read (`unreadable`), name a power of the same player
(`own_nation`), or do not exist in this game or phase (`not_allowed`, `wrong_phase`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from games.rules import Reading, Remark, RulesError
from games.rules.names import all_of
from games.rules.orders import PASS, Line, lines, quote_line
from games.rules.plain.editions import AS_UNDERSTOOD, Understood, canonical_text
from games.rules.plain.facts import is_plain
from games.rules.plain.sentences import (
    begins_with_condition,
    heads_others,
    may_take_back,
    takes_back,
)

from . import columns, hostility, language, transport
from .combining import may_combine_attack
from .entitlements import largest_russian
from .operators import operates, operator, reason_frozen
from .orders import FORMS, FREE, Order, UnclearOrder
from .permissions import sea, why_idle
from .players import player_of, powers_of
from .state import DIPLOMACY, REFEREE, State


def read(text: str, power: str, state: State) -> Reading:
    """Read every line of a power's orders for the current phase."""
    accepted, remarks = _accepted(text, power, state)
    state = language.state_for(text, state)
    remarks += _refuse_unsure(accepted, state)
    for line, order in accepted:
        remarks += _warnings(line, order, power, state)
    remarks += _unsure_warnings(accepted, state)
    remarks += _blend(accepted, power, state)
    understood = tuple((line.number, order.text) for line, order in accepted)
    ordered = tuple(sorted(remarks, key=lambda remark: remark.line))
    return Reading(tuple(order for _, order in accepted), understood, ordered, bool(lines(text)))


def _accepted(text: str, power: str, state: State) -> tuple[list[tuple[Line, Order]], list[Remark]]:
    """Return the lines of a text with their orders, and remarks on the others."""
    written, state = lines(text), language.state_for(text, state)
    remarks: list[Remark] = []
    accepted: list[tuple[Line, Order]] = []
    numbers = {line.number: line for line in written}
    for line, order in language.read_lines(written, power, state):
        if isinstance(order, UnclearOrder):
            example = _example(order.verb, power, state)
            sentence = f"{quote_line(line)}: {order}. Example: {example}"
            remarks.append(_error(line, "unreadable", sentence))
            continue
        if refused := _refusal(line, order, power, state):
            remarks.append(refused)
            continue
        accepted.append((line, order))
        if line != (first := numbers[line.number]):
            sentence = f"{quote_line(first)} and what is below it are read as one line."
            remarks.append(Remark(line.number, "note", "joined", sentence))
    return accepted, remarks


def kept_text(text: str, power: str, state: State) -> str:
    """Return the text of orders that the position keeps for the gamesmaster's reports.

    As it was sent or, where a report would read that otherwise, as it was understood.
    """
    understood = read(text, power, state).understood
    if read(text, power, replace(state, step=REFEREE)).understood == understood:
        return text
    return canonical_text(understood)


def orders_of(text: str, power: str, state: State) -> tuple[Order, ...]:
    orders: tuple[Order, ...] = read(text, power, state).orders
    return orders


def _error(line: Line, code: str, message: str) -> Remark:
    return Remark(line.number, "error", code, message)


def _example(verb: str, power: str, state: State) -> str:
    """Return an example of a form that its writer may send: about another player's power."""
    form, own = FORMS[verb], powers_of(state, player_of(state, power))
    if verb not in _OF_TWO:
        return form
    other = next(seat for seat in state.seats if seat not in own and seat not in form)
    partner, has_place, place = form.partition(" IN ")
    words = [other if word in own else word for word in partner.split(" ")]
    return " ".join(words) + has_place + place


def _refusal(line: Line, order: Order, power: str, state: State) -> Remark | None:
    first, quote, seat = state.step == DIPLOMACY, quote_line(line), player_of(state, power)
    signs = order.verb == "MINOR" and order.core.verb == "PEACE"
    if first and order.for_map and order.verb != FREE and not signs:
        sentence = f"{quote}: send orders for the map in the next phase, after diplomacy."
        return _error(line, "wrong_phase", sentence)
    if signs and (owner := hostility.belongs_to(state, order.country)):
        sentence = f"{owner} makes peace for {order.country}: it writes PEACE {order.core.to}."
        return _error(line, "not_allowed", f"{quote}: {sentence}")
    if order.verb in _OF_TWO and order.to in powers_of(state, seat):
        return _error(line, "own_nation", f"{quote}: you play {order.to} yourself.")
    if order.verb == "MED" and (power != "Italy" or state.players_count != 6):
        why = (
            "only Italy may choose the Mediterranean rule"
            if state.players_count == 6
            else f"with {state.players_count} players the Mediterranean rule applies once Italy is"
            " at war"
        )
        sentence = f"{quote}: {why} (6.53)."
        return _error(line, "not_allowed", sentence)
    if order.verb in ("COLUMN", "BLEND"):
        if not columns.has_two(state, seat):
            sentence = "only a player with two powers may combine their columns (19.2)."
            return _error(line, "not_allowed", f"{quote}: {sentence}")
        if power not in state.seats:
            sentence = f"write your column in the orders of {seat}, for both powers (19.2)."
            return _error(line, "not_allowed", f"{quote}: {sentence}")
        if not first or state.turn != 1:
            sentence = "you may only combine columns in the diplomacy of turn 1 (19.2)."
            return _error(line, "wrong_phase", f"{quote}: {sentence}")
    return None


def _refuse_unsure(accepted: list[tuple[Line, Order]], state: State) -> list[Remark]:
    """Reject binding lines beside free text that may take them back.

    “No wait, forget that” and “Next turn:” do wherever they stand, “You wrote:” above them, and a
    condition or “Call it off” next below them. Remove them from `accepted`, and return a remark
    about each.
    """
    if not is_plain(state.options):
        return []
    free = [line for line, order in accepted if order.core.verb == FREE]
    anywhere = next((line for line in free if takes_back(line.text)), None)
    heading = next((line for line in free if heads_others(line.text)), None)
    remarks: list[Remark] = []
    below: Line | None = None
    for line, order in reversed(accepted):
        if not order.binding:
            below = line if order.core.verb == FREE and _unsettles(line, state) else None
            continue
        above = heading if heading and heading.number < line.number else None
        if other := anywhere or above or below:
            why = f"{_may_unsay(other, 'this line')}, which cannot be taken back once judged"
            again = "Send your orders again without those words."
            remarks.append(_error(line, "unreadable", f"{quote_line(line)}: {why}. {again}"))
    refused = {remark.line for remark in remarks}
    accepted[:] = [(line, order) for line, order in accepted if line.number not in refused]
    return remarks


#: A name or number in a sentence: “Withdraw all units from Poland” is about the map.
_NAMED = re.compile(r"(?<!^)\b(?!I\b)[A-Z]\w*|\d")


def _may_unsay(other: Line, what: str, it: str = "it") -> str:
    return f"{quote_line(other)} may take back {what} or make {it} wait"


def unsure(accepted: Sequence[tuple[Line, Order]]) -> dict[int, Line]:
    """Return by number the lines for the map that may not be meant so, each with what says that.

    That is free text that takes back what stands beside it, or a condition right below an order. No
    report obeys such a line before the gamesmaster has ruled on it.
    """
    for_map = [(line, order) for line, order in accepted if order.for_map]
    free = [line for line, order in for_map if order.verb == FREE]
    beside = {
        line.number: below
        for (line, order), (below, _) in pairwise(for_map)
        if order.core.verb != FREE
        and below in free
        and "," not in below.text  # “If attacked, fall back” is an order of its own
        and begins_with_condition(below.text)
    }
    speaking = (line for line in free if takes_back(line.text) and not _NAMED.search(line.written))
    if (anywhere := next(speaking, None)) is not None:
        others = (line.number for line, _ in for_map if line != anywhere)
        beside |= dict.fromkeys(others, anywhere)
    return beside


def unsure_lines(text: str, power: str, state: State) -> dict[int, Line]:
    """Return `unsure` of a text that a position keeps."""
    return unsure(_accepted(text, power, state)[0])


def _unsettles(line: Line, state: State) -> bool:
    """Return whether free text may take back binding lines next above it."""
    if line.text.endswith(":"):  # “Military:” is about what is below
        return False
    return begins_with_condition(line.text) or may_take_back(line.written, state.card.order)


#: Lines about another power, which cannot be one of the same player.
_OF_TWO = ("ALLY", "UNALLY", "PEACE", "GRANT", "REVOKE", "DECLARE")


def _warnings(line: Line, order: Order, power: str, state: State) -> Iterator[Remark]:
    """Yield warnings about free text, and about orders that the rules forbid as things stand."""
    if order.verb == FREE and state.step == DIPLOMACY:
        # It is always accepted, but no report rules on texts of diplomacy, and before
        # turn 1 the gamesmaster may not read them (19.2).
        why = (
            "is free text, on which nobody rules in this phase, so write agreements in forms such"
            f" as {_example('ALLY', power, state)}; orders, also in your own words, are for the"
            " next phase."
        )
        yield Remark(line.number, "warning", "free_text", f"{quote_line(line)} {why}", wasted=True)
        return
    for code, sentence in _stray_warnings(order):
        yield Remark(line.number, "warning", code, f"{quote_line(line)} {sentence}")
    for code, sentence in rule_warnings(order, power, state):
        yield Remark(line.number, "warning", code, f"{quote_line(line)}: {sentence}", wasted=True)


def _unsure_warnings(accepted: Sequence[tuple[Line, Order]], state: State) -> Iterator[Remark]:
    """Yield a warning about free text that may take back lines for the map."""
    if not is_plain(state.options):
        return
    beside = unsure(accepted)
    for other in {line.number: line for line in beside.values()}.values():
        others = [number for number, line in beside.items() if line == other]
        alone = len(others) == 1
        what, it = (f"line {others[0]}", "it") if alone else ("the other lines for the map", "them")
        sentence = (
            f"{_may_unsay(other, what, it)}, so the gamesmaster decides what is done. If nothing of"
            " it is to be done, send CANCEL; if all of it is, send your orders again without those"
            " words."
        )
        yield Remark(other.number, "warning", "unsure", sentence)


def _stray_warnings(order: Order) -> Iterator[tuple[str, str]]:
    if order.stray:
        yield "free_text", f"goes to the gamesmaster as free text, because {order.stray}"
    elif order.inner is not None:
        yield from _stray_warnings(order.inner)


def rule_warnings(order: Order, power: str, state: State) -> Iterator[tuple[str, str]]:
    """Yield a code and a sentence for each rule that forbids an order as things stand."""
    yield from _minor(order, power, state)
    yield from _map(order, power, state)
    if order.verb == "GRANT" and (
        why := why_idle(state, power, order.to, order.kind, order.origin)
    ):
        yield "not_theirs", why


def _minor(order: Order, power: str, state: State) -> Iterator[tuple[str, str]]:
    if order.verb != "MINOR":
        if order.inner is not None:
            yield from _minor(order.inner, power, state)
        return
    current = operator(state, order.country)
    if current is None:
        yield "not_operated", f"{order.country} has no army that another power moves."
    elif not operates(state, power, order.country):
        by = current.power or "the gamesmaster"
        yield "not_operated", f"{by} operates {order.country}: {current.why} ({current.case})."
    elif (reason := reason_frozen(state, order.country)) and order.core.verb != "PEACE":
        yield "frozen", f"{reason}."


def _map(order: Order, power: str, state: State) -> Iterator[tuple[str, str]]:
    core = order.core
    if core.verb in ("SEA", "AMPHIB"):
        yield from _sea(core, power, state)
    together = (power, *core.powers)
    if core.verb == "ATTACK" and core.powers and not may_combine_attack(state, together):
        with_so_many = f"with {state.players_count} players (8.15)"
        yield "no_combination", f"{all_of(together)} may not attack together {with_so_many}."
    builds = core.verb in ("BUILD", "REPLACE") and power == "USSR"
    if builds and (core.sp or 0) > (most := largest_russian(state)):
        yield "too_large", f"Russian units may have at most {most} Strength Points now (10.73)."
    if (
        core.verb == "INVADE"
        and state.options["spi.declaration"] == "required_before_attack"
        and (power, core.country) not in state.declared
    ):
        yield "undeclared", f"declare war first, with DECLARE WAR ON {core.country}."


def _sea(order: Order, power: str, state: State) -> Iterator[tuple[str, str]]:
    owner = order.using or power
    kind = transport.AMPHIBIOUS if order.verb == "AMPHIB" else transport.NAVAL
    permission = sea(state, owner, power)
    if not permission.given:
        yield "no_leave", f"{permission.why}; {owner} may write GRANT TRANSPORT TO {power}."
    for sentence in transport.faults(state, owner, power, kind, order.sp or 0, order.sea):
        yield "transport", sentence


def _blend(accepted: list[tuple[Line, Order]], power: str, state: State) -> list[Remark]:
    """Check the column that the BLEND lines make as a whole, and return a remark about it.

    If it is not allowed, remove its lines from `accepted`.
    """
    blended = [(line, order) for line, order in accepted if order.verb == "BLEND"]
    if not blended:
        return []
    last = blended[-1][0].number
    try:
        chosen = columns.check_blend(
            state, player_of(state, power), [(order.country, order.to) for _, order in blended]
        )
    except RulesError as fault:
        dropped = {line.number for line, _ in blended}
        accepted[:] = [(line, order) for line, order in accepted if line.number not in dropped]
        sentence = (
            f"Your column is rejected: {fault}. The printed column counts until you correct it."
        )
        return [Remark(last, "error", "too_many", sentence)]
    sentence = f"{len(chosen)} countries and {columns.total(state, chosen)} points"
    sentence = f"Your column has {sentence}. It stays secret until the end."
    return [Remark(last, "note", "column", sentence)]


def merge(
    earlier: str, later: str, power: str, state: State, before: Mapping[str, Understood]
) -> str:
    """Return both texts merged, for orders.amend = merge_lines.

    Earlier lines stay, except those about the same thing as a later one. `before` as in `Ruleset`;
    a line means the same in every text, so a merged one needs no reading of its own.
    """
    words = {
        line.text: words
        for text, understood in before.items()
        for line in lines(text)
        for number, words in understood
        if number == line.number
    }
    new = {order.about: order for _, order in _clear(later, power, state, words)}
    verbs = {order.verb for order in new.values()}
    if PASS in verbs:
        return later
    remaining = []
    for line, order in _clear(earlier, power, state, words):
        replaced_column = order.verb in ("BLEND", "COLUMN") and verbs & {"BLEND", "COLUMN"}
        if order.about not in new and order.verb != PASS and not replaced_column:
            remaining.append(line.text)
    return "\n".join([*remaining, later.strip()]) if remaining else later


def _clear(
    text: str, power: str, state: State, words: Mapping[str, str]
) -> Iterator[tuple[Line, Order]]:
    """Yield the lines that can be read. `words`: canonical lines by those that stand for them."""
    state, canonical = language.state_for(text, state), language.state_for(AS_UNDERSTOOD, state)
    written = lines(text)
    unknown = [line for line in written if line.text not in words]
    found = {
        line.number: (line, order) for line, order in language.read_lines(unknown, power, state)
    }
    for line in written:
        if (known := words.get(line.text)) is not None:
            meant = language.try_line(line._replace(text=known), power, canonical)
            found[line.number] = (line, meant)
        order = found.get(line.number, (line, None))[1]
        if isinstance(order, Order):
            yield found[line.number][0], order
