"""Read JSON from strangers, refusing what Python's parser accepts or crashes on.

Two readers of one file must never see two documents. Different parsers read duplicate keys, NaN and
numbers that other programs round in different ways, and deep nesting ends the process.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from . import RulesError

DEEPEST = 50
LEAST, MOST = -(2**63), 2**63 - 1
#: A string with its escapes, perhaps not closed at the end of the text; or a bracket.
_MARKS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
_LONGEST_QUOTE = 40


class DocumentError(RulesError):
    """A refused document. `str()` is one sentence that quotes the key or number."""


def loads(text: str) -> Any:
    """Return the tree of a JSON document.

    Raise `DocumentError` for text that is not JSON, and for duplicate keys, NaN and infinite
    numbers, numbers beyond 64 bits, and more than `DEEPEST` levels.
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
            raise DocumentError(f"{at}{_depth_fault()}")
        if isinstance(value, dict):
            rest += [
                (item, f"{where}.{key}" if where else str(key), depth + 1)
                for key, item in value.items()
            ]
        elif isinstance(value, list):
            rest += [(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(value)]
        elif isinstance(value, int) and not LEAST <= value <= MOST:
            raise DocumentError(
                f"{at}{_size_fault(str(value) if value.bit_length() < 1000 else hex(value))}"
            )
        elif isinstance(value, float) and not math.isfinite(value):
            raise DocumentError(f"{at}{value} is not a number that JSON allows")


def _check_depth(text: str) -> None:
    depth = 0
    for mark in _MARKS.finditer(text):
        if mark[0] in "[{":
            depth += 1
            if depth > DEEPEST:
                line = text.count("\n", 0, mark.start()) + 1
                raise DocumentError(f"line {line} is {_depth_fault()}")
        elif mark[0] in "]}":
            depth -= 1


def _depth_fault() -> str:
    return f"nested deeper than {DEEPEST} levels"


def _size_fault(number: str) -> str:
    return f"the number {_short(number)} does not fit in 64 bits"


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST_QUOTE else f"{words[: _LONGEST_QUOTE - 1]}…"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in pairs:
        if key in tree:
            raise DocumentError(f"the key “{_short(key)}” is in one object twice; keep one of them")
        tree[key] = value
    return tree


def _whole(digits: str) -> int:
    # 19 digits and a sign. Longer texts are not even converted, because that takes too long.
    if len(digits) > 20 or not LEAST <= int(digits) <= MOST:
        raise DocumentError(_size_fault(digits))
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise DocumentError(_size_fault(digits))
    return number


def _constant(name: str) -> float:
    raise DocumentError(f"{name} is not a number that JSON allows")
