"""Cards: one scenario's printed sheet as data (contract 2), found by game and name, and what all games share in checking them.

Each fault names its key, so that a gamesmaster who types in a sheet finds the place at once.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import Json, RulesError
from ..names import fold

PROVENANCES = ("printed", "reconstruction", "house")
_HERE = Path(__file__).parent
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Marks and key words of the order language: a name that held one could never be written in an order.
_MARKS = re.compile(r"[:;,/#+\n\r]")
_KEY_WORDS = {"stock", "else", "min", "with"}


class CardError(RulesError):
    """A fault of a card: `key` is where ("allocation.USA", or "" for the whole file), `fault` says what is wrong there."""

    def __init__(self, key: str, fault: str, file: str = "") -> None:
        self.key = key
        self.fault = fault
        self.file = file
        super().__init__(": ".join(part for part in (file, key, fault) if part))

    def within(self, file: str) -> CardError:
        """The same fault with the name of the file that it was found in."""
        return CardError(self.key, self.fault, file)


def names(game: str) -> tuple[str, ...]:
    """The cards that come with the service, the historical one first where there is one."""
    if not _SLUG.fullmatch(game):
        return ()
    found = sorted(path.stem for path in (_HERE / game).glob("*.toml"))
    return tuple(sorted(found, key=lambda name: (name not in ("historical", "standard"), name)))


def load(game: str, name: str) -> Json:
    """A shipped card as a JSON tree of the caller's own. Raises `RulesError` for a name that is not there."""
    if name not in names(game):
        raise RulesError(f"unknown card “{name}” of {game}; known are {', '.join(names(game)) or 'none'}")
    tree: Json = json.loads(_shipped(game, name))  # three times as quick as a deep copy, and the tree is JSON all the same
    return tree


@lru_cache(maxsize=64)
def _shipped(game: str, name: str) -> str:
    return json.dumps(read_toml(_HERE / game / f"{name}.toml"))


def read_toml(source: Path | bytes) -> Json:
    """The tree of a card file, from its path or its bytes. Raises `CardError` where it is no TOML."""
    file = "" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else source.read_bytes()
        return tomllib.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise CardError("", f"the file cannot be read ({error.strerror})", file) from error
    except UnicodeDecodeError as error:
        raise CardError("", f"the file is not UTF-8 text (byte {error.start + 1})", file) from error
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise CardError("", f"the file is not TOML: {error}", file) from error


def check(tree: Json) -> None:
    """Asks the ruleset that the card names. Raises `CardError`."""
    from .. import ruleset

    game = text(tree, "game")
    try:
        rules = ruleset(game)
    except RulesError as error:
        raise CardError("game", str(error)) from error
    rules.check_card(tree)


# What follows takes one key out of a tree and says in a sentence what is wrong with it.


def known_keys(tree: Json, known: Collection[str], where: str = "") -> None:
    for key in tree:
        if key not in known:
            raise CardError(f"{where}{key}", f"unknown key; known are {', '.join(known)}")


def present(tree: Json, key: str) -> Any:
    if key not in tree:
        raise CardError(key, "is missing")
    return tree[key]


def text(tree: Json, key: str) -> str:
    value = present(tree, key)
    if not isinstance(value, str) or not value.strip():
        raise CardError(key, "must be text")
    return value


def slug(tree: Json, key: str) -> str:
    value = text(tree, key)
    if not _SLUG.fullmatch(value):
        raise CardError(key, "must be small letters, digits and single hyphens, such as my-own-card")
    return value


def one_of(tree: Json, key: str, values: Collection[str]) -> str:
    value = text(tree, key)
    if value not in values:
        raise CardError(key, f"“{value}” must be one of {', '.join(values)}")
    return value


def whole(value: object, key: str, least: int) -> int:
    """A whole number of `least` or more. TOML's and JSON's true is not a number."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise CardError(key, f"must be a whole number of {least} or more")
    return value


def table(value: object, key: str) -> Json:
    if not isinstance(value, dict):
        raise CardError(key, "must be a table")
    return value


def name_list(tree: Json, key: str) -> tuple[str, ...]:
    """Names that can be written in orders, no two of them the same to a reader."""
    value = present(tree, key)
    if not isinstance(value, list) or not value:
        raise CardError(key, "must be a list of names")
    seen: dict[str, str] = {}
    for place, name in enumerate(value):
        where = f"{key}[{place}]"
        if not isinstance(name, str) or not fold(name):
            raise CardError(where, "must be a name")
        if name != " ".join(name.split()) or _MARKS.search(name) or name.endswith("."):
            raise CardError(where, f"“{name}” must have no colon, comma, stroke, #, +, semicolon, outer blank or closing full stop")
        if _KEY_WORDS & set(fold(name).split()):
            raise CardError(where, f"“{name}” must not hold a key word of the order language (STOCK, ELSE, MIN, WITH)")
        if fold(name) in seen:
            raise CardError(where, f"“{name}” stands there twice")
        seen[fold(name)] = name
    return tuple(value)


def yearly(value: object, key: str, turns: int) -> tuple[int, ...]:
    """One whole number a turn."""
    if not isinstance(value, list):
        raise CardError(key, "must be a list of whole numbers")
    if len(value) != turns:
        raise CardError(key, f"must have {turns} numbers, one a turn, and has {len(value)}")
    return tuple(whole(number, f"{key}[{turn}]", 0) for turn, number in enumerate(value))
