"""The words of plain orders, from `words.toml` and its later versions, and `companies.toml`."""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Phrase = tuple[str, ...]


def _table(name: str) -> dict[str, Any]:
    content = pkgutil.get_data(__package__, name)  # also in the packed checker
    assert content is not None, name
    return tomllib.loads(content.decode())


_WORDS = _table("words.toml")
_MORE = _table("words_2.toml")
_LINES = _table("words_3.toml")["lines"]
_REFUSALS = _table("refusals.toml")
#: Words that take back orders, and words that a suggested reading may leave out (refusals.toml).
CANCELING, HARMLESS = frozenset(_REFUSALS["canceling"]), frozenset(_REFUSALS["harmless"])
PEOPLES: dict[str, list[str]] = _WORDS["peoples"]
EXCHANGES: dict[str, list[str]] = {"new_york": _WORDS["stocks"]["new_york"]}
AFTER_COMPANIES = frozenset(_WORDS["stocks"]["company"])
LIKE_NAMES = frozenset(_WORDS["stocks"]["like_names"])
#: Company names by symbol, also used to read stocks aloud on the telephone.
COMPANIES: dict[str, str] = _table("companies.toml")
ALIASES: dict[str, str] = _WORDS["companies"]
#: Kinds of words that leave an order in doubt.
DOUBTS = ("NOT", "IF", "OR", "MAYBE")


@dataclass(frozen=True, eq=False)
class Words:
    """The words of one version of the language.

    `kinds`: the item kind of each word or phrase. `after` and `between`: words that may follow the
    last stock of a list, or come between two. `not_names`: words that are not starts of names.
    Versions from 2 on have the forms that the grammar marks with their number.
    """

    version: int
    kinds: Mapping[Phrase, str]
    numbers: Mapping[str, int]
    after: frozenset[Phrase] = frozenset()
    between: frozenset[str] = frozenset(("/", ",", "or", "and", "then", "else", "otherwise"))
    not_names: frozenset[str] = frozenset()
    #: How many words the longest phrase has that begins with each word.
    longest: dict[str, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for phrase in (*self.kinds, *self.after):
            self.longest[phrase[0]] = max(self.longest.get(phrase[0], 0), len(phrase))


def _kinds(table: Mapping[str, list[str]]) -> dict[Phrase, str]:
    return {_phrase(phrase): kind for kind, phrases in table.items() for phrase in phrases}


def _phrase(text: str) -> Phrase:
    return tuple(text.split())


#: Words and phrases with which lines refer to other lines, by what they say (words_3.toml).
LINE_WORDS: dict[str, frozenset[Phrase]] = {
    kind: frozenset(map(_phrase, phrases)) for kind, phrases in _LINES.items()
}
NUMBERS: dict[str, int] = _WORDS["numbers"]
FIRST = Words(1, _kinds(_WORDS["kinds"]), NUMBERS)
SECOND = Words(
    2,
    {**FIRST.kinds, **_kinds(_MORE["kinds"])},
    {**FIRST.numbers, **_MORE["numbers"]},
    frozenset(map(_phrase, _MORE["stocks"]["after"])),
    FIRST.between | set(_MORE["stocks"]["between"]),
    frozenset(_MORE["names"]["words"]),
)
#: Reads the words of version 2. What can mean two things only beside other words goes back.
THIRD = replace(SECOND, version=3)
#: By the value of orders.language.
VERSIONS = {"plain": FIRST, "plain_2": SECOND, "plain_3": THIRD}
