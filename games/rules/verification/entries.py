"""The running record hash: which parts of a record an entry covers, its hash, and the check of all
entries (contract.md 5).

Whatever makes a part of the record writes an entry in the same transaction. An entry covers parts,
each named by a list:

    ["start", said]                       the scenario, the options and the reserve list; `said`:
                                          seats and early closing at the start
    ["opened", phase]                     a phase as it opened, with its first deadline
    ["renewed", phase, n, before]         what an open phase has anew (`RENEWABLE`), for the nth
                                          time; `before`: what it had
    ["deadline", phase, n]                the nth change of its deadline, with the reason
    ["locked", phase]                     orders are closed: digest, head of the ledger, teams,
                                          holders, session
    ["session", phase, n]                 the nth change of its session, with the reason
    ["figure", phase, symbol, readings]   a figure; `readings`: the first 20 digits of the hash of
                                          every reading of that symbol
    ["result", phase, version]            a version of the result, with the digits that it tells
    ["ruling", number]                    a ruling, with its reason

The leaf is SHA-256 over the entry's salt, a zero byte and the JSON of [[part, content], ...]; the
content is taken from the record. The entry's hash is SHA-256 over the JSON of {previous, number,
made, leaf, covers}. JSON: keys sorted, no blanks, in UTF-8. The record hash is the hash of the
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
from . import record

#: A part's kind and what names it: what comes first in its list.
Name = tuple[Any, ...]
#: Difference: where it stands, what, what is recorded, and what should be there.
Found = tuple[str, str, object, object]

#: How many items of a part name it, its kind included. One more item says what the record says
# nowhere else (`SAYS`).
NAMED_BY = {
    "start": 1,
    "opened": 2,
    "renewed": 3,
    "deadline": 3,
    "locked": 2,
    "session": 3,
    "figure": 3,
    "result": 3,
    "ruling": 2,
}
SAYS = ("start", "renewed", "figure")
#: What may change of a phase while it is open; each change is a part of its own.
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
#: So many digits of a hash are shown where the whole is too long.
SHOWN = 20
#: Clocks of two machines differ by less. An entry that is further back was made after a clock had
# been set back.
SLACK = timedelta(minutes=1)
#: What a document may raise that has other types than a record in some place.
_UNFIT = (LookupError, TypeError, ValueError, AttributeError)


# --- hashes ---


def leaf(salt: str, parts: Sequence[tuple[list[Any], object]]) -> str:
    """Hash what an entry covers: each part with its content, behind the entry's salt."""
    return sha256(salt.encode() + b"\0" + record.canonical(parts)).hexdigest()


def entry_hash(
    *, previous: str, number: int, made: str, leaf: str, covers: Sequence[list[Any]]
) -> str:
    """Hash an entry together with the hash before it: the record hash from then on."""
    what = {"previous": previous, "number": number, "made": made, "leaf": leaf, "covers": covers}
    return sha256(record.canonical(what)).hexdigest()


# --- what letters show ---


def record_line(game: int, record_hash: str) -> str:
    """Return the line by which a letter about a game shows the record hash."""
    return f"Record hash of game {game}: {record_hash[:SHOWN]}"


def submission_line(game: int, hash_of_it: str) -> str:
    """Return the line by which a receipt shows the hash of what was received.

    Its number in the record would say how much others have sent.
    """
    return f"Hash of this submission to game {game}: {hash_of_it[:SHOWN]}"


# --- what the parts contain, from the rows of a record ---


def start(tree: Json, said: Json) -> Json:
    kept = ("game", "card", "options", "reserves", "market", "second_source", "strict_evening")
    told = {key: tree[key] for key in (*kept, "started")}
    return told | {"secret_hash": tree.get("secret_hash", ""), **said}


def phase_opening(phase: Json, values: Mapping[str, Any]) -> Json:
    """A phase as it opened. `values`: what it had then of `RENEWABLE`."""
    changes = phase["deadline_changes"]
    told = {key: phase[key] for key in ("number", "turn", "kind", "previous")}
    return (
        told
        | {"deadline": changes[0]["old"] if changes else phase["deadline"]}
        | phase_renewal(values)
    )


