"""The referee's table: what the gamesmaster sees when writing a report (Rules B.8).

It has the lines in printed sequence and the service's bookkeeping. The gamesmaster need not find
out anything that can be computed here: each line shows who may order it, what permission it needs,
what transport is left, whether its condition is met and whether dice would be thrown. The countries
show who would control them and what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from games.rules.orders import lines, quote_line

from . import checking, entitlements, hostility, mediterranean, spoken, transport
from .calendar import label, season
from .checking import rule_warnings
from .checklist import checklist
from .conditions import condition_of, is_met
from .control import Control, control, normal_status, propose
from .happenings import last_mover
from .judging import waiting
from .ledger import ledger
from .operators import Operator, enters_freely, expedition, operator
from .orders import FREE, Order
from .players import groups, movers, player_of
from .refereeing import judge_report
from .report_forms import RULING, Form, applicable_forms
from .state import BATCHED, COUNT, REFEREE, State


@dataclass(frozen=True)
class TableLine:
    """An order line for the map.

    `facts` are sentences. `met` says whether its condition is met; None if only the gamesmaster can
    tell. `text` is the canonical line, `written` the line as sent, `meaning` the line as read out.
    `undecided`: only the gamesmaster can tell whether it is done, by a condition in words, by what
    stands beside it, or by a rule that seems to forbid it. `earlier`: a report judged before this
    one ruled on it.
    """

    power: str
    line: int
    text: str
    ruling: str  # "" if there is none yet
    facts: tuple[str, ...] = ()
    met: bool | None = None
    written: str = ""
    meaning: str = ""
    condition: str = ""  # "" for a line without a condition
    points: bool = False  # whether a ruling may give the Strength Points that were done
    by_sea: bool = False  # whether a ruling may say VIA MED: a line by sea that names no sea
    earlier: bool = False
    undecided: bool = False


@dataclass(frozen=True)
class CountryRow:
    """A row of the chart: forces, operator and controller of a country, and what is missing."""

    name: str
    operator: Operator | None
    control: Control
    proposed: Control
    normal: bool
    hostile: tuple[str, ...]
    forces: tuple[tuple[str, int, int], ...]  # power, Strength Points, those in supply
    expedition: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Table:
    """The referee's table.

    `ledger` has headings with sentences. `forms` are the lines that a report may have, to be filled
    in, and `ruling` is the form for an order line.

    `odds` is the hostility matrix of the powers, row by row: "allied", "hostile", "same player" or
    "" to each power, in the order of `nations`, and then the other countries to which the power is
    hostile.
    """

    title: str
    powers: tuple[str, ...]
    lines: tuple[TableLine, ...]
    countries: tuple[CountryRow, ...]
    ledger: tuple[tuple[str, tuple[str, ...]], ...]
    forms: tuple[Form, ...]
    ruling: Form
    nations: tuple[str, ...]
    odds: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    counting: bool  # whether the last Player-Turn is over and only the final count is left
    #: The Player-Turn after NEXT; () if a report cannot go beyond this one.
    following: tuple[str, ...] = ()
    #: Powers of the Player-Turns from this one on that have no line to rule on, and the lines that
    #: end these.
    idle: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()
    #: The phases of the base game's Player-Turn, to tick off.
    checklist: tuple[str, ...] = ()


def table(state: State, report: str = "") -> Table | None:
    """Return the table as it would be after `report`, a report that has not been judged yet.

    Return None in a phase that does not wait for a report.
    """
    if state.step not in (REFEREE, COUNT):
        return None
    before, state = state, judge_report(state, report).state if report else state
    powers = movers(state) if state.step == REFEREE else ()
    table_lines = tuple(line for power in powers for line in _lines(before, state, power))
    quarter = season(state.card, state.turn, state.options["spi.seasons"])
    when = f"{label(state.card, state.turn)}, {quarter}"
    return Table(
        f"Turn {state.turn} ({when})",
        powers,
        table_lines,
        tuple(row(state, name) for name in state.card.areas),
        ledger(state),
        tuple(form.with_lists(state.card) for form in applicable_forms(state)),
        RULING.with_lists(state.card),
        state.card.order,
        tuple(_odds(state, power) for power in state.card.order),
        state.step == COUNT,
        _following(state),
        *_idle(state),
        checklist(state),
    )


def _following(state: State) -> tuple[str, ...]:
    together = state.printed and state.options["spi.flow"] == BATCHED
    if not together or state.step != REFEREE or last_mover(state):
        return ()
    return groups(state)[state.mover + 1]


def _idle(state: State) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if state.step != REFEREE:
        return (), ()
    powers: list[str] = []
    closing: list[str] = []
    while not waiting(state):
        powers += movers(state)
        closing.append("NEXT")
        if not _following(state):
            break
        state = replace(state, mover=state.mover + 1)
    return tuple(powers), (*closing[:-1], "END") if closing else ()


def _odds(state: State, power: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return (
        power,
        tuple(_relation(state, power, other) for other in state.card.order),
        tuple(
            flag.country
            for flag in state.hostile
            if flag.power == power and flag.country not in state.card.order
        ),
    )


def _relation(state: State, power: str, other: str) -> str:
    if power == other:
        return ""
    if player_of(state, power) == player_of(state, other):
        return "same player"
    if hostility.hostile(state, power, other):
        return "hostile"
    return "allied" if hostility.have_treaty(state, power, other) else ""


def _lines(before: State, state: State, power: str) -> Iterator[TableLine]:
    """Yield the lines of a power for the map."""
    text = state.orders.get(power, "")
    written = {line.number: line.text for line in lines(text)}
    unsure = checking.unsure_lines(text, power, state)
    doubts = {line.number for line in unsure.values()}
    earlier = {ruling.line for ruling in before.ruled if ruling.power == power}
    rulings = {ruling.line: ruling.ruling for ruling in state.ruled if ruling.power == power}
    for order in checking.orders_of(text, power, state):
        if not order.for_map:
            continue
        condition, core = condition_of(order), order.core
        met = is_met(state, condition) if condition else None
        ruling = rulings.get(order.line, "")
        # A line that has been ruled on is told only what is still to be done with it.
        forbidden = [] if ruling else [said for _, said in rule_warnings(order, power, state)]
        beside = []
        if order.line in unsure:
            other = unsure[order.line]
            beside.append(f"{quote_line(other)} (line {other.number}) may take it back.")
        elif order.line in doubts:
            beside.append("It may take back other lines, or make them wait.")
        yield TableLine(
            power,
            order.line,
            order.text,
            ruling,
            tuple(_facts(state, power, order, forbidden, beside)),
            met,
            written.get(order.line, order.text),
            _meaning(order),
            condition.text if condition else "",
            core.verb in _POINTS,
            core.verb == "SEA" and not transport.sea_of(core.using or power, core.sea),
            order.line in earlier,
            bool(beside or forbidden or (condition and met is None)),
        )


def _meaning(order: Order) -> str:
    """Return a line as it is read out; "" for one in its sender's own words."""
    return "" if order.verb == FREE else spoken.sentence(order).replace("In your own words: ", "")


