"""Parse the referee report of a Player-Turn (Rules B.8).

It says in single lines what became of each order line and what happened on the map. Like orders it
is a text, stored and judged in the same way, so that a player with the orders, the reports and the
digits can judge a campaign again. A page builds its lines from lists, or a gamesmaster types them.
`#` starts a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from games.rules import Json
from games.rules.names import NameFault
from games.rules.orders import Line, lines, quote_line

from .card import Card
from .naming import Names, names_of

DONE, CHANGED, VOID = "done", "changed", "void"
GAMESMASTER, PROPOSED = "GM", "PROPOSED"
LONGEST = 500  # characters of a reason or a note
MOST = 999

#: Verbs with an example, in the order of the referee's table.
FORMS = {
    "LINE": "LINE France 3 VOID: the rail line is cut",
    "REST": "REST DONE",
    "INVASION": "INVASION Germany Poland",
    "ENTRY": "ENTRY USA Norway",
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
    "OPERATOR": "OPERATOR Turkey Britain: its players agreed on it",
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


class MisreadLine(Exception):
    """A line is not one of a report. `str()` is half a sentence."""


@dataclass(frozen=True)
class Entry:
    """One line of a report. The verb says which fields are set."""

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
class Report:
    """A parsed report: its entries in order, and unreadable lines, each with the reason."""

    entries: tuple[Entry, ...]
    faults: tuple[tuple[Line, str], ...]
    sent: bool


def read(text: str, card: Card) -> Report:
    entries, faults = [], []
    written = lines(text)
    for line in written:
        try:
            entries.append(read_line(line, card))
        except MisreadLine as fault:
            faults.append((line, str(fault)))
    return Report(tuple(entries), tuple(faults), bool(written))


def read_line(line: Line, card: Card) -> Entry:
    """Read a line of a report. Raise `MisreadLine` if it is none."""
    head, colon, reason = line.text.partition(":")
    reason = " ".join(reason.split())
    if len(line.text) > LONGEST:
        raise MisreadLine(f"it is longer than {LONGEST} characters")
    verb, _, rest = " ".join(head.split()).partition(" ")
    verb = _OTHER_SPELLINGS.get(verb.upper(), verb.upper())
    reader = _READERS.get(verb)
    if reader is None:
        raise MisreadLine(f"no line of a report begins with “{verb}”; use {', '.join(FORMS)}")
    if verb in ("NOTE", "DICE") and colon:
        rest, reason = f"{rest}: {reason}", ""
    elif reason and verb not in ("LINE", "CONTROLLER", "OPERATOR", "DUE"):
        raise MisreadLine(f"write {verb} without a colon")
    try:
        return reader(line.number, verb, rest, reason, names_of(card))
    except NameFault as fault:
        raise MisreadLine(f"{fault}. Example: {FORMS[verb]}") from fault


def misread(line: Line, why: str) -> str:
    """Return the message to the gamesmaster about a line that cannot be read."""
    return f"{quote_line(line)}: {why}{'' if 'Example: ' in why else '.'}"


def _not_so_written(verb: str) -> str:
    return f"this is not how {verb} is written. Example: {FORMS[verb]}"


def _match(pattern: str, rest: str, verb: str) -> re.Match[str]:
    match = re.fullmatch(pattern, rest, re.IGNORECASE)
    if match is None:
        raise MisreadLine(_not_so_written(verb))
    return match


def _number(written: str | None, least: int = 0) -> int:
    if written is None:
        return least
    if len(written) > 4 or not least <= int(written) <= MOST:
        raise MisreadLine(f"“{written[:12]}” must be a number from {least} to {MOST}")
    return int(written)


def _line(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    pattern = (
        r"(?P<power>.+?) (?P<number>[0-9]+) (?P<ruling>DONE|CHANGED|VOID)(?: (?P<sp>[0-9]+)"
        r" SP)?(?P<med> VIA MED)?(?P<private> PRIVATE)?"
    )
    match = _match(pattern, rest, verb)
    power, ruling = names.power(match["power"]), match["ruling"].lower()
    if ruling != DONE and not reason:
        raise MisreadLine(f"give a reason for {ruling} after a colon. Example: {FORMS[verb]}")
    at, sp = _number(match["number"], 1), _number(match["sp"]) if match["sp"] else None
    text = f"LINE {power} {at} {ruling.upper()}" + (f" {sp} SP" if sp is not None else "")
    text += (" VIA MED" if match["med"] else "") + (" PRIVATE" if match["private"] else "")
    med, private, text = bool(match["med"]), bool(match["private"]), _append_reason(text, reason)
    fields: Json = {"kind": ruling, "on": med, "private": private, "sp": sp, "reason": reason}
    return Entry(number, verb, text, power, number=at, **fields)


def _append_reason(text: str, reason: str) -> str:
    return f"{text}: {reason}" if reason else text


def _fixed_reader(words: str) -> Callable[[int, str, str, str, Names], Entry]:
    """Return a reader for a line with only one form, such as END."""

    def reader(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
        if rest.upper() != words:
            raise MisreadLine(_not_so_written(verb))
        return Entry(number, verb, f"{verb} {words}".strip())

    return reader


def _two(
    first: str, second: str, between: str = ""
) -> Callable[[int, str, str, str, Names], Entry]:
    """Return a reader for two names, each a "power" or a "country".

    Names may contain blanks, so the reader tries each division.
    """

    def reader(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
        head, tail = _split_names(rest, verb, names, first, second, between)
        text = f"{verb} {head} {between}{tail}"
        if first == "country" and verb != "COMBAT" and verb != "PEACE":
            return Entry(number, verb, text, power=tail, country=head)
        return Entry(number, verb, text, power=head, country=tail, other=tail)

    return reader


def _split_names(
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
        except NameFault as error:
            fault = fault or error
    raise MisreadLine(f"{fault}. Example: {FORMS[verb]}" if fault else _not_so_written(verb))


def _forces(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    match = _match(r"(?P<names>.+?) (?P<sp>[0-9]+)(?: SUPPLIED (?P<supplied>[0-9]+))?", rest, verb)
    country, power = _split_names(match["names"], verb, names, "country", "power")
    sp = _number(match["sp"])
    supplied = _number(match["supplied"]) if match["supplied"] else sp
    if supplied > sp:
        raise MisreadLine(f"only {sp} are there, so {supplied} cannot be in supply")
    text = f"FORCES {country} {power} {sp} SUPPLIED {supplied}"
    return Entry(number, verb, text, power, country=country, number=sp, second=supplied)


def _switch(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    match = _match(r"(?P<on>ON|OFF)", rest, verb)
    return Entry(number, verb, f"{verb} {match['on'].upper()}", on=match["on"].upper() == "ON")


def _war(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    match = _match(r"LEVEL (?P<kind>LIMITED|FULL)", rest, verb)
    return Entry(number, verb, f"WAR LEVEL {match['kind'].upper()}", kind=match["kind"].lower())


def _garrison(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    match = _match(r"(?P<power>.+) (?P<kind>FAILED|MET)", rest, verb)
    power, kind = names.power(match["power"]), match["kind"].upper()
    return Entry(number, verb, f"GARRISON {power} {kind}", power, on=kind == "FAILED")


def _centres(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    """Read resource centers. Their number in all has to be given only once."""
    match = _match(r"(?P<names>.+?) (?P<held>[0-9]+)(?: OF (?P<all>[0-9]+))?", rest, verb)
    country, power = _split_names(match["names"], verb, names, "country", "power")
    held, every = _number(match["held"]), _number(match["all"])
    if match["all"] and held > every:
        raise MisreadLine(f"there are only {every}, so {power} cannot hold {held}")
    text = f"CENTRES {country} {power} {held}" + (f" OF {every}" if match["all"] else "")
    return Entry(
        number, verb, text, power, country=country, number=held, second=every, on=bool(match["all"])
    )


def _hexes(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    """Read hostile hexes. Their number in all has to be given only once."""
    match = _match(r"(?P<country>.+?)(?: (?P<all>[0-9]+))? HOSTILE (?P<hostile>[0-9]+)", rest, verb)
    country = names.power(match["country"])
    every, hostile = _number(match["all"], 1), _number(match["hostile"])
    if match["all"] and hostile > every:
        raise MisreadLine(f"{country} has only {every} hexes, so {hostile} cannot be hostile")
    text = f"HEXES {country}" + (f" {every}" if match["all"] else "") + f" HOSTILE {hostile}"
    return Entry(
        number, verb, text, country=country, number=every, second=hostile, on=bool(match["all"])
    )


def _read_ruler(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    """Read CONTROLLER or OPERATOR: a country, and a power, NOBODY or GM (nobody), or PROPOSED.

    PROPOSED takes the ruling back.
    """
    words = rest.split()
    word = words[-1].upper() if words else ""
    if word in ("NOBODY", GAMESMASTER, PROPOSED):
        country, power = names.country(" ".join(words[:-1])), ""
    else:
        country, power = _split_names(rest, verb, names, "country", "power")
        word = power
    text, in_effect = _append_reason(f"{verb} {country} {word}", reason), word != PROPOSED
    return Entry(number, verb, text, power, country=country, on=in_effect, reason=reason)


def _track(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    """Read the Allied track. Without a turn it is that of the current turn."""
    match = _match(
        r"(?:(?P<turn>[0-9]+) )?NAVAL (?P<naval>[0-9]+) AMPHIBIOUS (?P<amphibious>[0-9]+)",
        rest,
        verb,
    )
    naval, amphibious = _number(match["naval"]), _number(match["amphibious"])
    turn = _number(match["turn"], 1) if match["turn"] else None
    text = "TRACK" + (f" {turn}" if turn else "") + f" NAVAL {naval} AMPHIBIOUS {amphibious}"
    return Entry(number, verb, text, number=naval, second=amphibious, sp=turn)


_KIND = r"(?P<kind>REPLACEMENT|REINFORCEMENT)S?"


def _due(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    match = _match(rf"(?P<power>.+?) {_KIND} (?P<points>[0-9]+)(?P<lapses> LAPSES)?", rest, verb)
    power, kind = names.power(match["power"]), match["kind"].lower()
    points, lapses = _number(match["points"], 1), bool(match["lapses"])
    text = _append_reason(
        f"DUE {power} {kind.upper()} {points}{' LAPSES' if lapses else ''}", reason
    )
    fields: Json = {"kind": kind, "on": lapses, "reason": reason}
    return Entry(number, verb, text, power, number=points, **fields)


def _read_used(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    match = _match(rf"(?P<power>.+?) {_KIND} (?P<points>[0-9]+)", rest, verb)
    power, kind = names.power(match["power"]), match["kind"].lower()
    points = _number(match["points"], 1)
    text = f"USED {power} {kind.upper()} {points}"
    return Entry(number, verb, text, power, number=points, kind=kind)


def _rate(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    rate = _number(_match(r"(?P<rate>[0-9]+)", rest, verb)["rate"])
    return Entry(number, verb, f"{verb} {rest}", number=rate)


def _dice(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    match = _match(
        r"(?:(?P<number>[0-9]+) )?(?:OF (?P<power>.+?) )?FOR (?P<purpose>.+)", rest, verb
    )
    dice = _number(match["number"], 1)
    if dice > 20:
        raise MisreadLine("throw at most 20 dice for one purpose")
    power = names.power(match["power"]) if match["power"] else ""
    text = f"DICE {dice}" + (f" OF {power}" if power else "") + f" FOR {match['purpose']}"
    return Entry(number, verb, text, power, number=dice, reason=match["purpose"])


def _contest(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    pattern = r"(?P<a>.+?) (?P<x>[0-9]+) (?P<b>.+?) (?P<y>[0-9]+)(?: IN (?P<place>.+))?"
    match = _match(pattern, rest, verb)
    a, b = names.power(match["a"]), names.power(match["b"])
    if a == b:
        raise MisreadLine(f"{a} cannot contest a stack with itself")
    x, y, place = _number(match["x"], 1), _number(match["y"], 1), match["place"] or ""
    text = f"CONTEST {a} {x} {b} {y}" + (f" IN {place}" if place else "")
    return Entry(number, verb, text, a, other=b, number=x, second=y, reason=place)


def _note(number: int, verb: str, rest: str, reason: str, names: Names) -> Entry:
    if not rest:
        raise MisreadLine("write some text after NOTE")
    return Entry(number, verb, f"NOTE {rest}", reason=rest)


_READERS: dict[str, Callable[[int, str, str, str, Names], Entry]] = {
    "LINE": _line,
    "REST": _fixed_reader("DONE"),
    "INVASION": _two("power", "country"),
    "ENTRY": _two("power", "country"),
    "COMBAT": _two("country", "country"),
    "PEACE": _two("country", "country"),
    "DESTROYED": _two("country", "power", "BY "),
    "CLEARED": _two("country", "power"),
    "SWEPT": _two("country", "power"),
    "FORCES": _forces,
    "AFRICA": _switch,
    "ITALY": _fixed_reader("ENTERS"),
    "WAR": _war,
    "GARRISON": _garrison,
    "CENTRES": _centres,
    "HEXES": _hexes,
    "CONTROLLER": _read_ruler,
    "OPERATOR": _read_ruler,
    "TRACK": _track,
    "DUE": _due,
    "USED": _read_used,
    "RATE": _rate,
    "RESOURCES": _rate,
    "NEXT": _fixed_reader(""),
    "USA": _fixed_reader("ENTERS"),
    "DICE": _dice,
    "CONTEST": _contest,
    "NOTE": _note,
    "END": _fixed_reader(""),
}

#: The printed rules write “center”, the report format “CENTRES”: both are read.
_OTHER_SPELLINGS = {"CENTERS": "CENTRES"}
