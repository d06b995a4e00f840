"""Cards: one scenario's printed sheet as data (contract 2), found by game and name, and what all
games share in checking them.

Each fault names its key, so that a gamesmaster who types in a sheet finds the place at once.
"""

from __future__ import annotations

import json
import marshal
import re
import tomllib
from collections.abc import Callable, Collection
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .. import Json, RulesError, strict_json
from ..names import fold

C = TypeVar("C")
PROVENANCES = ("printed", "reconstruction", "house")
_HERE = Path(__file__).parent
#: Where the cards of a game stand that brings its own.
FOLDERS: dict[str, Path] = {}
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Marks and key words of the order language: a name that held one could never be written in an
# order.
_MARKS = re.compile(r"[:;,/#+\n\r]")
_KEY_WORDS = {"stock", "else", "min", "with"}


class CardError(RulesError):
    """A fault of a card: `key` is where ("allocation.USA", or "" for the whole file), `fault` says
    what is wrong there."""

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
    found = sorted(path.stem for path in _folder(game).glob("*.toml"))
    return tuple(sorted(found, key=lambda name: (name not in ("historical", "standard"), name)))


def load(game: str, name: str) -> Json:
    """Return a shipped card as the caller's own tree. Raises `RulesError` for an unknown name."""
    if name not in names(game):
        raise RulesError(
            f"unknown card “{name}” of {game}; known are {', '.join(names(game)) or 'none'}"
        )
    # Three times as quick as a deep copy, and the tree is JSON all the same.
    tree: Json = json.loads(_shipped(game, name))
    return tree


@lru_cache(maxsize=64)
def _shipped(game: str, name: str) -> str:
    return json.dumps(read_toml(_folder(game) / f"{name}.toml"))


def _folder(game: str) -> Path:
    return FOLDERS.get(game, _HERE / game)


def read_toml(source: Path | bytes) -> Json:
    """Return the tree of a card file, by path or bytes. Raises `CardError` where it is no TOML."""
    file = "" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else source.read_bytes()
        tree = tomllib.loads(data.decode("utf-8-sig"))
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


# What follows takes one key out of a tree and says in a sentence what is wrong with it.


def known_keys(tree: Json, known: Collection[str]) -> None:
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
            key, "must be small letters, digits and single hyphens, such as my-own-card"
        )
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
            raise CardError(
                where,
                f"“{name}” must have no colon, comma, stroke, #, +, semicolon, outer blank or"
                " closing full stop",
            )
        if _KEY_WORDS & set(fold(name).split()):
            raise CardError(
                where,
                f"“{name}” must not hold a key word of the order language (STOCK, ELSE, MIN, WITH)",
            )
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


# The tables that the sheets of all games have.


class Head(NamedTuple):
    """What stands at the top of the sheets of both Origins."""

    name: str
    title: str
    provenance: str
    note: str
    turns: int
    order: tuple[str, ...]
    areas: tuple[str, ...]


def head(tree: Json, game: str, keys: Collection[str]) -> Head:
    """The top of a card that has these keys and no others."""
    if not isinstance(tree, dict):
        raise CardError("", "a card must be a table")
    known_keys(tree, keys)
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


def once(check: Callable[[Json], C]) -> Callable[[Json], C]:
    """Check equal cards once: a game's card is looked at for every letter and line of orders."""
    known = lru_cache(maxsize=256)(lambda content: check(marshal.loads(content)))

    @wraps(check)
    def of(tree: Json) -> C:
        try:
            content = marshal.dumps(tree, 2)  # 2: by content, not by which parts are one object
        except ValueError:  # what is no JSON is no card either; the check says so
            return check(tree)
        return known(content)

    return of


def nation_of(nation: str, order: Collection[str], where: str) -> None:
    if nation not in order:
        raise CardError(where, f"there is no nation “{nation}”")


def homes(tree: Json, order: Collection[str], areas: Collection[str]) -> dict[str, str]:
    """`[home]`: nation to its home area; a nation may be left out."""
    home = table(tree.get("home", {}), "home")
    for nation, area in home.items():
        nation_of(nation, order, f"home.{nation}")
        if area not in areas:
            raise CardError(f"home.{nation}", f"there is no area “{area}”")
    return dict(home)


def allocations(tree: Json, order: Collection[str], turns: int) -> dict[str, tuple[int, ...]]:
    """`[allocation]`: for every nation its PFs, one number a turn."""
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
    """`[objectives.NATION]`: area to kind to points."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for nation, of_nation in table(tree.get("objectives", {}), "objectives").items():
        where = f"objectives.{nation}"
        nation_of(nation, order, where)
        found[nation] = {}
        for area, wanted in table(of_nation, where).items():
            here = f"{where}.{area}"
            if area not in areas:
                raise CardError(here, f"there is no area “{area}”")
            if not table(wanted, here):
                raise CardError(here, f"must have one or more of {', '.join(kinds)}")
            for kind, points in wanted.items():
                if kind not in kinds:
                    raise CardError(f"{here}.{kind}", f"unknown kind; known are {', '.join(kinds)}")
                whole(points, f"{here}.{kind}", 1)
            found[nation][area] = dict(wanted)
    return found