#: Verbs whose rulings may give the Strength Points that were done, because the ledger counts them.
_POINTS = ("SEA", "AMPHIB", "BUILD", "REPLACE")


def _facts(
    state: State, power: str, order: Order, warned: list[str], beside: list[str]
) -> list[str]:
    facts = [*beside, *(f"{sentence[:1].upper()}{sentence[1:]}" for sentence in warned)]
    core = order.core
    if core.verb in ("SEA", "AMPHIB"):
        owner = core.using or power
        kind = transport.AMPHIBIOUS if core.verb == "AMPHIB" else transport.NAVAL
        most = transport.capacity(state, owner, kind)
        if most is not None and not warned:
            left = max(0, most - transport.points_used(state, owner, kind))
            facts.append(f"{owner} has {left} of {most} {kind} points left.")
        sea = transport.sea_of(owner, core.sea)
        if core.verb == "SEA" and sea == transport.MED and owner != mediterranean.ITALY:
            applied, why = mediterranean.applies(state, owner)
            dice_sentence = "If it is done, the service throws a die for each Strength Point"
            facts.append(f"{dice_sentence if applied else 'No dice are thrown'}. {why}")
        elif core.verb == "SEA" and not sea:
            facts.append("No sea is named. If it crosses the Mediterranean, rule it VIA MED.")
    if core.verb in ("BUILD", "REPLACE") and core.sp:
        kind = entitlements.REPLACEMENT if core.verb == "REPLACE" else entitlements.REINFORCEMENT
        known = entitlements.points_left(state, power, kind)
        if known < core.sp:
            facts.append(
                f"The service knows of {known or 'no'} {kind} point{'' if known == 1 else 's'} due"
                f" to {power}; others are on the tracks of the base game."
            )
    if core.verb == "ATTACK":
        facts.append(
            "Report with COMBAT whose units were fought; the service notes who is hostile."
        )
    if order.invades:
        free = enters_freely(state, power, order.invades)
        facts.append(
            f"If it is done, {power} has {'entered' if free else 'invaded'} {order.invades}"
            f"{', which is no invasion' if free else ''}."
        )
    if order.verb == "MINOR" and (current := operator(state, order.country)):
        facts += [
            f"{points} SP of {order.country} may serve with the German army in {where}."
            for where, points in expedition(state, order.country).items()
        ]
        facts.append(
            f"{current.power or 'The gamesmaster'} operates {order.country} ({current.case})."
        )
    return facts


def row(state: State, name: str) -> CountryRow:
    presence = normal_status(state, name)
    forces = state.country(name).forces
    return CountryRow(
        name,
        operator(state, name),
        control(state, name),
        propose(state, name),
        presence.normal,
        presence.hostile,
        tuple(
            (power, forces[power].sp, forces[power].supplied)
            for power in state.card.order
            if power in forces
        ),
        tuple(expedition(state, name).items()),
    )
