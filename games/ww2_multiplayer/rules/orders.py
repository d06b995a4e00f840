"""Parse order lines (Rules B.8): the forms, and free text, which is always accepted for the map.

The service carries out lines that bind (alliances, peace, grants, instructions, columns) and
rejects those that it cannot read. The gamesmaster judges lines for the map. A line that begins like
a form but is none counts as free text, and its sender is warned that the ledger cannot follow it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from games.rules.names import NameFault
from games.rules.orders import PASS, Line
from games.rules.verbs import load

from .card import GRANT_KINDS, Card
from .naming import Names, names_of

FREE = "FREE"
BINDING = ("ALLY", "UNALLY", "PEACE", "GRANT", "REVOKE", "DECLARE", "MED", "COLUMN", "BLEND")
LONGEST = 300  # characters of a line that is read as one of the forms
VERBS = load(__package__)
FORMS = VERBS.examples


class UnclearOrder(Exception):
    """A line is none of the forms. `str()` is half a sentence that says why.

    `verb` is that of the form that it should have.
    """

    def __init__(self, message: str, verb: str = "") -> None:
        super().__init__(message)
        self.verb = verb


@dataclass(frozen=True)
class Condition:
    """The condition of an IF.

    `kind` is "invades", "war", "allied" or "entered", of `a` and `b`; or "" for words that the
    gamesmaster judges.
    """

    text: str
    kind: str = ""
    a: str = ""
    b: str = ""


@dataclass(frozen=True)
class Order:
    """One line. The verb says which fields are set. Places on the map are words as written."""

    line: int
    verb: str
    text: str  # the canonical line; for free text the line as written
    sp: int | None = None
    origin: str = ""
    to: str = ""
    country: str = ""
    powers: tuple[str, ...] = ()
    sea: str = ""
    using: str = ""
    kind: str = ""
    on: bool = False
    inner: Order | None = None
    condition: Condition | None = None
    stray: str = ""  # why a line that begins like a form is only free text

    @property
    def binding(self) -> bool:
        return self.verb in BINDING

    @property
    def for_map(self) -> bool:
        """Whether the gamesmaster has to rule on it."""
        return self.verb != PASS and not self.binding

    @property
    def core(self) -> Order:
        """The innermost order: inside MINOR and IF."""
        return self.inner.core if self.inner is not None else self

    @property
    def invades(self) -> str:
        """The country that the power's own units are to invade; "" if none.

        What a minor army invades only the map shows.
        """
        if self.verb == "IF" and self.inner is not None:
            return self.inner.invades
        return self.country if self.verb == "INVADE" else ""

    @property
    def about(self) -> tuple[str, ...]:
        """A key: a later line with the same one replaces this line (orders.amend = merge_lines)."""
        return (
            (self.verb, self.text)
            if self.for_map
            else (self.verb, self.kind, self.to, self.country, *self.powers)
        )


def read_line(line: Line, card: Card) -> Order:
    """Read a line. Raise `UnclearOrder` for a binding line that cannot be carried out."""
    verb, _, rest = line.text.partition(" ")
    return _read(line.number, verb.upper(), " ".join(rest.split()), line.text, names_of(card))


def _read(number: int, verb: str, rest: str, written: str, names: Names) -> Order:
    if verb == PASS and not rest:
        return Order(number, PASS, PASS)
    reader = _READERS.get(verb)
    if reader is None:
        return Order(number, FREE, written)
    try:
        if len(rest) > LONGEST:  # the patterns would take long to search a long line
            raise UnclearOrder(f"it is longer than {LONGEST} characters")
        return reader(number, verb, rest, names)
    except (UnclearOrder, NameFault) as fault:
        if verb in BINDING:
            raise UnclearOrder(str(fault), verb) from fault
        return Order(number, FREE, written, stray=f"{fault}. Example: {FORMS[verb]}")


def _match(pattern: str, rest: str, fault: str) -> re.Match[str]:
    match = re.fullmatch(pattern, rest, re.IGNORECASE)
    if match is None:
        raise UnclearOrder(fault)
    return match


def _sp(written: str | None) -> int | None:
    if written is None:
        return None
    if len(written) > 3 or not int(written):
        raise UnclearOrder(f"“{written[:12]}” is not a number of Strength Points")
    return int(written)


_SP = r"(?:(?P<sp>[0-9]+) SP )"


def _count(sp: int | None) -> str:
    return f"{sp} SP " if sp is not None else ""


def _move(number: int, verb: str, rest: str, names: Names) -> Order:
    needed, number_of = ("", "a number of SP, ") if verb == "AIRDROP" else ("?", "")
    match = _match(
        rf"{_SP}{needed}(?P<origin>.+?) TO (?P<to>.+)",
        rest,
        f"{verb} needs {number_of}a start, TO and a goal",
    )
    sp, origin, to = _sp(match["sp"]), match["origin"], match["to"]
    return Order(number, verb, f"{verb} {_count(sp)}{origin} TO {to}", sp, origin, to)


def _sea(number: int, verb: str, rest: str, names: Names) -> Order:
    pattern = rf"{_SP}(?P<origin>.+?) TO (?P<to>.+?)(?: VIA (?P<sea>\S+))?(?: USING (?P<using>.+))?"
    match = _match(pattern, rest, f"{verb} needs a number of SP, a start, TO and a goal")
    sea = (match["sea"] or "").upper()
    sea = "MED" if sea.startswith("MED") else sea
    using = names.power(match["using"]) if match["using"] else ""
    sp = _sp(match["sp"])
    origin, to = match["origin"], match["to"]
    text = f"{verb} {_count(sp)}{origin} TO {to}" + (f" VIA {sea}" if sea else "")
    text += f" USING {using}" if using else ""
    return Order(number, verb, text, sp, origin, to, sea=sea, using=using)


def _attack(number: int, verb: str, rest: str, names: Names) -> Order:
    match = _match(
        r"(?P<to>.+?)(?: IN (?P<country>.+?))?(?: WITH (?P<powers>.+))?",
        rest,
        "ATTACK needs a place",
    )
    country = names.country(match["country"]) if match["country"] else ""
    powers = names.powers(match["powers"]) if match["powers"] else ()
    text = f"ATTACK {match['to']}" + (f" IN {country}" if country else "")
    text += f" WITH {', '.join(powers)}" if powers else ""
    return Order(number, verb, text, to=match["to"], country=country, powers=powers)


def _points(number: int, verb: str, rest: str, names: Names) -> Order:
    match = _match(
        r"(?P<sp>[0-9]+)(?: SP)?(?: (?:IN|AT|ON))? (?P<to>.+)",
        rest,
        f"{verb} needs a number of SP and a place",
    )
    sp = _sp(match["sp"])
    return Order(number, verb, f"{verb} {sp} SP {match['to']}", sp, to=match["to"])


def _one_name(find: Callable[[str], str], text: str) -> str:
    """Return the one name that a line has. Raise `NameFault`, or `UnclearOrder` for several."""
    if re.search(r",|&|\band\b", text, re.IGNORECASE):
        raise UnclearOrder("a line of this form names one, so write a line for each")
    return find(text)


def _invade(number: int, verb: str, rest: str, names: Names) -> Order:
    country = _one_name(names.country, rest)
    return Order(number, verb, f"INVADE {country}", country=country)


def _minor(number: int, verb: str, rest: str, names: Names) -> Order:
    match = _match(
        r"(?P<country>[^:]+):(?P<order>.+)",
        rest,
        "MINOR needs a country, a colon and an order",
    )
    country = names.country(match["country"])
    inner = _read_nested(number, match["order"].strip(), names)
    if inner.binding and inner.verb != "PEACE":
        raise UnclearOrder(f"a minor country cannot use {inner.verb}")
    return Order(number, verb, f"MINOR {country}: {inner.text}", country=country, inner=inner)


def _read_if(number: int, verb: str, rest: str, names: Names) -> Order:
    match = _match(
        r"(?P<condition>.+?) THEN (?P<order>.+)", rest, "IF needs a condition, THEN and an order"
    )
    condition = _condition(match["condition"], names)
    inner = _read_nested(number, match["order"], names)
    if inner.binding:
        why = "it takes effect when orders are opened"
        raise UnclearOrder(f"{inner.verb} cannot wait for a condition: {why}")
    text = f"IF {condition.text} THEN {inner.text}"
    return Order(number, verb, text, inner=inner, condition=condition)


def _read_nested(number: int, text: str, names: Names) -> Order:
    verb, _, rest = text.partition(" ")
    if verb.upper() in ("IF", "MINOR"):
        depth = len(re.findall(r"\b(?:IF|MINOR)\b", text, re.IGNORECASE))
        if depth > 3:
            raise UnclearOrder("a line may have at most two conditions")
    return _read(number, verb.upper(), rest.strip(), text, names)


_CONDITIONS = (
    ("invades", r"(?P<a>.+?) (?:INVADES|HAS INVADED) (?P<b>.+)", "{a} INVADES {b}"),
    ("war", r"(?P<a>.+?) AT WAR WITH (?P<b>.+)", "{a} AT WAR WITH {b}"),
    ("allied", r"(?P<a>.+?) ALLIED WITH (?P<b>.+)", "{a} ALLIED WITH {b}"),
    ("entered", r"(?P<a>.+?) ENTERED", "{a} ENTERED"),
)


def _condition(text: str, names: Names) -> Condition:
    """Read a condition that the ledger can judge. The gamesmaster judges all others."""
    for kind, pattern, canonical in _CONDITIONS:
        match = re.fullmatch(pattern, text, re.IGNORECASE)
        if match is None:
            continue
        try:
            a, b = names.power(match["a"]), ""
            if kind != "entered":
                b = (names.power if kind == "allied" else names.country)(match["b"])
        except NameFault:
            continue
        return Condition(canonical.format(a=a, b=b), kind, a, b)
    return Condition(text)


def _ally(number: int, verb: str, rest: str, names: Names) -> Order:
    power = _one_name(names.power, re.sub(r"^WITH ", "", rest, flags=re.IGNORECASE))
    return Order(number, verb, f"{verb} {power}", to=power)


def _peace(number: int, verb: str, rest: str, names: Names) -> Order:
    country = _one_name(names.country, re.sub(r"^WITH ", "", rest, flags=re.IGNORECASE))
    return Order(number, verb, f"PEACE {country}", to=country)


def _declare(number: int, verb: str, rest: str, names: Names) -> Order:
    on = re.sub(r"^(?:WAR )?(?:ON )?", "", rest, flags=re.IGNORECASE)
    country = _one_name(names.country, on)
    return Order(number, verb, f"DECLARE WAR ON {country}", to=country)


def _grant(number: int, verb: str, rest: str, names: Names) -> Order:
    word = "TO" if verb == "GRANT" else "FROM"
    pattern = (
        r"(?P<kind>SUPPLY|TRANSIT|BASE|LEND[ _-]LEASE|TRANSPORT) (?:TO|FROM) (?P<to>.+?)(?:"
        r" (?:IN|AT|THROUGH) (?P<place>.+))?"
    )
    ending = f"{word} and a power"
    error = f"{verb} needs SUPPLY, TRANSIT, BASE, LEND-LEASE or TRANSPORT, then {ending}"
    match = _match(pattern, rest, error)
    kind = match["kind"].lower().replace("-", "_").replace(" ", "_")
    assert kind in GRANT_KINDS
    power, place = names.power(match["to"]), match["place"] or ""
    text = f"{verb} {kind.upper().replace('_', '-')} {word} {power}"
    text += f" IN {place}" if place else ""
    return Order(number, verb, text, to=power, kind=kind, origin=place)


def _med(number: int, verb: str, rest: str, names: Names) -> Order:
    match = _match(
        r"(?P<on>ON|OFF)(?: AGAINST (?P<powers>.+))?",
        rest,
        "MED needs ON or OFF, and may name powers after AGAINST",
    )
    powers = names.powers(match["powers"]) if match["powers"] else ()
    word = match["on"].upper()
    text = f"MED {word}" + (f" AGAINST {', '.join(powers)}" if powers else "")
    return Order(number, verb, text, powers=powers, on=word == "ON")


def _column(number: int, verb: str, rest: str, names: Names) -> Order:
    if rest.upper() != "PRINTED":
        raise UnclearOrder("COLUMN needs PRINTED; use BLEND lines to combine columns")
    return Order(number, verb, "COLUMN PRINTED")


def _blend(number: int, verb: str, rest: str, names: Names) -> Order:
    country, _, power = rest.rpartition(" ")
    country = names.country(re.sub(r" (?:AS|FROM|OF)$", "", country, flags=re.IGNORECASE))
    whose = names.power(power)
    return Order(number, verb, f"BLEND {country} {whose}", country=country, to=whose)


_READERS: dict[str, Callable[[int, str, str, Names], Order]] = {
    "MOVE": _move,
    "RAIL": _move,
    "AIRDROP": _move,
    "SEA": _sea,
    "AMPHIB": _sea,
    "ATTACK": _attack,
    "BUILD": _points,
    "REPLACE": _points,
    "INVADE": _invade,
    "MINOR": _minor,
    "IF": _read_if,
    "ALLY": _ally,
    "UNALLY": _ally,
    "PEACE": _peace,
    "DECLARE": _declare,
    "GRANT": _grant,
    "REVOKE": _grant,
    "MED": _med,
    "COLUMN": _column,
    "BLEND": _blend,
}
