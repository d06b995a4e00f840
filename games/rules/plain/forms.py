"""The forms of orders in plain words: which kinds of words may stand where.

A form is a regular expression over kinds of words; each kind is one character of a clause's `shape`
here. Forms of wishes stand with their verbs (`verbs.toml`), those of placements and attacks in
`words.toml`. A clause is an order only if a form fits all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..verbs import Kind, Verb
from .facts import Draft, Facts, UnclearLine
from .lexer import Item
from .words import FORMS, KINDS, PARTS, SILENT

_OWN_KINDS = (
    "NUM", "STOCKS", "MIN", "COLON", "END", "SEP", "OR", "AS", "MAYBE", "UNKNOWN", "UNCLEAR",
    "AREA_NAME", "NATION_NAME", "BOTH_NAME", "OWN_NAME", "OWN_PEOPLE",
)  # fmt: skip
#: The character of each kind.
_CODES = {
    kind: chr(0xE000 + index)
    for index, kind in enumerate(dict.fromkeys((*_OWN_KINDS, *KINDS.values())))
}
#: Names by the places that they may fill.
_PLACES = {
    "AREA": ("AREA_NAME", "BOTH_NAME", "OWN_NAME"),
    "ONLY_AREA": ("AREA_NAME",),
    "NATION": ("NATION_NAME", "BOTH_NAME", "OWN_NAME", "OWN_PEOPLE"),
    "OWN": ("OWN_NAME", "OWN_PEOPLE"),
    "THE": ("THE", "AN"),
}
_WORD = re.compile(r"\b[A-Z][A-Z_]+\b")
_PART = re.compile(r"\{(\w+)\}")
#: A clause without an order in it: “Thank you!”
_COURTESY = "(?:HELLO|PLEASE|THANKS|SEP|END)*"


class Clause(NamedTuple):
    """The items of one order, and the shape of all its words.

    `shape` has one character for each word, also for those that carry nothing; `owners` has their
    items, None for a word that carries nothing.
    """

    items: list[Item]
    shape: str
    owners: list[Item | None]


def code(item: Item, facts: Facts) -> str:
    """Return the character of an item's kind."""
    if item.kind != "NAME":
        return _CODES[item.kind]
    name = item.value
    if item.text.casefold().endswith("'s"):  # “Poland's 5” says what stands there
        return _CODES["NATION_NAME" if name.nation else "UNKNOWN"]
    if name.nation == facts.nation:
        return _CODES["OWN_NAME" if name.area else "OWN_PEOPLE"]
    return _CODES[
        "BOTH_NAME" if name.area and name.nation else "AREA_NAME" if name.area else "NATION_NAME"
    ]


def condense(items: Sequence[Item], facts: Facts) -> list[Item]:
    """Return the items that carry an order, each with the shape of the words before it.

    The last one stands for the end of the line.
    """
    condensed: list[Item] = []
    before = ""
    for item in (*items, Item("END", "")):
        if item.kind in SILENT:
            before += _CODES[item.kind]
        else:
            kind, text, value, slips = item[:4]
            condensed.append(Item(kind, text, value, slips, before, code(item, facts)))
            before = ""
    return condensed


def clause(items: Sequence[Item], behind: str = "") -> Clause:
    """Return a clause of condensed items; `behind` is the shape of the words after them."""
    shape, owners = "", []
    for item in items:
        shape += item.before + item.shape
        owners += [*[None] * len(item.before), item]
    return Clause(
        [item for item in items if item.kind != "END"],
        shape + behind,
        [*owners, *[None] * len(behind)],
    )


class UnknownWord(ValueError):
    """A form of `verbs.toml` or `words.toml` names words that `words.toml` does not have."""


@lru_cache(maxsize=256)
def compiled(form: str) -> re.Pattern[str]:
    """Return a form as an expression over shapes. Raise `UnknownWord` for what it cannot name."""
    whole = form
    try:
        while _PART.search(form):
            form = _PART.sub(lambda part: f"(?:{PARTS[part[1]]})", form)
        expression = "".join(_WORD.sub(lambda word: _one_of(word[0]), form).split())
    except KeyError as missing:
        raise UnknownWord(
            f"No words are called “{missing.args[0]}” in games/rules/plain/words.toml, but this"
            f" form of an order in plain words names them: “{whole}”. Add them there under [kinds]"
            " (a part in braces under [parts]), or correct the form: in a verb's `plain` of"
            " verbs.toml, or under [forms]."
        ) from None
    return re.compile(expression)


def _one_of(word: str) -> str:
    return f"[{''.join(_CODES[kind] for kind in _PLACES.get(word, (word,)))}]"


def is_courtesy(words: Clause) -> bool:
    return bool(compiled(_COURTESY).fullmatch(words.shape))


def fits(words: Clause, kind: Kind) -> bool:
    """Return whether every word of a placement or attack has a place in one form of it."""
    return any(compiled(form).fullmatch(words.shape) for form in FORMS[kind])


def wishes(words: Clause, facts: Facts) -> list[Draft]:
    """Return the wishes of a clause; none where no form of a wish fits it. Raise `UnclearLine`."""
    readings = list(dict.fromkeys(_wishes_by_form(words, facts)))
    if len(readings) > 1:
        raise UnclearLine("it can mean two things", tuple("; ".join(each) for each in readings))
    if not readings:
        return []
    binds = facts.verbs[readings[0][0]].binds
    if binds and (slip := next((item.text for item in words.items if item.is_slip), "")):
        raise UnclearLine(
            f"it cannot be taken back, so “{slip}” has to be spelled right",
            ("; ".join(readings[0]),),
        )
    return [Draft(line) for line in readings[0]]


def _wishes_by_form(words: Clause, facts: Facts) -> Iterator[tuple[str, ...]]:
    for verb in facts.verbs:
        for form in verb.plain:
            match = compiled(form).fullmatch(words.shape)
            if match and any(name.nation != facts.ally for name in _names(words, match, "ally")):
                continue
            # A nation that is taken for the subject names no area: “Germany: control”.
            if match and (wanted := tuple(_lines(verb, match, words))):
                yield wanted


def _lines(verb: Verb, match: re.Match[str], words: Clause) -> Iterator[str]:
    """Yield a canonical line for each area that a form names, or the one line without areas."""
    groups = match.groupdict()
    nation = next((name.nation for name in _names(words, match, "nation")), "") or ""
    if "areas" not in groups:
        yield verb.line(nation=nation)
    for name in _names(words, match, "areas"):
        yield verb.line(area=name.area or "", nation=nation)


def _names(words: Clause, match: re.Match[str], group: str) -> Iterator[Any]:
    if group in match.re.groupindex:
        for item in words.owners[slice(*match.span(group))]:
            if item is not None and item.kind == "NAME":
                yield item.value
