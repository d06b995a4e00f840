"""The checker as a stand-alone program: `python checker.pyz FILE`.

It needs nothing but Python's standard library.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import Json, strict_json
from ..names import count_of
from ..plain.editions import EDITION
from . import letters, verify
from .record import RecordError

USAGE = (
    "Give the file of one record, as downloaded from the page of a game, or - for standard"
    " input.\nTo compare the hashes in your letters with it, write RECORD --letters FILE..."
)
LETTERS = "--letters"


class UnreadableFile(Exception):
    """A file that is not a JSON document. `str()` is one sentence."""


def read(name: str) -> Any:
    """Return the JSON document in a file, or on standard input for "-"."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{name} cannot be read: {error}") from error
    try:
        return strict_json.loads(text)
    except strict_json.DocumentError as error:
        raise UnreadableFile(f"{name} is not a JSON document: {error}") from error


def read_letters(names: Sequence[str]) -> list[letters.Letter]:
    """Return the letters in files. Raise `UnreadableFile`."""
    messages = []
    for name in names:
        try:
            messages += letters.read(name, Path(name).read_bytes())
        except OSError as error:
            raise UnreadableFile(f"{name} cannot be read: {error}") from error
        except letters.LetterError as error:
            raise UnreadableFile(str(error)) from error
    return messages


def verdict(tree: Any) -> tuple[bool, str]:
    """Return whether every published result follows, and a sentence.

    The sentence says how much was checked, or gives the first difference. Raise `RecordError` for a
    document that is not a record.
    """
    first = next(verify.differences(tree), None)
    if first is not None:
        return False, str(first)
    return True, _describe_checks(tree)


def _describe_checks(tree: Json) -> str:
    counts = verify.counts(tree)
    phases, digits = count_of(counts.phases, "phase"), count_of(counts.digits, "digit")
    if not tree["complete"]:
        orders = f"the orders of {count_of(counts.withheld, 'result')}"
        return (
            f"This is the public record of a running game: {orders} are withheld until it is over."
            f" What is published agrees: {phases}, {digits}."
        )
    submissions, results = (
        count_of(counts.submissions, "submission"),
        count_of(counts.judged, "result"),
    )
    sentence = f"All {phases} follow: {submissions}, {digits} and {results} checked."
    if counts.before:
        sentence += f" {_describe_editions(counts.before)}"
    abandonment = tree["abandonment"]
    if abandonment is None:
        return sentence
    why = " ".join(text for key in ("words", "reason") if (text := abandonment[key]))
    return f"This is the record of an abandoned game: “{why}” {sentence}"


def _describe_editions(before: Mapping[int, int]) -> str:
    """Return what was not checked: how other editions of the reader understood orders."""
    listed = " and ".join(
        f"{count_of(count, 'submission')} by edition {edition}"
        for edition, count in sorted(before.items())
    )
    return (
        f"Other editions of the reader of plain orders than this one ({EDITION}) read {listed}:"
        " those were judged from what the record says was understood. Compare that with the"
        " receipts, or check the record with a version of that edition."
    )


def main(arguments: Sequence[str]) -> int:
    """Return 0 if all results and letters match, 1 if not, 2 if a file is unreadable.

    For 1 it prints the first difference.
    """
    index = arguments.index(LETTERS) if LETTERS in arguments else len(arguments)
    names = arguments[index + 1 :]
    if index != 1 or (index < len(arguments) and not names):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        tree, messages = read(arguments[0]), read_letters(names)
        answers = [verdict(tree)]
    except (UnreadableFile, RecordError) as error:
        print(error, file=sys.stderr)
        return 2
    if names:
        answers.append(letters.compare(tree, messages))
    for _, sentence in answers:
        print(sentence)
    return 0 if all(follows for follows, _ in answers) else 1
