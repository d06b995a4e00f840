"""The running record hash: what its entries cover, and the check of them.

A step that makes a part of the record writes an entry in the same transaction. An entry covers
parts, each named by a list:

    ["start", more]                       the scenario, the options and the reserve list; `more`:
                                          seats and early closing at the start
    ["seat", n, seat]                     the nth change of a seat after the start; `seat`: the seat
                                          from then on
    ["opened", phase]                     a phase as it opened, with its first deadline
    ["renewed", phase, n, before]         the nth change of an open phase's values (`RENEWABLE`);
                                          `before`: the values before
    ["deadline", phase, n]                the nth change of its deadline, with the reason
    ["locked", phase]                     orders are closed: digest, head of the ledger, teams,
                                          holders, session
    ["session", phase, n]                 the nth change of its session, with the reason
    ["figure", phase, symbol, readings]   a figure; `readings`: the first 32 digits of the hash of
                                          every reading of that symbol
    ["result", phase, version]            a version of the result, with the digits in its events
    ["ruling", number]                    a ruling, with its reason
    ["abandoned"]                         the end of an abandoned game, with the reason

The leaf is SHA-256 over the entry's salt, a zero byte and the JSON of [[part, content], ...]; the
content is taken from the record. The entry's hash is SHA-256 over the JSON of {previous, number,
made, leaf, covers}. JSON: keys sorted, no spaces, in UTF-8. The record hash is the hash of the
newest entry. A public record of a running game leaves out the salts, so that nobody can guess what
a leaf covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from .. import Json
from ..digits import digits_in_events
from . import form, record

#: A part's kind and its keys: the first items of its list.
Name = tuple[Any, ...]
#: A difference: its place, its subject, the recorded value and the right one.
Found = tuple[str, str, object, object]

#: How many items of a part name it, its kind included. Kinds in `SAYS` have one more item, with
#: facts that are nowhere else in the record.
NAMED_BY = {
    "start": 1,
    "seat": 2,
    "opened": 2,
    "renewed": 3,
    "deadline": 3,
    "locked": 2,
    "session": 3,
    "figure": 3,
    "result": 3,
    "ruling": 2,
    "abandoned": 1,
}
SAYS = ("start", "seat", "renewed", "figure")
#: Values of a phase that may change while it is open; each change is a part of its own.
RENEWABLE = ("opened", "seed_hash", "controllers")
#: Parts of one phase come in this order.
_RANKS = {
    "opened": 0,
    "renewed": 1,
    "deadline": 1,
    "locked": 2,
    "session": 3,
    "figure": 4,
    "result": 4,
}
#: How many digits of a hash are shown where the whole is too long. With 128 bits even the operator,
#: who chooses the salts, would need some 2**64 hashes for two records that show the same; and a
#: receipt's line still fits in the 72 columns of a letter.
SHOWN = 32
#: Clocks of two machines differ by less than this. An entry dated further back was made after a
#: clock had been set back.
SLACK = timedelta(minutes=1)
#: Errors from a document in which some type is not that of a record.
_UNFIT = (LookupError, TypeError, ValueError, AttributeError)


# --- hashes ---


def leaf(salt: str, parts: Sequence[tuple[list[Any], object]]) -> str:
    """Return the hash of what an entry covers: its salt, then each part with its content."""
    return sha256(salt.encode() + b"\0" + record.canonical(parts)).hexdigest()


def entry_hash(
    *, previous: str, number: int, made: str, leaf: str, covers: Sequence[list[Any]]
) -> str:
    """Return the hash of an entry and the hash before it, the record hash from then on."""
    fields = {"previous": previous, "number": number, "made": made, "leaf": leaf, "covers": covers}
    return sha256(record.canonical(fields)).hexdigest()


# --- lines in letters ---


def record_line(game: int, record_hash: str) -> str:
    """Return the line in a letter about a game that shows the record hash."""
    return f"Record hash of game {game}: {record_hash[:SHOWN]}"


def submission_line(game: int, hash_of_it: str) -> str:
    """Return the line in a receipt that shows the hash of the submission.

    It omits the submission's number in the record, which would reveal how much others have sent.
    """
    return f"Hash of this submission to game {game}: {hash_of_it[:SHOWN]}"


def digest_heading(game: int, phase: int) -> str:
    """Return the line in a letter above the digest of a phase, which is shown whole."""
    return f"SHA-256 over all orders in force in phase {phase} of game {game}:"


# --- contents of the parts, from the rows of a record ---


def start(tree: Json, more: Json) -> Json:
    return {key: tree[key] for key in form.BEGINNING.keys} | more


def phase_opening(phase: Json, values: Mapping[str, Any]) -> Json:
    """Return a phase as it opened. `values`: its `RENEWABLE` values at that time."""
    changes = phase["deadline_changes"]
    facts = {key: phase[key] for key in ("number", "turn", "kind", "previous")}
    return (
        facts
        | {"deadline": changes[0]["old"] if changes else phase["deadline"]}
        | phase_renewal(values)
    )


def phase_renewal(values: Mapping[str, Any]) -> Json:
    return {
        "opened": values["opened"],
        "seed_hash": values["seed_hash"],
        "controllers": values["controllers"],
    }


def phase_lock(phase: Json, head: str) -> Json:
    """Return a phase as it closed, with the `head` of the ledger.

    A later session is a part of its own.
    """
    facts = {key: phase[key] for key in form.LOCK.keys}
    session, changes = phase["session"], phase["session_changes"]
    if session and changes:
        first = {end: changes[0][f"old_{end}"] for end in ("opens", "closes")}
        session = {"exchange": session["exchange"], "label": changes[0]["old"], **first}
    return facts | {"session": session, "head": head}


def head(submissions: Iterable[Json]) -> str:
    """Return the head of the ledger at a lock.

    It is the hash of the phase's newest submission that came in time, "" if none did.
    """
    in_time = [row for row in submissions if not row["late"]]
    return str(max(in_time, key=lambda row: int(row["number"]))["hash"]) if in_time else ""


def figure(row: Json, hashes: Mapping[int, str]) -> Json:
    """Return a figure, with the hashes of its readings and of every reading of its symbol.

    `hashes`: all of these, by number of the reading.
    """
    facts = {key: row[key] for key in ("symbol", "volume", "reason", "settled")}
    return facts | {
        "readings": sorted(hashes[number] for number in row["readings"]),
        "seen": sorted(hashes.values()),
    }


def result(row: Json, draws: Iterable[Json], seed: str) -> Json:
    """Return a version of a result. `draws` are all of its phase."""
    keys = ("orders", "events", "remarks", "after", "scores", "winners", "closing", "resolved")
    facts = {key: row[key] for key in (*keys, "after_ruling", "ruling")}
    return facts | {"draws": draws_in_events(row["events"], draws), "seed": seed}


def draws_in_events(events: Iterable[Json], draws: Iterable[Json]) -> list[Json]:
    """Return those of a phase's draws whose digits are in these events."""
    digits = list(digits_in_events(events))
    return (
        [
            draw
            for draw in draws
            if any(all(draw[key] == digit[key] for key in digit) for digit in digits)
        ]
        if digits
        else []
    )


