"""The referee's table: what the gamesmaster sees when writing a report (Rules B.8).

It has the lines in printed sequence and the service's bookkeeping. The gamesmaster need not find
out anything that can be computed here: each line shows who may order it, what permission it needs,
what transport is left, whether its condition is met and whether dice would be thrown. The countries
show who would control them and what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from games.rules.names import all_of
from games.rules.orders import lines

from . import dice, entitlements, hostility, intervention, mediterranean, spoken, transport
from .calendar import label, season
from .checking import read
from .checklist import checklist
from .combining import rule_sentences
from .conditions import condition_of, is_met
from .control import Control, control, normal_status, propose
from .happenings import last_mover
from .judging import waiting
from .naming import count_words
from .operators import Operator, enters_freely, expedition, operator
from .orders import FREE, Order
from .permissions import cases, check_permission, french_abroad, giver, passage
from .players import groups, movers, player_of
from .refereeing import judge_report
from .report_forms import RULING, Form, applicable_forms
from .state import BATCHED, COUNT, REFEREE, State


@dataclass(frozen=True)
class TableLine:
    """An order line for the map.

    `facts` are sentences. `met` says whether its condition is met; None if only the gamesmaster can
    tell. `text` is the canonical line, `written` the line as sent, `meaning` the line as read out.
    `earlier`: a report judged before this one ruled on it.
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
    reading = read(text, power, state)
    written = {line.number: line.text for line in lines(text)}
    earlier = {ruling.line for ruling in before.ruled if ruling.power == power}
    rulings = {ruling.line: ruling.ruling for ruling in state.ruled if ruling.power == power}
    for order in reading.orders:
        if not order.for_map:
            continue
        condition, core = condition_of(order), order.core
        warned = [
            remark.message
            for remark in reading.remarks
            if remark.line == order.line and remark.severity == "warning"
        ]
        yield TableLine(
            power,
            order.line,
            order.text,
            rulings.get(order.line, ""),
            tuple(_facts(state, power, order, warned)),
            is_met(state, condition) if condition else None,
            written.get(order.line, order.text),
            _meaning(order),
            condition.text if condition else "",
            core.verb in _POINTS,
            core.verb == "SEA" and not transport.sea_of(core.using or power, core.sea),
            order.line in earlier,
        )


def _meaning(order: Order) -> str:
    """Return a line as it is read out; "" for one in its sender's own words."""
    return "" if order.verb == FREE else spoken.sentence(order).replace("In your own words: ", "")


#: Verbs whose rulings may give the Strength Points that were done, because the ledger counts them.
_POINTS = ("SEA", "AMPHIB", "BUILD", "REPLACE")


def _facts(state: State, power: str, order: Order, warned: list[str]) -> list[str]:
    facts = list(warned)
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
        if sea in ("", transport.MED) and transport.is_barred_by_turkey(state):
            facts.append("No unit may go by sea past or through Turkish hexes (12.4).")
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


