"""The referee's table: what the gamesmaster has before him for a sheet (Rules B.8): lines in
printed sequence, and the ledger beside them.

Nothing is asked of him that can be known here: each line says whose it is to order, what leave it
needs, what transport is left, whether its condition has come about and whether dice would be
thrown; the countries say who would control them and what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..names import all_of
from ..orders import lines
from . import dice, entitlements, hostility, intervention, mediterranean, spoken, transport
from .calendar import label, season
from .checking import read
from .checklist import checklist
from .combining import in_words
from .conditions import condition_of, met
from .control import Control, control, normalised, proposed
from .happenings import last_mover
from .judging import waiting
from .naming import counted
from .operators import Operator, expedition, operator
from .orders import FREE, Order
from .permissions import asked, cases, french_abroad, giver, passage
from .players import groups, movers, player_of
from .refereeing import judged
from .sheet_forms import RULING, Form, offered
from .state import BATCHED, COUNT, REFEREE, State


@dataclass(frozen=True)
class TableLine:
    """An order line for the map: `facts` are sentences, `met` whether its condition has come about
    (None: nobody but he can tell).

    `text` is in canonical words, `written` as it was sent, `meaning` as it is read out. `earlier`:
    ruled by a sheet judged before this one.
    """

    power: str
    line: int
    text: str
    ruling: str  # "" as long as there is none
    facts: tuple[str, ...] = ()
    met: bool | None = None
    written: str = ""
    meaning: str = ""
    condition: str = ""  # what it waits for; "" for a line without a condition
    points: bool = False  # whether a ruling may say how many Strength Points were done
    by_sea: bool = False  # whether VIA MED may be said of it: by sea, and no sea is named
    earlier: bool = False


@dataclass(frozen=True)
class CountryRow:
    """A row of the chart: what stands there, who operates and controls it, what is missing."""

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
    """`ledger` has headings with sentences; `forms` the lines that a sheet may have, to be filled
    in, and `ruling` that of an order line.

    `odds` are the hostility matrix of the powers, row by row: "allied", "hostile", "same player" or
    "" to each other power, in the order of `nations`; and beyond them the countries to which
    the power is hostile.
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
    counting: bool  # whether the last Player-Turn is over, and all that is left is how things stand
    #: The Player-Turn that NEXT would go on with; () where a report goes no further than this one.
    following: tuple[str, ...] = ()
    #: Whose Player-Turns from here on have no line that waits, and the lines that end them all.
    idle: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()
    #: The phases of the base game's Player-Turn, to be ticked off.
    checklist: tuple[str, ...] = ()


def table(state: State, sheet: str = "") -> Table | None:
    """What is known once the lines of `sheet` stand, which has not been judged yet. None in a phase
    that waits for no sheet."""
    if state.step not in (REFEREE, COUNT):
        return None
    before, state = state, judged(state, sheet).state if sheet else state
    powers = movers(state) if state.step == REFEREE else ()
    found = tuple(line for power in powers for line in _lines(before, state, power))
    quarter = season(state.card, state.turn, state.options["spi.seasons"])
    when = f"{label(state.card, state.turn)}, {quarter}"
    return Table(
        f"Turn {state.turn} ({when})",
        powers,
        found,
        tuple(row(state, name) for name in state.card.areas),
        ledger(state),
        tuple(form.on(state.card) for form in offered(state)),
        RULING.on(state.card),
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
        tuple(_between(state, power, other) for other in state.card.order),
        tuple(
            one.country
            for one in state.hostile
            if one.power == power and one.country not in state.card.order
        ),
    )


def _between(state: State, power: str, other: str) -> str:
    if power == other:
        return ""
    if player_of(state, power) == player_of(state, other):
        return "same player"
    if hostility.hostile(state, power, other):
        return "hostile"
    return "allied" if hostility.by_treaty(state, power, other) else ""