def phase_renewal(values: Mapping[str, Any]) -> Json:
    return {
        "opened": values["opened"],
        "seed_hash": values.get("seed_hash", ""),
        "controllers": values.get("controllers", {}),
    }


def phase_lock(phase: Json, head: str) -> Json:
    """Return a phase as closed, with the `head` of the ledger. A later session is its own part."""
    kept = ("locked", "digest", "leaves", "missed", "holders", "stocks", "policy")
    told = {key: phase[key] for key in kept}
    session, changes = phase["session"], phase.get("session_changes", ())
    if session and changes:
        first = {end: changes[0][f"old_{end}"] for end in ("opens", "closes")}
        session = {"exchange": session["exchange"], "label": changes[0]["old"], **first}
    return told | {"teams": phase.get("teams", {}), "session": session, "head": head}


def head(submissions: Iterable[Json]) -> str:
    """Return the head of the ledger at a lock: the hash of the phase's newest submission that came
    in time, empty where none did."""
    in_time = [row for row in submissions if not row["late"]]
    return str(max(in_time, key=lambda row: int(row["number"]))["hash"]) if in_time else ""


def figure(row: Json, hashes: Mapping[int, str]) -> Json:
    """A figure, with the hashes of its readings and of every reading of its symbol. `hashes`: of
    all these, by number of the reading."""
    told = {key: row[key] for key in ("symbol", "volume", "reason", "settled")}
    return told | {
        "readings": sorted(hashes[number] for number in row["readings"]),
        "seen": sorted(hashes.values()),
    }


def result(row: Json, draws: Iterable[Json], seed: str) -> Json:
    """A version of a result. `draws` are all of its phase."""
    kept = ("orders", "events", "remarks", "after", "scores", "winners", "closing", "resolved")
    told = {key: row[key] for key in (*kept, "after_ruling", "ruling")}
    return told | {"draws": draws_in_events(row["events"], draws), "seed": seed}


def draws_in_events(events: Iterable[Json], draws: Iterable[Json]) -> list[Json]:
    """Return those of a phase's draws that these events tell."""
    told = list(digits_in_events(events))
    return (
        [draw for draw in draws if any(all(draw[key] == one[key] for key in one) for one in told)]
        if told
        else []
    )


def reading_hashes(content: Json) -> list[str]:
    """Return what a part of a figure says beside its name, from its content."""
    return [one[:SHOWN] for one in content["seen"]]


# --- the parts of a record ---


def parts(tree: Json) -> list[Name]:
    """Return the names of all parts of a record in the order they come about, rulings last."""
    found: list[Name] = [("start",)] if tree["phases"] else []
    for phase in tree["phases"]:
        number = phase["number"]
        found.append(("opened", number))
        found += [("renewed", number, n) for n in range(1, len(_renewals(tree, number)) + 1)]
        found += [("deadline", number, n) for n in range(1, len(phase["deadline_changes"]) + 1)]
        found += [("locked", number)] if phase["locked"] is not None else []
        found += [
            ("session", number, n) for n in range(1, len(phase.get("session_changes", ())) + 1)
        ]
        if phase["resolutions"]:  # the figures of a phase that comes to no result decide nothing
            found += [("figure", number, row["symbol"]) for row in phase["figures"]]
        found += [("result", number, row["version"]) for row in phase["resolutions"]]
    return found + [("ruling", row["number"]) for row in tree.get("rulings", ())]


