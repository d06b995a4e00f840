"""Cards: the scenarios as data, found by game and name.

Checks that all games share are here, too. Each fault names its key, so that a gamesmaster who types
in a scenario finds the place at once.
"""

from __future__ import annotations

import json
import marshal
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .. import Json, RulesError, strict_json
from ..names import Vocabulary, fold, vocabulary

C = TypeVar("C")
PROVENANCES = ("printed", "reconstruction", "house")
_HERE = Path(__file__).parent
#: Folders of cards, for games that bring their own.
FOLDERS: dict[str, Path] = {}
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Marks and key words of the order language: a name that contains one could never be written in an
# order.
_MARKS = re.compile(r"[:;,/#+\n\r]")
#: A dotted key of too many levels. The standard library keeps all its beginnings: 64 kB of them
#: took twelve seconds. Each start is tried once, and without going back.
_PART = r"""(?>"[^"\n]*"|'[^'\n]*'|[\w-]+)[ \t]*+\.[ \t]*+"""
_TOO_DEEP = re.compile(rf"""(?<![\w."'-])(?:{_PART}){{{strict_json.DEEPEST}}}""", re.ASCII)
_KEY_WORDS = {"stock", "else", "min", "with"}


class CardError(RulesError):
    """A fault of a card.

    `key` is its place ("allocation.USA", or "" for the whole file); `fault` says what is wrong
    there.
    """

    def __init__(self, key: str, fault: str, file: str = "") -> None:
        self.key = key
        self.fault = fault
        self.file = file
        super().__init__(": ".join(part for part in (file, key, fault) if part))

    def within(self, file: str) -> CardError:
        """Return the same fault with the name of the file that contains it."""
        return CardError(self.key, self.fault, file)


def names(game: str) -> tuple[str, ...]:
    """Return the cards that come with the service, the historical one first if there is one."""
    if not _SLUG.fullmatch(game):
        return ()
    stems = sorted(path.stem for path in _folder(game).glob("*.toml"))
    return tuple(sorted(stems, key=lambda name: (name not in ("historical", "standard"), name)))


def load(game: str, name: str) -> Json:
    """Return a shipped card as a tree of the caller's own.

    Raise `RulesError` for an unknown name.
    """
    if name not in names(game):
        raise RulesError(
            f"unknown card “{name}” of {game}; known are {', '.join(names(game)) or 'none'}"
        )
    # Three times as fast as a deep copy, and the tree is JSON anyway.
    tree: Json = json.loads(_card_json(game, name))
    return tree


@lru_cache(maxsize=64)
def _card_json(game: str, name: str) -> str:
    return json.dumps(read_toml(_folder(game) / f"{name}.toml"))


def _folder(game: str) -> Path:
    return FOLDERS.get(game, _HERE / game)


def read_toml(source: Path | bytes) -> Json:
    """Return the tree of a card file, by path or bytes. Raise `CardError` if it is not TOML."""
    file = "" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else source.read_bytes()
        written = data.decode("utf-8-sig")
        if _TOO_DEEP.search(written):
            raise RecursionError
        tree = tomllib.loads(written)
        strict_json.check(tree)
        return tree
    except OSError as error:
        raise CardError("", f"the file cannot be read ({error.strerror})", file) from error
    except UnicodeDecodeError as error:
        raise CardError("", f"the file is not UTF-8 text (byte {error.start + 1})", file) from error
    except strict_json.DocumentError as error:
        raise CardError("", str(error), file) from error
    except RecursionError as error:
        raise CardError(
            "", f"the file is nested deeper than {strict_json.DEEPEST} levels", file
        ) from error
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise CardError("", f"the file is not TOML: {error}", file) from error


# The functions below check one key of a tree, and raise `CardError` with a sentence.


def check_keys(tree: Json, known: Collection[str]) -> None:
    for key in tree:
        if key not in known:
            raise CardError(key, f"unknown key; known are {', '.join(known)}")


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
        raise CardError(
            key, "must be lower-case letters, digits and single hyphens, such as my-own-card"
        )
    return value


def one_of(tree: Json, key: str, values: Collection[str]) -> str:
    value = text(tree, key)
    if value not in values:
        raise CardError(key, f"“{value}” must be one of {', '.join(values)}")
    return value


