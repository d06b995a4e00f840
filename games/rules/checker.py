"""The checker as a program of its own: `python checker.pyz FILE` (contract.md 1, verify). Nothing but Python's standard library."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import Json, strict_json, verify
from .record import RecordError

USAGE = "Give the file of one record, as it is downloaded from the page of a game, or - for standard input."


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


def verdict(tree: Any) -> tuple[bool, str]:
    """Whether every published result follows, and a sentence: how much was checked, or the first difference.

    Raises `RecordError` for a document that is no record.
    """
    first = next(verify.differences(tree), None)
    return (False, str(first)) if first is not None else (True, _checked(tree))


def _checked(tree: Json) -> str:
    found = verify.counts(tree)
    phases, digits = _number(found.phases, "phase"), _number(found.digits, "digit")
    if found.withheld:
        withheld = f"the orders of {_number(found.withheld, 'result')} are withheld until it is over"
        return f"This is the public record of a running game: {withheld}. What is published agrees: {phases}, {digits}."
    submissions, results = _number(found.submissions, "submission"), _number(found.judged, "result")
    return f"All {phases} follow: {submissions}, {digits} and {results} checked."


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def main(arguments: Sequence[str]) -> int:
    """0 where every result follows, 1 where one does not (the first difference is printed), 2 for what is no record."""
    if len(arguments) != 1:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        follows, sentence = verdict(read(arguments[0]))
    except (Unreadable, RecordError) as error:
        print(error, file=sys.stderr)
        return 2
    print(sentence)
    return 0 if follows else 1
