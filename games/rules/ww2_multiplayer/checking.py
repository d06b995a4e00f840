"""What is to be said about orders before they are judged: refusals of binding lines, warnings about
the others.

A line for the map is never refused: it may become right by what others do before it. Refused are: a
binding line that cannot be read (`unreadable`), one for a power oneself has (`own_nation`), one
that this game or this phase does not have (`not_allowed`, `wrong_phase`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from .. import Reading, Remark, RulesError
from ..names import all_of
from ..orders import Line, lines, quote_line
from . import columns, hostility, language, transport
from .combining import may_combine_attack
from .entitlements import largest_russian
from .operators import frozen, operates, operator
from .orders import FORMS, FREE, PASS, Order, Unclear
from .permissions import sea
from .players import player_of, powers_of
from .state import DIPLOMACY, State


def read(text: str, power: str, state: State) -> Reading:
    """Reads every line of a power's orders for the phase that the state is in."""
    written = lines(text)
    remarks: list[Remark] = []
    accepted: list[tuple[Line, Order]] = []
    for line in written:
        try:
            order = language.read_line(line, state)
        except Unclear as fault:
            form = FORMS[line.text.split()[0].upper()]
            said = f"{quote_line(line)}: {fault}. Example: {form}"
            remarks.append(_error(line, "unreadable", said))
            continue
        if refused := _refusal(line, order, power, state):
            remarks.append(refused)
        else:
            accepted.append((line, order))
            remarks += _warnings(line, order, power, state)
    remarks += _blend(accepted, power, state)
    understood = tuple((line.number, order.text) for line, order in accepted)
    ordered = tuple(sorted(remarks, key=lambda remark: remark.line))
    return Reading(tuple(order for _, order in accepted), understood, ordered, bool(written))


def orders_of(text: str, power: str, state: State) -> tuple[Order, ...]:
    orders: tuple[Order, ...] = read(text, power, state).orders
    return orders


def _error(line: Line, code: str, message: str) -> Remark:
    return Remark(line.number, "error", code, message)


def _refusal(line: Line, order: Order, power: str, state: State) -> Remark | None:
    first, quote, seat = state.step == DIPLOMACY, quote_line(line), player_of(state, power)
    signs = order.verb == "MINOR" and order.core.verb == "PEACE"
    if first and order.for_map and order.verb != FREE and not signs:
        said = f"{quote}: send orders for the map in the next phase, after diplomacy."
        return _error(line, "wrong_phase", said)
    if signs and (owner := hostility.belongs_to(state, order.country)):
        said = f"{owner} makes peace for {order.country}: it writes PEACE {order.core.to}."
        return _error(line, "not_allowed", f"{quote}: {said}")
    if order.verb in _OF_TWO and order.to in powers_of(state, seat):
        return _error(line, "own_nation", f"{quote}: you play {order.to} yourself.")
    if order.verb == "MED" and (power != "Italy" or state.version != 6):
        why = (
            "only Italy may choose the Mediterranean rule"
            if state.version == 6
            else f"with {state.version} players the Mediterranean rule applies once Italy is at war"
        )
        said = f"{quote}: {why} (6.53)."
        return _error(line, "not_allowed", said)
    if order.verb in ("COLUMN", "BLEND"):
        if not columns.has_two(state, seat):
            said = "only a player with two powers may combine their columns (19.2)."
            return _error(line, "not_allowed", f"{quote}: {said}")
        if power not in state.seats:
            said = f"write your column in the orders of {seat}, for both powers (19.2)."
            return _error(line, "not_allowed", f"{quote}: {said}")
        if not first or state.turn != 1:
            said = "you may only combine columns in the diplomacy of turn 1 (19.2)."
            return _error(line, "wrong_phase", f"{quote}: {said}")
    return None


#: Lines about another power, which cannot be one in the same hand.
_OF_TWO = ("ALLY", "UNALLY", "PEACE", "GRANT", "REVOKE", "DECLARE")


def _warnings(line: Line, order: Order, power: str, state: State) -> Iterator[Remark]:
    for code, said in (*_stray(order), *_minor(order, power, state), *_map(order, power, state)):
        yield Remark(line.number, "warning", code, f"{quote_line(line)}: {said}")


def _stray(order: Order) -> Iterator[tuple[str, str]]:
    if order.stray:
        yield "free_text", f"goes to the gamesmaster as free text, because {order.stray}"
    elif order.inner is not None:
        yield from _stray(order.inner)


def _minor(order: Order, power: str, state: State) -> Iterator[tuple[str, str]]:
    if order.verb != "MINOR":
        if order.inner is not None:
            yield from _minor(order.inner, power, state)
        return
    found = operator(state, order.country)
    if found is None:
        yield "not_operated", f"{order.country} has no army that another power moves."
    elif not operates(state, power, order.country):
        by = found.power or "the gamesmaster"
        yield "not_operated", f"{by} operates {order.country}: {found.why} ({found.case})."
    elif (still := frozen(state, order.country)) and order.core.verb != "PEACE":
        yield "frozen", f"{still}."


def _map(order: Order, power: str, state: State) -> Iterator[tuple[str, str]]:
    core = order.core
    if core.verb in ("SEA", "AMPHIB"):
        yield from _sea(core, power, state)
    together = (power, *core.powers)
    if core.verb == "ATTACK" and core.powers and not may_combine_attack(state, together):
        with_so_many = f"with {state.version} players (8.15)"
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
    asked = sea(state, owner, power)
    if not asked.given:
        yield "no_leave", f"{asked.why}; {owner} may write GRANT TRANSPORT TO {power}."
    for said in transport.faults(state, owner, power, kind, order.sp or 0, order.sea):
        yield "transport", said


def _blend(accepted: list[tuple[Line, Order]], power: str, state: State) -> list[Remark]:
    """The column that the BLEND lines make, as a whole."""
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
        said = f"Your column is rejected: {fault}. The printed column counts until you correct it."
        return [Remark(last, "error", "too_many", said)]
    said = f"{len(chosen)} countries and {columns.total(state, chosen)} points"
    said = f"Your column has {said}. It stays secret until the end."
    return [Remark(last, "note", "column", said)]


def merge(earlier: str, later: str, state: State) -> str:
    """orders.amend = merge_lines: the earlier lines stay but for those that say something about the
    same thing as a later one."""
    new = {order.about: order for _, order in _clear(later, state)}
    verbs = {order.verb for order in new.values()}
    if PASS in verbs:
        return later
    kept = []
    for line, order in _clear(earlier, state):
        columns_anew = order.verb in ("BLEND", "COLUMN") and verbs & {"BLEND", "COLUMN"}
        if order.about not in new and order.verb != PASS and not columns_anew:
            kept.append(line.text)
    return "\n".join([*kept, later.strip()]) if kept else later


def _clear(text: str, state: State) -> Iterator[tuple[Line, Order]]:
    """The lines that can be read."""
    for line in lines(text):
        with suppress(Unclear):
            yield line, language.read_line(line, state)
