"""The gamesmaster's sheet: what came of each order line in a Player-Turn, and what happened on the
map, a line each (Rules B.8).

A sheet is a text as orders are, kept and judged as orders are, so that whoever has the orders, the
sheets and the digits can judge a campaign again. A page makes its lines from lists; a gamesmaster
may as well write them. `#` starts a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .. import Json
from ..names import NameFault
from ..orders import Line, lines, quote_line
from .card import Card
from .naming import Names, names_of

DONE, CHANGED, VOID = RULINGS = ("done", "changed", "void")
GAMESMASTER, PROPOSED = "GM", "PROPOSED"
LONGEST = 500  # characters of a reason or a note
MOST = 999

#: verb -> an example; in the order in which the referee's table offers them.
FORMS = {
    "LINE": "LINE France 3 VOID: the rail line is cut",
    "REST": "REST DONE",
    "INVASION": "INVASION Germany Poland",
    "COMBAT": "COMBAT Germany Poland",
    "PEACE": "PEACE France Italy",
    "DESTROYED": "DESTROYED Sweden BY Britain",
    "CLEARED": "CLEARED Poland Germany",
    "SWEPT": "SWEPT Poland Germany",
    "FORCES": "FORCES Poland Germany 5 SUPPLIED 4",
    "AFRICA": "AFRICA ON",
    "ITALY": "ITALY ENTERS",
    "WAR": "WAR LEVEL LIMITED",
    "GARRISON": "GARRISON Germany FAILED",
    "CENTRES": "CENTRES USSR Germany 3 OF 12",
    "HEXES": "HEXES France 40 HOSTILE 21",
    "CONTROLLER": "CONTROLLER Poland Germany: as proposed",
    "OPERATOR": "OPERATOR Turkey Britain: both have invaded it",
    "RESOURCES": "RESOURCES 8",
    "TRACK": "TRACK 7 NAVAL 8 AMPHIBIOUS 2",
    "DUE": "DUE USA REPLACEMENT 3 LAPSES: on the map or in the holding area",
    "USED": "USED Britain REPLACEMENT 1",
    "RATE": "RATE 8",
    "USA": "USA ENTERS",
    "DICE": "DICE 2 OF France FOR the airdrop on Oslo",
    "CONTEST": "CONTEST France 3 Britain 3 IN Metz",
    "NOTE": "NOTE Winter weather holds this turn",
    "NEXT": "NEXT",
    "END": "END",
}


class Misread(Exception):
    """A line of a sheet that is none. `str()` is half a sentence."""


@dataclass(frozen=True)
class Entry:
    """One line of a sheet. Which parts there are follows from the verb."""

    line: int
    verb: str
    text: str
    power: str = ""
    other: str = ""  # a second power, or a country
    country: str = ""
    number: int = 0
    second: int = 0
    kind: str = ""
    on: bool = False
    private: bool = False
    sp: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Sheet:
    """A sheet as read: its entries in order, and lines that cannot be read with why."""

    entries: tuple[Entry, ...]
    faults: tuple[tuple[Line, str], ...]
    sent: bool


def read(text: str, card: Card) -> Sheet:
    entries, faults = [], []
    written = lines(text)
    for line in written:
        try:
            entries.append(read_line(line, card))
        except Misread as fault:
            faults.append((line, str(fault)))
    return Sheet(tuple(entries), tuple(faults), bool(written))


def read_line(line: Line, card: Card) -> Entry:
    """Raises `Misread`."""
    said, colon, reason = line.text.partition(":")
    reason = " ".join(reason.split())
    if len(line.text) > LONGEST:
        raise Misread(f"it is longer than {LONGEST} characters")
    verb, _, rest = " ".join(said.split()).partition(" ")
    verb = verb.upper()
    reader = _READERS.get(verb)
    if reader is None:
        raise Misread(f"no line of a report begins with “{verb}”; use {', '.join(FORMS)}")
    if verb in ("NOTE", "DICE") and colon:
        rest, reason = f"{rest}: {reason}", ""
    elif reason and verb not in ("LINE", "CONTROLLER", "OPERATOR", "DUE"):
        raise Misread(f"write {verb} without a colon")
    try:
        return reader(line.number, verb, rest, reason, names_of(card))
    except NameFault as fault:
        raise Misread(f"{fault}. Example: {FORMS[verb]}") from fault


def misread(line: Line, why: str) -> str:
    """What the gamesmaster is told of a line that cannot be read."""
    return f"{quote_line(line)}: {why}{'' if 'Example: ' in why else '.'}"


def _match(pattern: str, rest: str, verb: str) -> re.Match[str]:
    found = re.fullmatch(pattern, rest, re.IGNORECASE)
    if found is None:
        raise Misread(f"the line is incomplete. Example: {FORMS[verb]}")
    return found


def _number(written: str | None, least: int = 0) -> int:
    if written is None:
        return least
    if len(written) > 4 or not least <= int(written) <= MOST:
        raise Misread(f"“{written[:12]}” must be a number from {least} to {MOST}")
    return int(written)


def _line(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    pattern = (
        r"(?P<power>.+?) (?P<number>[0-9]+) (?P<ruling>DONE|CHANGED|VOID)(?: (?P<sp>[0-9]+)"
        r" SP)?(?P<med> VIA MED)?(?P<private> PRIVATE)?"
    )
    found = _match(pattern, rest, verb)
    power, ruling = names.power(found["power"]), found["ruling"].lower()
    if ruling != DONE and not reason:
        raise Misread(f"give a reason for {ruling} after a colon. Example: {FORMS[verb]}")
    at, sp = _number(found["number"], 1), _number(found["sp"]) if found["sp"] else None
    text = f"LINE {power} {at} {ruling.upper()}" + (f" {sp} SP" if sp is not None else "")
    text += (" VIA MED" if found["med"] else "") + (" PRIVATE" if found["private"] else "")
    med, private, text = bool(found["med"]), bool(found["private"]), _with(text, reason)
    kept: Json = {"kind": ruling, "on": med, "private": private, "sp": sp, "reason": reason}
    return Entry(number, verb, text, power, number=at, **kept)


def _with(text: str, reason: str) -> str:
    return f"{text}: {reason}" if reason else text


def _fixed(words: str) -> Callable[[int, str, str, str, Names], Entry]:
    """A line of one form, such as END."""

    def reader(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
        if rest.upper() != words:
            raise Misread(f"the line is incomplete. Example: {FORMS[verb]}")
        return Entry(number, verb, f"{verb} {words}".strip())

    return reader


def _two(
    first: str, second: str, between: str = ""
) -> Callable[[int, str, str, str, Names], Entry]:
    """Two names: "power" or "country" each. Names have blanks in them, so each division is
    tried."""

    def reader(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
        one, other = _divided(rest, verb, names, first, second, between)
        text = f"{verb} {one} {between}{other}"
        if first == "country" and verb != "COMBAT" and verb != "PEACE":
            return Entry(number, verb, text, power=other, country=one)
        return Entry(number, verb, text, power=one, country=other, other=other)

    return reader


def _divided(
    rest: str, verb: str, names: Names, first: str, second: str, between: str = ""
) -> tuple[str, str]:
    words = rest.split()
    find = {"power": names.power, "country": names.country}
    fault: NameFault | None = None
    for place in range(len(words) - 1, 0, -1):
        head, tail = words[:place], words[place:]
        if between:
            if tail[0].upper() != between.strip():
                continue
            tail = tail[1:]
        try:
            return find[first](" ".join(head)), find[second](" ".join(tail))
        except NameFault as found:
            fault = fault or found
    raise Misread(f"{fault or 'the line is incomplete'}. Example: {FORMS[verb]}")


def _forces(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    found = _match(r"(?P<names>.+?) (?P<sp>[0-9]+)(?: SUPPLIED (?P<supplied>[0-9]+))?", rest, verb)
    country, power = _divided(found["names"], verb, names, "country", "power")
    sp = _number(found["sp"])
    supplied = _number(found["supplied"]) if found["supplied"] else sp
    if supplied > sp:
        raise Misread(f"only {sp} are there, so {supplied} cannot be in supply")
    text = f"FORCES {country} {power} {sp} SUPPLIED {supplied}"
    return Entry(number, verb, text, power, country=country, number=sp, second=supplied)


def _switch(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    found = _match(r"(?P<on>ON|OFF)", rest, verb)
    return Entry(number, verb, f"{verb} {found['on'].upper()}", on=found["on"].upper() == "ON")


def _war(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    found = _match(r"LEVEL (?P<kind>LIMITED|FULL)", rest, verb)
    return Entry(number, verb, f"WAR LEVEL {found['kind'].upper()}", kind=found["kind"].lower())


def _garrison(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    found = _match(r"(?P<power>.+) (?P<kind>FAILED|MET)", rest, verb)
    power, kind = names.power(found["power"]), found["kind"].upper()
    return Entry(number, verb, f"GARRISON {power} {kind}", power, on=kind == "FAILED")


def _centres(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    """How many there are in all needs to be said once."""
    found = _match(r"(?P<names>.+?) (?P<held>[0-9]+)(?: OF (?P<all>[0-9]+))?", rest, verb)
    country, power = _divided(found["names"], verb, names, "country", "power")
    held, every = _number(found["held"]), _number(found["all"])
    if found["all"] and held > every:
        raise Misread(f"there are only {every}, so {power} cannot hold {held}")
    text = f"CENTRES {country} {power} {held}" + (f" OF {every}" if found["all"] else "")
    return Entry(
        number, verb, text, power, country=country, number=held, second=every, on=bool(found["all"])
    )


def _hexes(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    """How many a home has in all needs to be said once."""
    found = _match(r"(?P<country>.+?)(?: (?P<all>[0-9]+))? HOSTILE (?P<hostile>[0-9]+)", rest, verb)
    country = names.power(found["country"])
    every, hostile = _number(found["all"], 1), _number(found["hostile"])
    if found["all"] and hostile > every:
        raise Misread(f"{country} has only {every} hexes, so {hostile} cannot be hostile")
    text = f"HEXES {country}" + (f" {every}" if found["all"] else "") + f" HOSTILE {hostile}"
    return Entry(
        number, verb, text, country=country, number=every, second=hostile, on=bool(found["all"])
    )


def _ruled(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    """CONTROLLER and OPERATOR: a country, and a power, NOBODY or GM (nobody), or PROPOSED (the
    ruling is taken back)."""
    words = rest.split()
    word = words[-1].upper() if words else ""
    if word in ("NOBODY", GAMESMASTER, PROPOSED):
        country, power = names.country(" ".join(words[:-1])), ""
    else:
        country, power = _divided(rest, verb, names, "country", "power")
        word = power
    text, stands = _with(f"{verb} {country} {word}", reason), word != PROPOSED
    return Entry(number, verb, text, power, country=country, on=stands, reason=reason)


def _track(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    """Of the turn that is played where none is named."""
    found = _match(
        r"(?:(?P<turn>[0-9]+) )?NAVAL (?P<naval>[0-9]+) AMPHIBIOUS (?P<amphibious>[0-9]+)",
        rest,
        verb,
    )
    naval, amphibious = _number(found["naval"]), _number(found["amphibious"])
    turn = _number(found["turn"], 1) if found["turn"] else None
    text = "TRACK" + (f" {turn}" if turn else "") + f" NAVAL {naval} AMPHIBIOUS {amphibious}"
    return Entry(number, verb, text, number=naval, second=amphibious, sp=turn)


_KIND = r"(?P<kind>REPLACEMENT|REINFORCEMENT)S?"


def _due(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    found = _match(rf"(?P<power>.+?) {_KIND} (?P<points>[0-9]+)(?P<lapses> LAPSES)?", rest, verb)
    power, kind = names.power(found["power"]), found["kind"].lower()
    points, lapses = _number(found["points"], 1), bool(found["lapses"])
    text = _with(f"DUE {power} {kind.upper()} {points}{' LAPSES' if lapses else ''}", reason)
    kept: Json = {"kind": kind, "on": lapses, "reason": reason}
    return Entry(number, verb, text, power, number=points, **kept)


def _used(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    found = _match(rf"(?P<power>.+?) {_KIND} (?P<points>[0-9]+)", rest, verb)
    power, kind = names.power(found["power"]), found["kind"].lower()
    points = _number(found["points"], 1)
    text = f"USED {power} {kind.upper()} {points}"
    return Entry(number, verb, text, power, number=points, kind=kind)


def _rate(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    rate = _number(_match(r"(?P<rate>[0-9]+)", rest, verb)["rate"])
    return Entry(number, verb, f"{verb} {rest}", number=rate)


def _dice(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    found = _match(
        r"(?:(?P<number>[0-9]+) )?(?:OF (?P<power>.+?) )?FOR (?P<purpose>.+)", rest, verb
    )
    dice = _number(found["number"], 1)
    if dice > 20:
        raise Misread("throw at most 20 dice for one purpose")
    power = names.power(found["power"]) if found["power"] else ""
    text = f"DICE {dice}" + (f" OF {power}" if power else "") + f" FOR {found['purpose']}"
    return Entry(number, verb, text, power, number=dice, reason=found["purpose"])


def _contest(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    pattern = r"(?P<a>.+?) (?P<x>[0-9]+) (?P<b>.+?) (?P<y>[0-9]+)(?: IN (?P<place>.+))?"
    found = _match(pattern, rest, verb)
    a, b = names.power(found["a"]), names.power(found["b"])
    if a == b:
        raise Misread(f"{a} cannot contest a stack with itself")
    x, y, place = _number(found["x"], 1), _number(found["y"], 1), found["place"] or ""
    text = f"CONTEST {a} {x} {b} {y}" + (f" IN {place}" if place else "")
    return Entry(number, verb, text, a, other=b, number=x, second=y, reason=place)


def _note(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    if not rest:
        raise Misread("write some text after NOTE")
    return Entry(number, verb, f"NOTE {rest}", reason=rest)


_READERS: dict[str, Callable[[int, str, str, str, Names], Entry]] = {
    "LINE": _line,
    "REST": _fixed("DONE"),
    "INVASION": _two("power", "country"),
    "COMBAT": _two("country", "country"),
    "PEACE": _two("country", "country"),
    "DESTROYED": _two("country", "power", "BY "),
    "CLEARED": _two("country", "power"),
    "SWEPT": _two("country", "power"),
    "FORCES": _forces,
    "AFRICA": _switch,
    "ITALY": _fixed("ENTERS"),
    "WAR": _war,
    "GARRISON": _garrison,
    "CENTRES": _centres,
    "HEXES": _hexes,
    "CONTROLLER": _ruled,
    "OPERATOR": _ruled,
    "TRACK": _track,
    "DUE": _due,
    "USED": _used,
    "RATE": _rate,
    "RESOURCES": _rate,
    "NEXT": _fixed(""),
    "USA": _fixed("ENTERS"),
    "DICE": _dice,
    "CONTEST": _contest,
    "NOTE": _note,
    "END": _fixed(""),
}