def reading_hashes(content: Json) -> list[str]:
    """Return the short hashes in the name of a figure's part, from its content."""
    return [digest[:SHOWN] for digest in content["seen"]]


# --- the parts of a record ---


def parts(tree: Json) -> list[Name]:
    """Return the names of all parts of a record in order of time, rulings and its end last."""
    names: list[Name] = [("start",)] if tree["phases"] else []
    names += [("seat", n) for n in range(1, len(_said(tree, "seat")) + 1)]
    for phase in tree["phases"]:
        number = phase["number"]
        names.append(("opened", number))
        names += [("renewed", number, n) for n in range(1, len(_renewals(tree, number)) + 1)]
        names += [("deadline", number, n) for n in range(1, len(phase["deadline_changes"]) + 1)]
        names += [("locked", number)] if phase["locked"] is not None else []
        names += [("session", number, n) for n in range(1, len(phase["session_changes"]) + 1)]
        if phase["resolutions"]:  # the figures of a phase without a result decide nothing
            names += [("figure", number, row["symbol"]) for row in phase["figures"]]
        names += [("result", number, row["version"]) for row in phase["resolutions"]]
    names += [("ruling", row["number"]) for row in tree["rulings"]]
    return names + ([("abandoned",)] if tree["abandonment"] is not None else [])


