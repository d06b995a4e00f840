"""The words of plain orders, from `words.toml` and `companies.toml`."""

from __future__ import annotations

import pkgutil
import tomllib
from typing import Any

Phrase = tuple[str, ...]


def _table(name: str) -> dict[str, Any]:
    content = pkgutil.get_data(__package__, name)  # also in the packed checker
    assert content is not None, name
    return tomllib.loads(content.decode())


_WORDS = _table("words.toml")
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
#: Kinds whose words carry nothing of an order.
SILENT = frozenset(_WORDS["silent"]["kinds"])
#: Parts of forms by name, and forms of placements and attacks (games.rules.plain.forms).
PARTS: dict[str, str] = _WORDS["parts"]
FORMS: dict[str, list[str]] = _WORDS["forms"]
#: Kinds of words that leave an order in doubt.
DOUBTS = ("NOT", "IF", "OR", "MAYBE")
#: Those of them that deny or limit what other lines say.
DENIALS = frozenset(("NOT", "IF", "OR"))


def _phrase(text: str) -> Phrase:
    return tuple(text.split())


def _phrases(texts: list[str]) -> frozenset[Phrase]:
    return frozenset(map(_phrase, texts))


#: The item kind of each word or phrase.
KINDS: dict[Phrase, str] = {
    _phrase(phrase): kind for kind, phrases in _WORDS["kinds"].items() for phrase in phrases
}
NUMBERS: dict[str, int] = _WORDS["numbers"]
#: Words that may follow the last stock of a list, or come between two.
AFTER_STOCKS = _phrases(_WORDS["stocks"]["after"])
BETWEEN_STOCKS = frozenset(_WORDS["stocks"]["between"])
#: Words that are not starts of names.
NOT_NAMES = frozenset(_WORDS["names"]["words"])
#: How many words the longest phrase has that begins with each word.
LONGEST: dict[str, int] = {}
for _one in (*KINDS, *AFTER_STOCKS):
    LONGEST[_one[0]] = max(LONGEST.get(_one[0], 0), len(_one))
#: Words and phrases with which lines refer to other lines, by what they say.
LINE_WORDS: dict[str, frozenset[Phrase]] = {
    kind: _phrases(phrases) for kind, phrases in _WORDS["lines"].items()
}


def _inflected(phrases: frozenset[Phrase], *endings: str) -> frozenset[Phrase]:
    """Return phrases, with the forms of single words: “waiting”, “decided” and “swapped”."""
    words = [phrase[0] for phrase in phrases if len(phrase) == 1]
    forms = {
        stem + ending
        for word in words
        for stem in (word.removesuffix("e"), word, word + word[-1])
        for ending in endings
    }
    return phrases | {(form,) for form in forms}


#: With each word that speaks of orders goes its adverb: “tentatively”.
LINE_WORDS["speaks"] |= {(f"{phrase[0]}ly",) for phrase in LINE_WORDS["speaks"] if len(phrase) == 1}
LINE_WORDS["speaks"] = _inflected(LINE_WORDS["speaks"], "ed", "ing")
LINE_WORDS["deciding"] = _inflected(LINE_WORDS["deciding"], "s", "es", "ed", "ing")
