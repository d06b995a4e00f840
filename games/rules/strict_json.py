"""JSON from strangers: what Python's parser lets pass or dies of is refused with a sentence.

Two readers of one file must never see two documents. Duplicate keys, NaN and numbers that other
programs round are read differently by different parsers, and a deep nesting ends the process.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from . import RulesError

DEEPEST = 50
LEAST, MOST = -(2**63), 2**63 - 1
#: A text with its escapes, the last one perhaps never closed; or a bracket.
_MARKS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
_LONGEST_QUOTE = 40


class DocumentError(RulesError):
    """A document that is not read. `str()` is one sentence that quotes the key or number."""


def loads(text: str) -> Any:
    """Return the tree of a JSON document.

    Raises `DocumentError` for what is no JSON, and for duplicate keys, NaN and infinite numbers,
    numbers beyond 64 bits, and more than `DEEPEST` levels.
    """
    _check_depth(text)
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_fraction,
            parse_constant=_constant,
        )
    except ValueError as error:
        raise DocumentError(str(error)) from error


def check(tree: Any) -> None:
    """Raise `DocumentError` where a tree from another parser (TOML) has what `loads` refuses."""
    rest: list[tuple[Any, str, int]] = [(tree, "", 0)]
    while rest:
        value, where, depth = rest.pop()
        at = f"“{_short(where)}”: " if where else ""
        if isinstance(value, dict | list) and depth >= DEEPEST:
            raise DocumentError(f"{at}{_too_deep()}")
        if isinstance(value, dict):
            rest += [
                (item, f"{where}.{key}" if where else str(key), depth + 1)
                for key, item in value.items()
            ]
        elif isinstance(value, list):
            rest += [(item, f"{where}[{place}]", depth + 1) for place, item in enumerate(value)]
        elif isinstance(value, int) and not LEAST <= value <= MOST:
            raise DocumentError(
                f"{at}{_too_large(str(value) if value.bit_length() < 1000 else hex(value))}"
            )
        elif isinstance(value, float) and not math.isfinite(value):
            raise DocumentError(f"{at}{value} is not a number that JSON knows")


def _check_depth(text: str) -> None:
    depth = 0
    for mark in _MARKS.finditer(text):
        if mark[0] in "[{":
            depth += 1
            if depth > DEEPEST:
                line = text.count("\n", 0, mark.start()) + 1
                raise DocumentError(f"line {line} is {_too_deep()}")
        elif mark[0] in "]}":
            depth -= 1


def _too_deep() -> str:
    return f"nested deeper than {DEEPEST} levels"


def _too_large(number: str) -> str:
    return f"the number {_short(number)} does not fit in 64 bits"


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST_QUOTE else f"{words[: _LONGEST_QUOTE - 1]}…"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in pairs:
        if key in tree:
            raise DocumentError(
                f"the key “{_short(key)}” stands twice in one object; keep one of them"
            )
        tree[key] = value
    return tree


def _whole(digits: str) -> int:
    # Nineteen digits and a sign. Longer ones are not even turned into a number: that takes forever.
    if len(digits) > 20 or not LEAST <= int(digits) <= MOST:
        raise DocumentError(_too_large(digits))
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise DocumentError(_too_large(digits))
    return number


def _constant(name: str) -> float:
    raise DocumentError(f"{name} is not a number that JSON knows")