def content(tree: Json, part: list[Any]) -> Json:
    """Return the content of a part. Raise `LookupError` for one that the record does not have."""
    kind, details = part[0], part[-1]
    if kind == "start":
        return start(tree, details)
    if kind == "seat":
        return dict(details)
    if kind == "abandoned":
        return dict(tree["abandonment"])
    if kind == "ruling":
        return _one(tree["rulings"], "number", part[1])
    phase = _one(tree["phases"], "number", part[1])
    match kind:
        case "opened":
            return phase_opening(phase, [*_renewals(tree, part[1]), phase][0])
        case "renewed":
            return phase_renewal([*_renewals(tree, part[1]), phase][part[2]])
        case "deadline":
            return _nth(phase["deadline_changes"], part[2])
        case "locked":
            return phase_lock(phase, head(phase["submissions"]))
        case "session":
            return _nth(phase["session_changes"], part[2])
        case "figure":
            hashes = {
                row["number"]: record.reading_hash(row)
                for row in phase["readings"]
                if row["symbol"] == part[2]
            }
            return figure(_one(phase["figures"], "symbol", part[2]), hashes)
    return result(_one(phase["resolutions"], "version", part[2]), phase["draws"], phase["seed"])


def _one(rows: Iterable[Json], key: str, value: object) -> Json:
    for row in rows:
        if row[key] == value:
            return row
    raise LookupError(value)


def _nth(rows: Sequence[Json], number: int) -> Json:
    if number < 1:
        raise LookupError(number)
    return rows[number - 1]


def _renewals(tree: Json, phase: int) -> list[Json]:
    """Return a phase's values before each renewal, in order."""
    return _said(tree, "renewed", phase)


def _said(tree: Json, *name: object, before: int | None = None) -> list[Json]:
    """Return what the entries before a number (None: all) say in parts whose names begin so."""
    return [
        part[-1]
        for row in tree["entries"][: None if before is None else before - 1]
        for part in row["covers"]
        if tuple(part[: len(name)]) == name and isinstance(part[-1], dict)
    ]


def seats(tree: Json, before: Name | None = None) -> dict[str, Json]:
    """Return the seats by nation as they were before the entry that covers a part; None: now.

    They are those at the start, with each change since. Without a start there are none.
    """
    numbers = [
        number
        for number, row in enumerate(tree["entries"], start=1)
        if before is not None
        and any(tuple(part[: len(before)]) == before for part in row["covers"])
    ]
    number = numbers[0] if numbers else None
    at_start = [seat for said in _said(tree, "start") for seat in said["seats"]]
    return {seat["nation"]: seat for seat in (*at_start, *_said(tree, "seat", before=number))}


# --- the check ---


def check(tree: Json) -> Iterator[Found]:
    """Yield what does not follow in the entries of a record.

    Checked are the chain, the order, the leaves, and that each part is covered once.
    """
    known = set(parts(tree))
    covered: set[Name] = set()
    ranks: dict[object, int] = {}
    previous, made = "", ""
    for number, row in enumerate(tree["entries"], start=1):
        where = f"Entry {number}"
        yield from _compare(where, "the number of the entry", row["number"], number)
        chained = {key: row[key] for key in ("number", "made", "leaf", "covers")}
        follows = entry_hash(previous=previous, **chained)
        yield from _compare(where, "the record hash", row["hash"], follows)
        if made and _parse_time(made) - SLACK <= _parse_time(row["made"]) < _parse_time(made):
            late = f"not before the entry before it at {made}"
            yield where, "the time of the entry", row["made"], late
        previous, made = row["hash"], row["made"]
        for part in row["covers"]:
            yield from _part(tree, where, part, known, covered, ranks)
        yield from _leaf(tree, where, row)
    for name in parts(tree):
        if name not in covered:
            yield "", f"the entry of {describe_part(name)}", None, "there"
    yield from _seats(tree)


