"""What is to be said about orders before they are judged: refusals of binding lines, warnings about
the others.

A line for the map is never refused: it may become right by what others do before it. Refused are: a
binding line that cannot be read (`unreadable`), one for a power oneself has (`own_nation`), one
that this game or this phase does not have (`not_allowed`, `wrong_phase`).
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import Reading, Remark, RulesError
from ..names import all_of
from ..orders import Line, lines, quoted
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
            verb = line.text.split()[0].upper()
            remarks.append(
                _error(
                    line,
                    "unreadable",
                    f"{quoted(line)} cannot be read: {fault}. The form is {FORMS[verb]}.",
                )
            )
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
    first = state.step == DIPLOMACY
    if (
        first
        and order.for_map
        and order.verb != FREE
        and not (order.verb == "MINOR" and order.core.verb == "PEACE")
    ):
        return _error(
            line,
            "wrong_phase",
            f"{quoted(line)} is for the map, and the orders for it are due after the diplomacy.",
        )
    if (
        order.verb == "MINOR"
        and order.core.verb == "PEACE"
        and (owner := hostility.belongs_to(state, order.country))
    ):
        said = f"for {order.country} {owner} signs, with a peace of its own: PEACE {order.core.to}."
        return _error(line, "not_allowed", f"{quoted(line)}: {said}")
    if order.verb in (
        "ALLY",
        "UNALLY",
        "PEACE",
        "GRANT",
        "REVOKE",
        "DECLARE",
    ) and order.to in powers_of(state, player_of(state, power)):
        return _error(
            line, "own_nation", f"{quoted(line)} names {order.to}, which is in your own hand."
        )
    if order.verb == "MED" and (power != "Italy" or state.version != 6):
        why = (
            "is Italy's to say"
            if state.version == 6
            else f"is not asked with {state.version} players: the rule holds once Italy is at war"
        )
        return _error(
            line,
            "not_allowed",
            f"{quoted(line)}: whether the Mediterranean rule is applied {why} (6.53).",
        )
    if order.verb in ("COLUMN", "BLEND"):
        if not columns.has_two(state, player_of(state, power)):
            return _error(
                line,
                "not_allowed",
                f"{quoted(line)}: only who has two powers may have a column of his own (19.2).",
            )
        if power not in state.seats:
            seat = player_of(state, power)
            return _error(
                line,
                "not_allowed",
                f"{quoted(line)}: a column is sealed with the orders of {seat}, for both powers at"
                " once (19.2).",
            )
        if not first or state.turn != 1:
            return _error(
                line,
                "wrong_phase",
                f"{quoted(line)}: columns are sealed with the first diplomacy, before turn 1 is"
                " played (19.2).",
            )
    return None


def _warnings(line: Line, order: Order, power: str, state: State) -> Iterator[Remark]:
    for code, said in (*_stray(order), *_minor(order, power, state), *_map(order, power, state)):
        yield Remark(line.number, "warning", code, f"{quoted(line)}: {said}")


def _stray(order: Order) -> Iterator[tuple[str, str]]:
    if order.stray:
        yield "free_text", f"taken as free text for the gamesmaster, for {order.stray}."
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
        yield (
            "not_operated",
            (
                f"{found.power or 'the gamesmaster'} operates {order.country}, for {found.why}"
                f" ({found.case})."
            ),
        )
    elif (still := frozen(state, order.country)) and order.core.verb != "PEACE":
        yield "frozen", f"{still}."


def _map(order: Order, power: str, state: State) -> Iterator[tuple[str, str]]:
    core = order.core
    if core.verb in ("SEA", "AMPHIB"):
        yield from _sea(core, power, state)
    if (
        core.verb == "ATTACK"
        and core.powers
        and not may_combine_attack(state, (power, *core.powers))
    ):
        yield (
            "no_combination",
            (
                f"{all_of((power, *core.powers))} may not attack together with {state.version}"
                " players (8.15)."
            ),
        )
    if (
        core.verb in ("BUILD", "REPLACE")
        and power == "USSR"
        and (core.sp or 0) > largest_russian(state)
    ):
        most = largest_russian(state)
        yield "too_large", f"no Russian unit may be larger than {most} Strength Points now (10.73)."
    if (
        core.verb == "INVADE"
        and state.options["spi.declaration"] == "required_before_attack"
        and (power, core.country) not in state.declared
    ):
        yield "undeclared", f"in this game war is declared first: DECLARE WAR ON {core.country}."


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
        return [
            Remark(
                last,
                "error",
                "too_many",
                f"Your column is not taken: {fault}. Until it is right the printed one counts.",
            )
        ]
    points = columns.total(state, chosen)
    return [
        Remark(
            last,
            "note",
            "column",
            f"Your column has {len(chosen)} countries and adds up to {points}; it is sealed until"
            " the end.",
        )
    ]


def merge(earlier: str, later: str, state: State) -> str:
    """orders.amend = merge_lines: the earlier lines stay but for those that say something about the
    same thing as a later one."""
    new: dict[tuple[str, ...], Order] = {}
    for line in lines(later):
        try:
            order = language.read_line(line, state)
        except Unclear:
            continue
        new[order.about] = order
    if any(order.verb == PASS for order in new.values()):
        return later
    verbs = {order.verb for order in new.values()}
    kept = []
    for line in lines(earlier):
        try:
            order = language.read_line(line, state)
        except Unclear:
            continue
        columns_anew = order.verb in ("BLEND", "COLUMN") and verbs & {"BLEND", "COLUMN"}
        if order.about not in new and order.verb != PASS and not columns_anew:
            kept.append(line.text)
    return "\n".join([*kept, later.strip()]) if kept else later