def _lines(before: State, state: State, power: str) -> Iterator[TableLine]:
    """The lines of a power for the map, read once."""
    text = state.orders.get(power, "")
    reading = read(text, power, state)
    written = {line.number: line.text for line in lines(text)}
    earlier = {one.line for one in before.ruled if one.power == power}
    rulings = {one.line: one.ruling for one in state.ruled if one.power == power}
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
            met(state, condition) if condition else None,
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


#: Lines of which a ruling may say how many Strength Points were done: those by which the ledger
# counts.
_POINTS = ("SEA", "AMPHIB", "BUILD", "REPLACE")


def _facts(state: State, power: str, order: Order, warned: list[str]) -> list[str]:
    facts = list(warned)
    core = order.core
    if core.verb in ("SEA", "AMPHIB"):
        owner = core.using or power
        kind = transport.AMPHIBIOUS if core.verb == "AMPHIB" else transport.NAVAL
        most = transport.capacity(state, owner, kind)
        if most is not None and not warned:
            left = max(0, most - transport.used(state, owner, kind))
            facts.append(f"{owner} has {left} of {most} {kind} points left.")
        sea = transport.sea_of(owner, core.sea)
        if core.verb == "SEA" and sea == transport.MED and owner != mediterranean.ITALY:
            applied, why = mediterranean.applies(state, owner)
            dice = "If it is done, the service throws a die for each Strength Point"
            facts.append(f"{dice if applied else 'No dice are thrown'}. {why}")
        elif core.verb == "SEA" and not sea:
            facts.append("No sea is named. If it crosses the Mediterranean, rule it VIA MED.")
        if sea in ("", transport.MED) and transport.barred_by_turkey(state):
            facts.append("No unit may go by sea past or through Turkish hexes (12.4).")
    if core.verb == "ATTACK":
        facts.append(
            "Report with COMBAT whose units were fought; the service notes who is hostile."
        )
    if order.invades:
        facts.append(f"If it is done, {power} has invaded {order.invades}.")
    if order.verb == "MINOR" and (found := operator(state, order.country)):
        facts += [
            f"{points} SP of {order.country} may serve with the German army in {where}."
            for where, points in expedition(state, order.country).items()
        ]
        facts.append(f"{found.power or 'The gamesmaster'} operates {order.country} ({found.case}).")
    return facts


def row(state: State, name: str) -> CountryRow:
    stands = normalised(state, name)
    forces = state.country(name).forces
    return CountryRow(
        name,
        operator(state, name),
        control(state, name),
        proposed(state, name),
        stands.normal,
        stands.hostile,
        tuple(
            (power, forces[power].sp, forces[power].supplied)
            for power in state.card.order
            if power in forces
        ),
        tuple(expedition(state, name).items()),
    )