def _seats(tree: Json) -> Iterator[Found]:
    """Check that the seats are those at the start with their changes since, none left out."""
    recorded = {seat["nation"]: seat for seat in tree["seats"]}
    if expected := seats(tree):  # each once: people would read a second one, or the first
        listed = [seat["nation"] for seat in tree["seats"]]
        yield from _compare("", "the list of seats", listed, list(expected))
    for nation in (recorded | expected) if expected else ():
        actual, follows = recorded.get(nation), expected.get(nation)
        if actual is not None and follows is not None:
            actual = {key: actual[key] for key in follows}
        yield from _compare("", f"the seat of {nation}", actual, follows)


def _part(
    tree: Json,
    where: str,
    part: list[Any],
    known: set[Name],
    covered: set[Name],
    ranks: dict[object, int],
) -> Iterator[Found]:
    """Check that a part is in a record, is covered once and in order, and has the right details."""
    kind = part[0] if part else None
    key_count = NAMED_BY.get(kind, 0) if isinstance(kind, str) else 0
    name = tuple(part[:key_count])
    if (
        not key_count
        or len(part) != key_count + (kind in SAYS)
        or not all(isinstance(key, str | int) for key in name)
    ):
        yield where, "a part", part, "the name of a part of the record"
        return
    # Rulings on a phase without a result are not public yet.
    if name not in known and (kind != "ruling" or tree["complete"]):
        yield where, "a part", list(name), "one that the record has"
    if name in covered:
        yield where, describe_part(name), "covered again", "covered once"
    covered.add(name)
    if kind in _RANKS:
        rank = _RANKS[str(kind)]
        if rank < ranks.get(name[1], 0):
            yield where, describe_part(name), "covered after what follows it", "covered before"
        ranks[name[1]] = max(rank, ranks.get(name[1], 0))
    if kind == "figure" and name in known:
        try:
            follows: object = reading_hashes(content(tree, part))
        except _UNFIT:
            follows = "those of the record"
        subject = f"the list of readings behind {describe_part(name)}"
        yield from _compare(where, subject, part[-1], follows)


def _leaf(tree: Json, where: str, row: Json) -> Iterator[Found]:
    """Check that an entry covers what the record says now. Without its salt nobody can tell."""
    if not row["salt"]:
        if tree["complete"]:
            yield where, "the salt of the entry", "", "there"
        return
    try:
        follows = leaf(row["salt"], [(part, content(tree, part)) for part in row["covers"]])
    except _UNFIT:
        follows = "that of parts which the record has"
    subject = (
        f"the leaf over {', '.join(describe_part(tuple(part)) for part in row['covers'] if part)}"
    )
    yield from _compare(where, subject, row["leaf"], follows)


def _compare(where: str, what: str, recorded: object, follows: object) -> Iterator[Found]:
    if recorded != follows:
        yield where, what, recorded, follows


def describe_part(name: Name) -> str:
    """Return the name of a part in words: “deadline change 2 of phase 3”."""
    keys = (*name[1:], "", "")
    match name[0]:
        case "start":
            return "the start"
        case "abandoned":
            return "the abandonment"
        case "seat":
            return f"change {keys[0]} of a seat"
        case "ruling":
            return f"ruling {keys[0]}"
        case "opened":
            return f"the opening of phase {keys[0]}"
        case "locked":
            return f"the lock of phase {keys[0]}"
        case "renewed":
            return f"renewal {keys[1]} of phase {keys[0]}"
        case "deadline":
            return f"deadline change {keys[1]} of phase {keys[0]}"
        case "session":
            return f"session change {keys[1]} of phase {keys[0]}"
        case "figure":
            return f"the figure of {keys[1]} in phase {keys[0]}"
    return f"version {keys[1]} of the result of phase {keys[0]}"


def _parse_time(written: str) -> datetime:
    return datetime.fromisoformat(written)
