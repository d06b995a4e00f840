"""Write a card as a TOML file, laid out like those of the service."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
WIDEST = 110


def to_toml(card: Mapping[str, Any]) -> str:
    """Return the file's text. `tomllib` reads the same card from it, complete or not."""
    tables = [key for key, value in card.items() if isinstance(value, Mapping)]
    lines = [f"{_key(key)} = {_value(value)}" for key, value in card.items() if key not in tables]
    for key in tables:
        inner = card[key]
        if inner and all(isinstance(value, Mapping) for value in inner.values()):
            for name, rows in inner.items():
                lines += ["", f"[{_key(key)}.{_key(name)}]", *_rows(rows)]
        else:
            lines += ["", f"[{_key(key)}]", *_rows(inner)]
    return "\n".join(lines) + "\n"


def _rows(table: Mapping[str, Any]) -> Iterable[str]:
    return (f"{_key(key)} = {_value(value)}" for key, value in table.items())


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    """Return a basic string: like JSON's, except for DEL, which JSON does not escape."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return _list([_value(inner) for inner in value])
    return _text(str(value))


def _list(values: list[str]) -> str:
    """Return a list on one line if it fits, else over several filled lines."""
    single_line = f"[{', '.join(values)}]"
    if len(single_line) <= WIDEST:
        return single_line
    lines, line = [], ""
    for value in values:
        if line and len(line) + len(value) + 2 > WIDEST:
            lines.append(line)
            line = ""
        line += (" " if line else "") + value + ","
    return "[\n    " + "\n    ".join([*lines, line]) + "\n]"
