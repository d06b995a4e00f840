"""The words of plain orders, as `words.toml` and `companies.toml` have them."""

from __future__ import annotations

import pkgutil
import tomllib
from typing import Any

Phrase = tuple[str, ...]


def _table(name: str) -> dict[str, Any]:
    content = pkgutil.get_data(__package__, name)  # in the packed checker, too
    assert content is not None, name
    return tomllib.loads(content.decode())


_WORDS = _table("words.toml")
#: What each word or phrase is to the grammar.
KINDS: dict[Phrase, str] = {
    tuple(phrase.split()): kind for kind, phrases in _WORDS["kinds"].items() for phrase in phrases
}
NUMBERS: dict[str, int] = _WORDS["numbers"]
PEOPLES: dict[str, list[str]] = _WORDS["peoples"]
EXCHANGES: dict[str, list[str]] = {"new_york": _WORDS["stocks"]["new_york"]}
AFTER_COMPANIES = frozenset(_WORDS["stocks"]["company"])
LIKE_NAMES = frozenset(_WORDS["stocks"]["like_names"])
#: What a stock is called, by symbol: also how it is read aloud on the telephone.
COMPANIES: dict[str, str] = _table("companies.toml")
ALIASES: dict[str, str] = _WORDS["companies"]
#: Kinds of words that leave an order in doubt, and what a sentence says of each.
DOUBTS = ("NOT", "IF", "OR", "MAYBE")


#: Words of the longest phrase that begins with a word.
PHRASES: dict[str, int] = {}
for _phrase in KINDS:
    PHRASES[_phrase[0]] = max(PHRASES.get(_phrase[0], 0), len(_phrase))