def ledger(state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the service's bookkeeping under headings, without empty headings."""
    allied = [
        f"{entry.a} and {entry.b}, since {label(state.card, entry.since)}."
        for entry in state.alliances
    ]
    at_odds = [
        f"{entry.power} is hostile to {entry.country}: it {entry.cause} in"
        f" {label(state.card, entry.since)}."
        for entry in state.hostile
    ]
    parts = (
        ("American entry", _american(state)),
        ("Sea transport", _transport(state)),
        ("Mediterranean", _mediterranean(state)),
        ("French supply", (french_abroad(state),) if state.printed else ()),
        ("Points due", tuple(_entitlement_sentences(state))),
        ("Germany and the USSR", _rates(state)),
        ("Alliances", tuple(allied)),
        ("Hostilities", tuple(at_odds)),
        ("Permissions given", tuple(_grant_sentences(state))),
        ("Permissions needed", tuple(_permission_sentences(state))),
        ("Dice drawn ahead", _ahead(state)),
        ("Dice to throw", tuple(f"{dice.describe_request(state, entry)}." for entry in state.owed)),
        ("In this game", rule_sentences(state)),
    )
    return tuple((heading, sentences) for heading, sentences in parts if sentences)


def _ahead(state: State) -> tuple[str, ...]:
    if not state.ahead.dice:
        return ()
    comes = ", ".join(map(str, state.ahead.left)) or "none"
    return (f"{state.ahead.used} of {len(state.ahead.dice)} used. Next, in this order: {comes}.",)


def _american(state: State) -> tuple[str, ...]:
    status = intervention.status(state)
    if status == intervention.NEUTRAL:
        return ("The USA is neutral.",)
    if status == intervention.PLEDGED:
        return (f"The USA enters in {label(state.card, state.us.entry or 0)}.",)
    column, overflow = intervention.reinforcements(state), state.card.us.overflow
    takes = f"{overflow['strength']} SP and {overflow['naval']} naval points a turn"
    if column and column[0]:
        takes = f"the column of {label(state.card, column[0])} of its track"
    return (f"The USA is at war and takes {takes}.",)


def _transport(state: State) -> tuple[str, ...]:
    sentences = []
    for kind in (transport.NAVAL, transport.AMPHIBIOUS):
        shares = transport.shares(state, kind)
        if shares is None:
            sentences.append(f"Enter the Allied {kind} points of this turn with TRACK.")
            continue
        idle = f", {shares.idle} idle" if shares.idle else ""
        spent = "; ".join(
            f"{owner} has used {transport.points_used(state, owner, kind)}"
            for owner in ("Britain", "USA")
        )
        sentences.append(
            f"Of the Allied {kind} points {shares.britain} are Britain's and {shares.usa} the"
            f" USA's{idle}; {spent}."
        )
    limit = transport.italian_limit(state)
    sentences.append(
        "Italy may have any number of SP in North Africa."
        if limit is None
        else f"Italy may have at most {limit} SP in North Africa (5.77)."
    )
    return tuple(sentences)


def _mediterranean(state: State) -> tuple[str, ...]:
    return tuple(
        mediterranean.applies(state, power)[1]
        for power in state.card.order
        if power != mediterranean.ITALY and hostility.hostile(state, power, "Italy")
    )


def _entitlement_sentences(state: State) -> list[str]:
    sentences = []
    for entitlement in state.entitlements:
        lapse = ", lost if not taken now" if entitlement.expires is not None else ""
        points = count_words(entitlement.left, f"{entitlement.kind} point")
        where = f", {entitlement.place}" if entitlement.place else ""
        sentences += (
            [f"{entitlement.power}: {points}{lapse}{where} ({entitlement.case})."]
            if entitlement.left
            else []
        )
    return sentences


def _rates(state: State) -> tuple[str, ...]:
    halved, why = entitlements.halves(state)
    return (
        f"{'The German rate is halved' if halved else 'Germany has its full rate'}. {why}",
        f"Russian units may have {entitlements.largest_russian(state)} SP at most (10.73).",
    )


def _grant_sentences(state: State) -> list[str]:
    return [
        f"{grant.by} to {grant.to}:"
        f" {grant.kind.replace('_', '-')}{f' in {grant.place}' if grant.place else ''}, since"
        f" {label(state.card, grant.since)}."
        for grant in state.grants
    ]


#: The power that needs a permission, if the printed case names one.
_FOR = {"9.32": "USA", "9.33": "USA", "10.51, 10.82": "USA", "10.35": "USSR"}


def _permission_sentences(state: State) -> list[str]:
    """Return whose permission each case that names one power needs, and whether it has it."""
    sentences = []
    for permission in state.card.grants:
        if permission.case in _FOR and permission.case in cases(state):
            check = check_permission(state, permission.case, _FOR[permission.case])
            sentences.append(f"{permission.what[0].upper()}{permission.what[1:]}: {check.why}.")
    return [*sentences, *_passages(state)]


def _passages(state: State) -> list[str]:
    """Return who gives the permission to pass through countries, and who has it (16.31).

    Countries with the same answer share a sentence.
    """
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for country in state.card.minors.pro_axis:
        by = giver(state, "16.31", country)
        others = [power for power in state.card.order if power != by]
        having = tuple(
            power
            for power in others
            if (permission := passage(state, power, country)) is not None and permission.given
        )
        alike.setdefault((by, having), []).append(country)
    sentences = []
    for (by, having), countries in alike.items():
        has = f"{all_of(having)} may" if having else "it has allowed nobody"
        sentences.append(
            f"Other armies need {by}'s permission to pass {all_of(countries)}; {has} (16.31)."
        )
    return sentences
