"""The checker as a program of its own: `python checker.pyz FILE` (contract.md 1, verify). Nothing
but Python's standard library."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import Json, strict_json
from . import letters, market, verify
from .record import RecordError

USAGE = (
    "Give the file of one record, as it is downloaded from the page of a game, or - for standard"
    " input.\nWith --letters FILE... the hashes in your letters are compared with it: RECORD"
    " --letters FILE..."
)
LETTERS = "--letters"


class Unreadable(Exception):
    """A file that is no JSON document. `str()` is one sentence."""


def read(name: str) -> Any:
    """The JSON document in a file, or on standard input for "-"."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Unreadable(f"{name} cannot be read: {error}") from error
    try:
        return strict_json.loads(text)
    except strict_json.DocumentError as error:
        raise Unreadable(f"{name} is no JSON document: {error}") from error


def read_letters(names: Sequence[str]) -> list[letters.Letter]:
    """The letters in files. Raises `Unreadable`."""
    found = []
    for name in names:
        try:
            found += letters.read(name, Path(name).read_bytes())
        except OSError as error:
            raise Unreadable(f"{name} cannot be read: {error}") from error
        except letters.LetterError as error:
            raise Unreadable(str(error)) from error
    return found


def verdict(tree: Any) -> tuple[bool, str]:
    """Whether every published result follows, and a sentence: how much was checked, or the first
    difference.

    Raises `RecordError` for a document that is no record.
    """
    first = next(verify.differences(tree), None)
    if first is not None:
        return False, str(first)
    return True, " ".join(
        part
        for part in (_describe_checks(tree), _describe_gaps(tree), _describe_assumptions(tree))
        if part
    )


def _describe_checks(tree: Json) -> str:
    found = verify.counts(tree)
    phases, digits = _number(found.phases, "phase"), _number(found.digits, "digit")
    if found.withheld:
        orders = f"the orders of {_number(found.withheld, 'result')}"
        return (
            f"This is the public record of a running game: {orders} are withheld until it is over."
            f" What is published agrees: {phases}, {digits}."
        )
    submissions, results = _number(found.submissions, "submission"), _number(found.judged, "result")
    return f"All {phases} follow: {submissions}, {digits} and {results} checked."


def _describe_gaps(tree: Json) -> str:
    """What a record from before cannot be checked for; "" for one that has everything."""
    drawn = [phase for phase in tree["phases"] if phase["session"]]
    old = [str(phase["number"]) for phase in drawn if not phase.get("policy")]
    lacks = []
    if old:
        whose = (
            "the figures" if len(old) == len(drawn) else f"the figures of phase {', '.join(old)}"
        )
        lacks += [
            f"{whose} settle from their readings",
            "the sessions are those of the exchange's calendar",
        ]
    if tree["phases"] and not tree.get("entries"):
        lacks.append("your letters match it, for it has no record hashes")
    return f"This record is too old to check that {' and that '.join(lacks)}." if lacks else ""


def _describe_assumptions(tree: Json) -> str:
    """What is taken from the record as it says; "" for nothing."""
    beacons = sum(
        row["source"] == market.DRAND for phase in tree["phases"] for row in phase["readings"]
    )
    if not beacons:
        return ""
    return (
        f"{_number(beacons, 'digit')} of drand’s beacon"
        f" {'follows' if beacons == 1 else 'follow'} from the signature in the record. Whether"
        " drand signed it is not checked here: compare the round with drand’s own."
    )


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def main(arguments: Sequence[str]) -> int:
    """0 where every result follows and every letter matches, 1 where not (the first difference is
    printed), 2 for what cannot be read."""
    place = arguments.index(LETTERS) if LETTERS in arguments else len(arguments)
    names = arguments[place + 1 :]
    if place != 1 or (place < len(arguments) and not names):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        tree, found = read(arguments[0]), read_letters(names)
        answers = [verdict(tree)]
    except (Unreadable, RecordError) as error:
        print(error, file=sys.stderr)
        return 2
    if names:
        answers.append(letters.compare(tree, found))
    for _, sentence in answers:
        print(sentence)
    return 0 if all(follows for follows, _ in answers) else 1