def whole(value: object, key: str, least: int) -> int:
    """Return a whole number of `least` or more. TOML's and JSON's true is not a number."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise CardError(key, f"must be a whole number of {least} or more")
    return value


def table(value: object, key: str) -> Json:
    if not isinstance(value, dict):
        raise CardError(key, "must be a table")
    return value


def name_list(tree: Json, key: str) -> tuple[str, ...]:
    """Return names that can be written in orders, no two of which look the same to a reader."""
    value = present(tree, key)
    if not isinstance(value, list) or not value:
        raise CardError(key, "must be a list of names")
    seen: dict[str, str] = {}
    for index, name in enumerate(value):
        where = f"{key}[{index}]"
        if not isinstance(name, str) or not fold(name):
            raise CardError(where, "must be a name")
        if name != " ".join(name.split()) or _MARKS.search(name) or name.endswith("."):
            raise CardError(
                where,
                f"“{name}” must not contain a colon, comma, slash, #, + or semicolon, or begin or"
                " end with a blank, or end with a period",
            )
        if _KEY_WORDS & set(fold(name).split()):
            raise CardError(
                where,
                f"“{name}” must not contain a key word of the order language (STOCK, ELSE, MIN,"
                " WITH)",
            )
        if fold(name) in seen:
            raise CardError(where, f"“{name}” is listed twice")
        seen[fold(name)] = name
    return tuple(value)


def yearly(value: object, key: str, turns: int) -> tuple[int, ...]:
    """Return one whole number per turn."""
    if not isinstance(value, list):
        raise CardError(key, "must be a list of whole numbers")
    if len(value) != turns:
        raise CardError(key, f"must have {turns} numbers, one for each turn, and has {len(value)}")
    return tuple(whole(number, f"{key}[{turn}]", 0) for turn, number in enumerate(value))


# Tables that the scenarios of all games have.


class Head(NamedTuple):
    """The top of a scenario."""

    name: str
    title: str
    provenance: str
    note: str
    turns: int
    order: tuple[str, ...]
    areas: tuple[str, ...]


@dataclass(frozen=True)
class OriginsCard:
    """What the scenarios of both Origins games have."""

    name: str
    title: str
    provenance: str
    note: str
    turns: int
    order: tuple[str, ...]
    areas: tuple[str, ...]
    home: Mapping[str, str]
    allocation: Mapping[str, tuple[int, ...]]
    objectives: Mapping[str, Mapping[str, Mapping[str, int]]]

    def points(self, nation: str, area: str, kind: str) -> int:
        """Return what the objective pays; 0 where the card has none."""
        return self.objectives.get(nation, {}).get(area, {}).get(kind, 0)

    @property
    def nation_names(self) -> Vocabulary:
        return vocabulary(self.order, "nation")

    @property
    def area_names(self) -> Vocabulary:
        return vocabulary(self.areas, "area")


def head(tree: Json, game: str, keys: Collection[str]) -> Head:
    """Return the top of a card that has these keys and no others."""
    if not isinstance(tree, dict):
        raise CardError("", "a card must be a table")
    check_keys(tree, keys)
    one_of(tree, "game", (game,))
    name, title = slug(tree, "name"), text(tree, "title")
    provenance = one_of(tree, "provenance", PROVENANCES)
    note = tree.get("note", "")
    if not isinstance(note, str):
        raise CardError("note", "must be text")
    turns = whole(present(tree, "turns"), "turns", 1)
    return Head(
        name, title, provenance, note, turns, name_list(tree, "order"), name_list(tree, "areas")
    )


def cache_check(check: Callable[[Json], C]) -> Callable[[Json], C]:
    """Check equal cards only once: a game's card is checked for every letter and order line."""
    cached_check = lru_cache(maxsize=256)(lambda content: check(marshal.loads(content)))

    @wraps(check)
    def check_with_cache(tree: Json) -> C:
        try:
            content = marshal.dumps(tree, 2)  # version 2 ignores whether parts are one object
        except ValueError:  # not JSON, so not a card either; the check says so
            return check(tree)
        return cached_check(content)

    return check_with_cache


def nation_of(nation: str, order: Collection[str], where: str) -> None:
    if nation not in order:
        raise CardError(where, f"there is no nation “{nation}”")


def homes(tree: Json, order: Collection[str], areas: Collection[str]) -> dict[str, str]:
    """Return `[home]`: nation to its home area; a nation may be left out."""
    home = table(tree.get("home", {}), "home")
    for nation, area in home.items():
        nation_of(nation, order, f"home.{nation}")
        if area not in areas:
            raise CardError(f"home.{nation}", f"there is no area “{area}”")
    return dict(home)


def allocations(tree: Json, order: Collection[str], turns: int) -> dict[str, tuple[int, ...]]:
    """Return `[allocation]`: every nation's PFs, one number per turn."""
    allocation = table(present(tree, "allocation"), "allocation")
    for nation in allocation:
        nation_of(nation, order, f"allocation.{nation}")
    for nation in order:
        if nation not in allocation:
            raise CardError(f"allocation.{nation}", "is missing")
    return {nation: yearly(allocation[nation], f"allocation.{nation}", turns) for nation in order}


def objectives(
    tree: Json, order: Collection[str], areas: Collection[str], kinds: Collection[str]
) -> dict[str, dict[str, dict[str, int]]]:
    """Return `[objectives.NATION]`: area to kind to points."""
    by_nation: dict[str, dict[str, dict[str, int]]] = {}
    for nation, of_nation in table(tree.get("objectives", {}), "objectives").items():
        where = f"objectives.{nation}"
        nation_of(nation, order, where)
        by_nation[nation] = {}
        for area, points_by_kind in table(of_nation, where).items():
            path = f"{where}.{area}"
            if area not in areas:
                raise CardError(path, f"there is no area “{area}”")
            if not table(points_by_kind, path):
                raise CardError(path, f"must have one or more of {', '.join(kinds)}")
            for kind, points in points_by_kind.items():
                if kind not in kinds:
                    raise CardError(f"{path}.{kind}", f"unknown kind; known are {', '.join(kinds)}")
                whole(points, f"{path}.{kind}", 1)
            by_nation[nation][area] = dict(points_by_kind)
    return by_nation