def content(tree: Json, part: list[Any]) -> Json:
    """Return what a part contains. Raises `LookupError` for one that the record does not have."""
    kind, said = part[0], part[-1]
    if kind == "start":
        return start(tree, said)
    if kind == "ruling":
        return _one(tree.get("rulings", ()), "number", part[1])
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
            return _nth(phase.get("session_changes", ()), part[2])
        case "figure":
            hashes = {
                one["number"]: record.reading_hash(one)
                for one in phase["readings"]
                if one["symbol"] == part[2]
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
    """Return what a phase had before each renewal, in order."""
    return [
        part[3]
        for row in tree["entries"]
        for part in row["covers"]
        if part[:2] == ["renewed", phase] and len(part) == 4
    ]


def first_entry(tree: Json) -> list[tuple[list[Any], Json]]:
    """Return every part of a record that has no entries yet, with its content: what the first entry
    of an old game covers.

    What was never written down is taken as it is now.
    """
    found: list[tuple[list[Any], Json]] = []
    for name in parts(tree):
        part = list(name)
        if name[0] == "start":
            part.append({"may_lock_early": tree["may_lock_early"], "seats": tree["seats"]})
        told = content(tree, part)
        found.append(([*part, reading_hashes(told)] if name[0] == "figure" else part, told))
    return found


# --- the check ---


def check(tree: Json) -> Iterator[Found]:
    """Find what does not follow in the entries of a record: chain, order, leaves, and whether each
    part is covered once.

    A record without any was made before there were entries, or of a game that has made none since.
    """
    rows = tree.get("entries", ())
    if not rows:
        return
    known = set(parts(tree))
    covered: set[Name] = set()
    ranks: dict[object, int] = {}
    previous, made = "", ""
    for number, row in enumerate(rows, start=1):
        where = f"Entry {number}"
        yield from _compare(where, "the number of the entry", row["number"], number)
        chained = {key: row[key] for key in ("number", "made", "leaf", "covers")}
        follows = entry_hash(previous=previous, **chained)
        yield from _compare(where, "the record hash", row["hash"], follows)
        if made and _at(made) - SLACK <= _at(row["made"]) < _at(made):
            late = f"not before the entry before it at {made}"
            yield where, "the time of the entry", row["made"], late
        previous, made = row["hash"], row["made"]
        for part in row["covers"]:
            yield from _part(tree, where, part, known, covered, ranks)
        yield from _leaf(tree, where, row)
    for name in parts(tree):
        if name not in covered:
            yield "", f"the entry of {in_words(name)}", None, "there"


def _part(
    tree: Json,
    where: str,
    part: list[Any],
    known: set[Name],
    covered: set[Name],
    ranks: dict[object, int],
) -> Iterator[Found]:
    """A part stands in a record, is covered once and in its order, and says what it should."""
    kind = part[0] if part else None
    wanted = NAMED_BY.get(kind, 0) if isinstance(kind, str) else 0
    name = tuple(part[:wanted])
    if (
        not wanted
        or len(part) != wanted + (kind in SAYS)
        or not all(isinstance(one, str | int) for one in name)
    ):
        yield where, "a part", part, "the name of a part of the record"
        return
    # Rulings on a phase without a result are not public yet.
    if name not in known and (kind != "ruling" or tree["complete"]):
        yield where, "a part", list(name), "one that the record has"
    if name in covered:
        yield where, in_words(name), "covered again", "covered once"
    covered.add(name)
    if kind in _RANKS:
        rank = _RANKS[str(kind)]
        if rank < ranks.get(name[1], 0):
            yield where, in_words(name), "covered after what follows it", "covered before"
        ranks[name[1]] = max(rank, ranks.get(name[1], 0))
    if kind == "figure" and name in known:
        try:
            follows: object = reading_hashes(content(tree, part))
        except _UNFIT:
            follows = "those of the record"
        what = f"the list of readings behind {in_words(name)}"
        yield from _compare(where, what, part[-1], follows)


def _leaf(tree: Json, where: str, row: Json) -> Iterator[Found]:
    """What an entry covers is what the record says now. Without its salt nobody can tell."""
    if not row["salt"]:
        if tree["complete"]:
            yield where, "the salt of the entry", "", "there"
        return
    try:
        follows = leaf(row["salt"], [(part, content(tree, part)) for part in row["covers"]])
    except _UNFIT:
        follows = "that of parts which the record has"
    what = f"the leaf over {', '.join(in_words(tuple(part)) for part in row['covers'] if part)}"
    yield from _compare(where, what, row["leaf"], follows)


def _compare(where: str, what: str, recorded: object, follows: object) -> Iterator[Found]:
    if recorded != follows:
        yield where, what, recorded, follows


def in_words(name: Name) -> str:
    """“the deadline change 2 of phase 3”."""
    keys = (*name[1:], "", "")
    match name[0]:
        case "start":
            return "the start"
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


def _at(written: str) -> datetime:
    return datetime.fromisoformat(written)