def ledger(state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What the service keeps, under headings; headings with nothing under them are left out."""
    allied = [
        f"{one.a} and {one.b}, since {label(state.card, one.since)}." for one in state.alliances
    ]
    at_odds = [
        f"{one.power} is hostile to {one.country}: it {one.cause} on"
        f" {label(state.card, one.since)}."
        for one in state.hostile
    ]
    parts = (
        ("American entry", _american(state)),
        ("Sea transport", _transport(state)),
        ("Mediterranean", _mediterranean(state)),
        ("French supply", (french_abroad(state),) if state.printed else ()),
        ("Points due", tuple(_entitled(state))),
        ("Germany and the USSR", _rates(state)),
        ("Alliances", tuple(allied)),
        ("Hostilities", tuple(at_odds)),
        ("Permissions given", tuple(_granted(state))),
        ("Permissions needed", tuple(_asked(state))),
        ("Dice drawn ahead", _ahead(state)),
        ("Dice to throw", tuple(f"{dice.in_words(state, one)}." for one in state.owed)),
        ("In this game", in_words(state)),
    )
    return tuple((heading, said) for heading, said in parts if said)


def _ahead(state: State) -> tuple[str, ...]:
    if not state.ahead.dice:
        return ()
    comes = ", ".join(map(str, state.ahead.left)) or "none"
    return (f"{state.ahead.used} of {len(state.ahead.dice)} used. Next, in this order: {comes}.",)


def _american(state: State) -> tuple[str, ...]:
    stands = intervention.status(state)
    if stands == intervention.NEUTRAL:
        return ("The USA is neutral.",)
    if stands == intervention.PLEDGED:
        return (f"The USA enters on {label(state.card, state.us.entry or 0)}.",)
    found, overflow = intervention.reinforcements(state), state.card.us.overflow
    takes = f"{overflow['strength']} SP and {overflow['naval']} naval points a turn"
    if found and found[0]:
        takes = f"the column of {label(state.card, found[0])} of its track"
    return (f"The USA is at war and takes {takes}.",)


def _transport(state: State) -> tuple[str, ...]:
    said = []
    for kind in (transport.NAVAL, transport.AMPHIBIOUS):
        found = transport.shares(state, kind)
        if found is None:
            said.append(f"Enter the Allied {kind} points of this turn with TRACK.")
            continue
        idle = f", {found.idle} idle" if found.idle else ""
        spent = "; ".join(
            f"{owner} has used {transport.used(state, owner, kind)}" for owner in ("Britain", "USA")
        )
        said.append(
            f"Of the Allied {kind} points {found.britain} are Britain's and {found.usa} the"
            f" USA's{idle}; {spent}."
        )
    limit = transport.italian_limit(state)
    said.append(
        "Italy may have any number of SP in North Africa."
        if limit is None
        else f"Italy may have at most {limit} SP in North Africa (5.77)."
    )
    return tuple(said)


def _mediterranean(state: State) -> tuple[str, ...]:
    return tuple(
        mediterranean.applies(state, power)[1]
        for power in state.card.order
        if power != mediterranean.ITALY and hostility.hostile(state, power, "Italy")
    )


def _entitled(state: State) -> list[str]:
    said = []
    for one in state.entitlements:
        lapse = ", lost if not taken now" if one.expires is not None else ""
        points = counted(one.left, f"{one.kind} point")
        where = f", {one.place}" if one.place else ""
        said += [f"{one.power}: {points}{lapse}{where} ({one.case})."] if one.left else []
    return said


def _rates(state: State) -> tuple[str, ...]:
    halved, why = entitlements.halves(state)
    return (
        f"{'The German rate is halved' if halved else 'Germany has its full rate'}. {why}",
        f"Russian units may have {entitlements.largest_russian(state)} SP at most (10.73).",
    )


def _granted(state: State) -> list[str]:
    return [
        f"{one.by} to {one.to}:"
        f" {one.kind.replace('_', '-')}{f' in {one.place}' if one.place else ''}, since"
        f" {label(state.card, one.since)}."
        for one in state.grants
    ]


#: Whom a permission is for, where the printed case names one power.
_FOR = {"9.32": "USA", "9.33": "USA", "10.51, 10.82": "USA", "10.35": "USSR"}


def _asked(state: State) -> list[str]:
    """Say whose leave each case that names one power needs, and whether it has it."""
    said = []
    for one in state.card.grants:
        if one.case in _FOR and one.case in cases(state):
            found = asked(state, one.case, _FOR[one.case])
            said.append(f"{one.what[0].upper()}{one.what[1:]}: {found.why}.")
    return [*said, *_passages(state)]


def _passages(state: State) -> list[str]:
    """Through which countries other armies need leave to pass, whose it is, and who has it (16.31);
    countries alike in that together."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for country in state.card.minors.pro_axis:
        by = giver(state, "16.31", country)
        others = [power for power in state.card.order if power != by]
        having = tuple(
            power
            for power in others
            if (found := passage(state, power, country)) is not None and found.given
        )
        alike.setdefault((by, having), []).append(country)
    said = []
    for (by, having), countries in alike.items():
        has = f"{all_of(having)} may" if having else "it has allowed nobody"
        said.append(
            f"Other armies need {by}'s permission to pass {all_of(countries)}; {has} (16.31)."
        )
    return said
