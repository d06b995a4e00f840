"""From order text to orders (Rules B.8): the parsed forms, and free text, which is always accepted
for the map.

Lines that bind (alliances, peace, grants, instructions, columns) are carried out by the service and
refused where they cannot be read. Lines for the map are judged by the gamesmaster: one that begins
like a form and is none is taken as free text, with a word that the ledger cannot follow it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..names import NameFault
from ..orders import Line
from .card import GRANT_KINDS, Card
from .naming import Names, names_of

FREE = "FREE"
BINDING = ("ALLY", "UNALLY", "PEACE", "GRANT", "REVOKE", "DECLARE", "MED", "COLUMN", "BLEND")
PASS = "PASS"
LONGEST = 300  # characters of a line that is read as one of the forms
FORMS = {
    "MOVE": "MOVE 3 SP Paris TO Lyons",
    "RAIL": "RAIL 2 SP Berlin TO Warsaw",
    "ATTACK": "ATTACK Warsaw IN Poland WITH Italy",
    "SEA": "SEA 2 SP London TO Alexandria VIA MED USING Britain",
    "AMPHIB": "AMPHIB 1 SP London TO Oslo VIA ATLANTIC USING Britain",
    "BUILD": "BUILD 2 SP Moscow",
    "REPLACE": "REPLACE 1 SP London",
    "AIRDROP": "AIRDROP 1 SP Berlin TO Oslo",
    "INVADE": "INVADE Belgium",
    "MINOR": "MINOR Poland: MOVE 1 SP Warsaw TO Lublin",
    "IF": "IF Germany INVADES Poland THEN MOVE 3 SP Paris TO Metz",
    "ALLY": "ALLY France",
    "UNALLY": "UNALLY France",
    "PEACE": "PEACE Germany",
    "GRANT": "GRANT SUPPLY TO USA IN Britain",
    "REVOKE": "REVOKE SUPPLY FROM USA IN Britain",
    "DECLARE": "DECLARE WAR ON Germany",
    "MED": "MED ON AGAINST Britain, France",
    "COLUMN": "COLUMN PRINTED",
    "BLEND": "BLEND Poland Germany",
}


class Unclear(Exception):
    """A line that is none of the forms. `str()` is half a sentence that says why."""


@dataclass(frozen=True)
class Condition:
    """What an IF waits for. `kind` "": words that the gamesmaster judges; else "invades", "war",
    "allied" or "entered", of `a` and `b`."""

    text: str
    kind: str = ""
    a: str = ""
    b: str = ""


@dataclass(frozen=True)
class Order:
    """One line; the verb says which parts there are. Places on the map are words as written."""

    line: int
    verb: str
    text: str  # canonical words; of free text, what was written
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
        """Whether the gamesmaster has to rule it."""
        return self.verb != PASS and not self.binding

    @property
    def core(self) -> Order:
        """What is ordered in the end: inside MINOR and IF."""
        return self.inner.core if self.inner is not None else self

    @property
    def invades(self) -> str:
        """The country that the power's own units are to invade; "" for none. What a minor army
        invades is on the map alone."""
        if self.verb == "IF" and self.inner is not None:
            return self.inner.invades
        return self.country if self.verb == "INVADE" else ""

    @property
    def about(self) -> tuple[str, ...]:
        """What a later line about the same thing replaces (orders.amend = merge_lines)."""
        return (
            (self.verb, self.text)
            if self.for_map
            else (self.verb, self.kind, self.to, self.country, *self.powers)
        )


def read_line(line: Line, card: Card) -> Order:
    """Raises `Unclear` for a binding line that cannot be carried out as written."""
    verb, _, rest = line.text.partition(" ")
    return _read(line.number, verb.upper(), " ".join(rest.split()), line.text, names_of(card))


def _read(number: int, verb: str, rest: str, written: str, names: Names) -> Order:
    if verb == PASS and not rest:
        return Order(number, PASS, PASS)
    reader = _READERS.get(verb)
    if reader is None:
        return Order(number, FREE, written)
    try:
        if len(rest) > LONGEST:  # a long line would only keep the patterns searching
            raise Unclear(f"it is longer than {LONGEST} characters")
        return reader(number, verb, rest, names)
    except (Unclear, NameFault) as fault:
        if verb in BINDING:
            raise Unclear(str(fault)) from fault
        return Order(number, FREE, written, stray=f"{fault}. Example: {FORMS[verb]}")


def _match(pattern: str, rest: str, said: str) -> re.Match[str]:
    found = re.fullmatch(pattern, rest, re.IGNORECASE)
    if found is None:
        raise Unclear(said)
    return found


def _sp(written: str | None) -> int | None:
    if written is None:
        return None
    if len(written) > 3 or not int(written):
        raise Unclear(f"“{written[:12]}” is not a number of Strength Points")
    return int(written)


_SP = r"(?:(?P<sp>[0-9]+) SP )"


def _count(sp: int | None) -> str:
    return f"{sp} SP " if sp is not None else ""


def _move(number: int, verb: str, rest: str, names: Names) -> Order:
    needed = "" if verb == "AIRDROP" else "?"
    found = _match(
        rf"{_SP}{needed}(?P<origin>.+?) TO (?P<to>.+)", rest, f"{verb} needs a start, TO and a goal"
    )
    sp, origin, to = _sp(found["sp"]), found["origin"], found["to"]
    return Order(number, verb, f"{verb} {_count(sp)}{origin} TO {to}", sp, origin, to)


def _sea(number: int, verb: str, rest: str, names: Names) -> Order:
    pattern = rf"{_SP}(?P<origin>.+?) TO (?P<to>.+?)(?: VIA (?P<sea>\S+))?(?: USING (?P<using>.+))?"
    found = _match(pattern, rest, f"{verb} needs a number of SP, a start, TO and a goal")
    sea = (found["sea"] or "").upper()
    sea = "MED" if sea.startswith("MED") else sea
    using = names.power(found["using"]) if found["using"] else ""
    sp = _sp(found["sp"])
    origin, to = found["origin"], found["to"]
    text = f"{verb} {_count(sp)}{origin} TO {to}" + (f" VIA {sea}" if sea else "")
    text += f" USING {using}" if using else ""
    return Order(number, verb, text, sp, origin, to, sea=sea, using=using)


def _attack(number: int, verb: str, rest: str, names: Names) -> Order:
    found = _match(
        r"(?P<to>.+?)(?: IN (?P<country>.+?))?(?: WITH (?P<powers>.+))?",
        rest,
        "ATTACK needs a place",
    )
    country = names.country(found["country"]) if found["country"] else ""
    powers = names.powers(found["powers"]) if found["powers"] else ()
    text = f"ATTACK {found['to']}" + (f" IN {country}" if country else "")
    text += f" WITH {', '.join(powers)}" if powers else ""
    return Order(number, verb, text, to=found["to"], country=country, powers=powers)


def _points(number: int, verb: str, rest: str, names: Names) -> Order:
    found = _match(
        r"(?P<sp>[0-9]+)(?: SP)?(?: (?:IN|AT|ON))? (?P<to>.+)",
        rest,
        f"{verb} needs a number of SP and a place",
    )
    sp = _sp(found["sp"])
    return Order(number, verb, f"{verb} {sp} SP {found['to']}", sp, to=found["to"])


def _invade(number: int, verb: str, rest: str, names: Names) -> Order:
    country = names.country(rest)
    return Order(number, verb, f"INVADE {country}", country=country)


def _minor(number: int, verb: str, rest: str, names: Names) -> Order:
    found = _match(
        r"(?P<country>[^:]+):(?P<order>.+)",
        rest,
        "MINOR needs a country, a colon and an order",
    )
    country = names.country(found["country"])
    inner = _nested(number, found["order"].strip(), names)
    if inner.binding and inner.verb != "PEACE":
        raise Unclear(f"a minor country cannot use {inner.verb}")
    return Order(number, verb, f"MINOR {country}: {inner.text}", country=country, inner=inner)


def _if(number: int, verb: str, rest: str, names: Names) -> Order:
    found = _match(
        r"(?P<condition>.+?) THEN (?P<order>.+)", rest, "IF needs a condition, THEN and an order"
    )
    condition = _condition(found["condition"], names)
    inner = _nested(number, found["order"], names)
    if inner.binding:
        why = "it takes effect when orders are opened"
        raise Unclear(f"{inner.verb} cannot wait for a condition: {why}")
    text = f"IF {condition.text} THEN {inner.text}"
    return Order(number, verb, text, inner=inner, condition=condition)


def _nested(number: int, text: str, names: Names) -> Order:
    verb, _, rest = text.partition(" ")
    if verb.upper() in ("IF", "MINOR"):
        depth = len(re.findall(r"\b(?:IF|MINOR)\b", text, re.IGNORECASE))
        if depth > 3:
            raise Unclear("a line may have at most two conditions")
    return _read(number, verb.upper(), rest.strip(), text, names)


_CONDITIONS = (
    ("invades", r"(?P<a>.+?) (?:INVADES|HAS INVADED) (?P<b>.+)", "{a} INVADES {b}"),
    ("war", r"(?P<a>.+?) AT WAR WITH (?P<b>.+)", "{a} AT WAR WITH {b}"),
    ("allied", r"(?P<a>.+?) ALLIED WITH (?P<b>.+)", "{a} ALLIED WITH {b}"),
    ("entered", r"(?P<a>.+?) ENTERED", "{a} ENTERED"),
)


def _condition(text: str, names: Names) -> Condition:
    """Read what the ledger can judge; whatever else is said the gamesmaster judges."""
    for kind, pattern, said in _CONDITIONS:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        if found is None:
            continue
        try:
            a, b = names.power(found["a"]), ""
            if kind != "entered":
                b = (names.power if kind == "allied" else names.country)(found["b"])
        except NameFault:
            continue
        return Condition(said.format(a=a, b=b), kind, a, b)
    return Condition(text)


def _ally(number: int, verb: str, rest: str, names: Names) -> Order:
    power = names.power(re.sub(r"^WITH ", "", rest, flags=re.IGNORECASE))
    return Order(number, verb, f"{verb} {power}", to=power)


def _peace(number: int, verb: str, rest: str, names: Names) -> Order:
    country = names.country(re.sub(r"^WITH ", "", rest, flags=re.IGNORECASE))
    return Order(number, verb, f"PEACE {country}", to=country)


def _declare(number: int, verb: str, rest: str, names: Names) -> Order:
    country = names.country(re.sub(r"^(?:WAR )?(?:ON )?", "", rest, flags=re.IGNORECASE))
    return Order(number, verb, f"DECLARE WAR ON {country}", to=country)


def _grant(number: int, verb: str, rest: str, names: Names) -> Order:
    word = "TO" if verb == "GRANT" else "FROM"
    pattern = (
        r"(?P<kind>SUPPLY|TRANSIT|BASE|LEND[ _-]LEASE|TRANSPORT) (?:TO|FROM) (?P<to>.+?)(?:"
        r" (?:IN|AT|THROUGH) (?P<place>.+))?"
    )
    whom = f"{word} and a power"
    says = f"{verb} needs SUPPLY, TRANSIT, BASE, LEND-LEASE or TRANSPORT, then {whom}"
    found = _match(pattern, rest, says)
    kind = found["kind"].lower().replace("-", "_").replace(" ", "_")
    assert kind in GRANT_KINDS
    power, place = names.power(found["to"]), found["place"] or ""
    text = f"{verb} {kind.upper().replace('_', '-')} {word} {power}"
    text += f" IN {place}" if place else ""
    return Order(number, verb, text, to=power, kind=kind, origin=place)


def _med(number: int, verb: str, rest: str, names: Names) -> Order:
    found = _match(
        r"(?P<on>ON|OFF)(?: AGAINST (?P<powers>.+))?",
        rest,
        "MED needs ON or OFF, and may name powers after AGAINST",
    )
    powers = names.powers(found["powers"]) if found["powers"] else ()
    word = found["on"].upper()
    text = f"MED {word}" + (f" AGAINST {', '.join(powers)}" if powers else "")
    return Order(number, verb, text, powers=powers, on=word == "ON")


def _column(number: int, verb: str, rest: str, names: Names) -> Order:
    if rest.upper() != "PRINTED":
        raise Unclear("COLUMN needs PRINTED; use BLEND lines to combine columns")
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
    "IF": _if,
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
