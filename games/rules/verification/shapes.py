"""What the values in a record may be: text, whole numbers, lists, objects with certain keys.

Each is a function that raises `RecordError`, naming the key, for any other value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from .. import Json
from . import record
from .record import RecordError

#: Ten years, in seconds: no figure takes longer.
_LONGEST = 10 * 366 * 86400

#: Takes a value and the key where it stands.
Check = Callable[[Any, str], None]


class UnknownKey(RecordError):
    """A record with a key that no record has, which people might read instead of the true one."""

    def __init__(self, where: str, value: object) -> None:
        strange = sorted({sign for sign in where if not sign.isascii()})
        signs = ", ".join(f"“{sign}” is U+{ord(sign):04X}" for sign in strange)
        self.key, self.value = f"“{where}”{f' ({signs})' if signs else ''}", value
        super().__init__(f"The record has a key that no record has: {self.key}.")


def wrong(where: str, wanted: str) -> RecordError:
    """Return the error of a value that its key may not have."""
    return RecordError(f"The record is damaged: “{where}” is not {wanted}.")


def text(value: Any, where: str) -> None:
    if not isinstance(value, str):
        raise wrong(where, "text")
    if "\0" in value:
        raise wrong(where, "text without zero characters")


def whole_number(value: Any, where: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong(where, "a whole number")


def flag(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        raise wrong(where, "true or false")


def instant(value: Any, where: str) -> None:
    text(value, where)
    try:
        moment = datetime.fromisoformat(value)
        # Other years leave what can be computed with, in any zone.
        fits = 1970 <= moment.year < 3000 and record.instant(moment) == value
    except ValueError:
        fits = False
    if not fits:
        raise wrong(where, "an instant in UTC such as 2026-11-24T14:00:00+00:00")


def day(value: Any, where: str) -> None:
    text(value, where)
    try:
        fits = date.fromisoformat(value).isoformat() == value
    except ValueError:
        fits = False
    if not fits:
        raise wrong(where, "a day such as 2026-11-24")


def seconds(value: Any, where: str) -> None:
    whole_number(value, where)
    if not 0 <= value <= _LONGEST:
        raise wrong(where, f"a number of seconds from 0 to {_LONGEST:,}")


def anything(value: Any, where: str) -> None:
    """Accept everything."""


def table(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        raise wrong(where, "an object")


def or_none(check: Check) -> Check:
    def check_value(value: Any, where: str) -> None:
        if value is not None:
            check(value, where)

    return check_value


def one_of(*words: str) -> Check:
    def check_value(value: Any, where: str) -> None:
        if value not in words:
            raise wrong(where, f"one of {', '.join(words)}")

    return check_value


def list_of(check: Check) -> Check:
    def check_value(value: Any, where: str) -> None:
        if not isinstance(value, list):
            raise wrong(where, "a list")
        for index, item in enumerate(value):
            check(item, f"{where}[{index}]")

    return check_value


def map_of(check: Check) -> Check:
    def check_value(value: Any, where: str) -> None:
        table(value, where)
        for key, item in value.items():
            check(item, f"{where}.{key}")

    return check_value


class Form:
    """A part of a record: an object with these keys and no others, but for those it `may_have`.

    Rows are written by their form, and restored by it (`games.records.archive`).
    """

    def __init__(self, may_have: Mapping[str, Check] | None = None, /, **keys: Check) -> None:
        self.keys, self._optional = keys, may_have or {}

    def __call__(self, value: Any, where: str) -> None:
        """Raise `RecordError`, naming the key, where a value does not have this form."""
        table(value, where)
        for key, check in self.keys.items():
            path = f"{where}.{key}" if where else key
            if key not in value:
                raise RecordError(f"The record is damaged: “{path}” is missing.")
            check(value[key], path)
        for key in [key for key in value if key not in self.keys]:
            path = f"{where}.{key}" if where else key
            if key not in self._optional:
                raise UnknownKey(path, value[key])
            self._optional[key](value[key], path)

    def write(self, row: object, **others: Any) -> Json:
        """Return a row of the database in this form. `others`: what the row does not say so.

        The attribute of a key has its name, or that of an instant its name with “_at”.
        """
        written: Json = {}
        for key in self.keys:
            name = key if hasattr(type(row), key) else f"{key}_at"
            value = others[key] if key in others else getattr(row, name)
            written[key] = record.instant(value) if isinstance(value, datetime) else value
        return written
