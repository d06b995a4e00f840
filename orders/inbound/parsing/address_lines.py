"""Find lines of addresses, and signatures of several lines: a name, an address, a post.

No line of a signature is known; what shows it is where it stands. It is a paragraph of its own
below the other lines, begins with a name or a sign-off, and each of its lines is a label: a few
words, none of which orders have or speaks of orders or of their writer. A paragraph with any other
line is read as usual.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from games.rules.plain.sentences import (
    ends_sentence,
    is_company,
    is_name,
    names_orders,
    points_back,
    says_more,
    words_of,
)
from games.rules.plain.words import KINDS, NUMBERS

from . import patterns
from .commands import WrittenLine
from .normalize import has_address, without_addresses
from .suspects import Suspects

_MOST_WORDS = 8
_MOST_WORDS_BESIDE_ADDRESS = 10
#: Kinds that labels have: “Professor of Modern History”, “The Old Mill”, “Attorney at Law”.
_OF_LABELS = frozenset(("OF", "THE", "AN", "NEW", "SEP", "UNIT", "TOTAL", "IN", "ON", "HEAD"))
#: Marks of a line that says something of others: “Italy -> Poland”, “Why?”.
_MARKS = re.compile(r"[?:=→>]|->")
_MOST_DIGITS = 2
_DIGIT = re.compile(r"\d")


def address_lines(
    lines: Sequence[WrittenLine], is_order: Callable[[str], bool], is_near: Callable[[str], bool]
) -> set[int]:
    """Return the indexes of lines with addresses and long numbers below all others.

    They are of signatures and footers. What has more words, or a condition, is a sentence.
    `is_order` as for `signature_lines`; `is_near` says whether a line may be a misspelled order.
    """
    places: set[int] = set()
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        rest = without_addresses(line.text)
        if is_order(line.text) or is_near(line.text):
            break
        if (
            has_address(line.written)
            and len(rest.split()) <= _MOST_WORDS_BESIDE_ADDRESS
            and patterns.CONDITION.search(rest) is None
            and not says_more(rest)
        ):
            places.add(at)
    return places


def signature_lines(
    lines: Sequence[str],
    taken: Collection[int],
    is_order: Callable[[str], bool],
    suspects: Suspects,
) -> set[int]:
    """Return the indexes of the lines of signatures.

    `lines` are normalized, `taken` are courtesies, names and lines with addresses. `is_order` says
    whether a line begins like an order or a command.
    """
    places: set[int] = set()
    for paragraph in _paragraphs(lines):
        first, last = paragraph[0], paragraph[-1]
        signs_nothing = all(not lines[at] or at in taken for at in range(first))
        if signs_nothing or any(map(suspects.is_near, lines[last + 1 :])):
            continue
        others = [at for at in paragraph if at not in taken]
        signs = first in taken or is_name(lines[first]) or _is_address(lines, paragraph)
        if signs and all(
            _is_label(lines[at], is_order) and _has_no_place(lines, at, paragraph, suspects)
            for at in others
        ):
            places.update(others)
    return places


def _paragraphs(lines: Sequence[str]) -> Iterator[list[int]]:
    """Yield the indexes of the lines of each paragraph."""
    paragraph: list[int] = []
    for at, line in enumerate([*lines, ""]):
        if line:
            paragraph.append(at)
        elif paragraph:
            yield paragraph
            paragraph = []


def _is_address(lines: Sequence[str], paragraph: Sequence[int]) -> bool:
    """Return whether a word alone has an address below it: a name, “Olga” and “Via Roma 10”."""
    first = lines[paragraph[0]]
    return (
        first.isalpha()
        and first.istitle()
        and any(_DIGIT.search(lines[at]) for at in paragraph[1:])
    )


def _is_label(line: str, is_order: Callable[[str], bool]) -> bool:
    """Return whether a line is only a label."""
    words = words_of(line)
    is_long = len(line.split()) > _MOST_WORDS
    if is_long or ends_sentence(line) or _MARKS.search(line) or is_company(line):
        return False
    if is_order(line) or says_more(line) or points_back(words) or names_orders(words):
        return False
    kinds = {KINDS[word,] for word in words if (word,) in KINDS} - _OF_LABELS
    return not kinds and any(
        word[0].isupper() or word[0].isdigit() or not word.isascii() for word in line.split()
    )


def _has_no_place(
    lines: Sequence[str], at: int, paragraph: Sequence[int], suspects: Suspects
) -> bool:
    """Return whether a line names no area or nation, nor almost, or only as an address does.

    “Italy” ends an address, and “17 Poland Street” is one. “3 Atlantis” alone orders something in a
    place that is not on the card; a street has its town below it, and a town a longer number.
    """
    words = re.findall(r"[^\W_]+", lines[at])
    if at == paragraph[-1] and len(words) == 2 and _is_number(words[0]):
        return False
    named = [word for word in words if suspects.resembles_name(word)]
    if not named:
        return not all(word.isdigit() or word.casefold() in NUMBERS for word in words)
    above = [lines[other] for other in paragraph if other < at]
    if len(words) == 1:
        return any(map(_DIGIT.search, above))
    return words[0].isdigit() and words[-1] not in named and words[-1][0].isupper()


def _is_number(word: str) -> bool:
    """Return whether a word may be a number of PFs, and no post code."""
    return word.casefold() in NUMBERS or (word.isdigit() and len(word) <= _MOST_DIGITS)
