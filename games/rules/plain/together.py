"""Find what leaves the orders of a text in doubt (contract 3a.3).

A line that is not understood, beside orders; a heading of lines below it; a line that speaks of the
orders; a first line that adds to orders sent before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..orders import Line, quote_line, shorten
from .facts import Look
from .tokens import tokens
from .typography import tidy
from .words import LINE_WORDS, Phrase

#: Punctuation after which a line says nothing more.
_CLOSING = frozenset(":.,;-!)…*")
#: How much of a line is searched for the words here.
_MOST_CHARACTERS = 300
_LONGEST = max(len(phrase) for phrases in LINE_WORDS.values() for phrase in phrases)
#: Most words of a name below a sign-off.
_NAME = 4
_ASKED = "so your orders are not sent before you say so"


class ReadLine(NamedTuple):
    """A line as it is read by itself.

    `orders` are its canonical lines. `understood`: it is orders or a heading; otherwise `look` says
    what it looks like. `last` is the number of its last line, where several are one. `turn` is the
    turn it is about, if it says so. `words` are its first words.
    """

    line: Line
    last: int
    orders: tuple[str, ...]
    understood: bool
    look: Look
    turn: int | None
    words: tuple[str, ...]


def words_of(line: Line) -> tuple[str, ...]:
    """Return the first words of a line, without capitals."""
    return tuple(token.folded for token in tokens(tidy(line.text[:_MOST_CHARACTERS])))


class Cause(NamedTuple):
    """Why a text is in doubt.

    `at` is the index of the line, `sentence` says it. `readable`: the orders still have one
    reading. `may_count`: they may count if nothing else is ordered.
    """

    at: int
    sentence: str
    readable: bool = True
    may_count: bool = False


def causes(lines: Sequence[ReadLine], turn: int, *, replaces: bool) -> list[Cause]:
    """Return what leaves the orders of a text in doubt; nothing for a text without orders.

    `turn` is the one that is played. `replaces`: the text replaces all that its sender sent before
    (orders.amend).
    """
    if not any(line.orders for line in lines):
        return []
    found = [cause for index in range(len(lines)) for cause in _of_line(lines, index, turn)]
    added = list(_added(lines)) if replaces else []
    return [*added, *(cause for cause in found if cause.at not in {one.at for one in added})]


def _of_line(lines: Sequence[ReadLine], index: int, turn: int) -> Iterator[Cause]:
    line = lines[index]
    quoted = quote_line(line.line)
    if line.turn not in (None, turn):
        yield Cause(
            index, f"{quoted} is about turn {line.turn}, and this is turn {turn}, {_ASKED}."
        )
    if line.understood or is_courtesy(lines, index):
        return
    above = [other for other in lines[:index] if other.orders]
    below = [other for other in lines[index + 1 :] if other.orders]
    if _speaks(line):
        readable = not above or (line.look.idle and not below)
        yield Cause(index, f"{quoted} speaks of your orders and is none, {_ASKED}.", readable)
    elif not (line.look.idle or line.look.like_order) and (above or line.look.foreign):
        yield Cause(index, f"{quoted} is no order and may be about yours, {_ASKED}.")
    elif below and line.line.text.endswith(":") and not line.look.headed:
        sentence = f"{quoted} heads lines and is not understood, {_ASKED}."
        yield Cause(index, sentence)
    elif above and above[-1].last == line.line.number - 1:
        sentence = f"{quoted} stands right below an order and is not understood, {_ASKED}."
        yield Cause(index, sentence, may_count=True)


def is_courtesy(lines: Sequence[ReadLine], index: int) -> bool:
    """Return whether a line greets, thanks, takes leave or signs, or has no words at all."""
    line = lines[index]
    words = [word for word in line.words if word[0].isalnum()]
    if not words:
        return True
    if not line.look.idle or _speaks(line):
        return False
    if _phrase_at(line.words, 0, LINE_WORDS["courtesy"]):
        return True
    signed = index > 0 and not lines[index - 1].understood and is_courtesy(lines, index - 1)
    return signed and len(words) <= _NAME and any(other.orders for other in lines[:index])


def _added(lines: Sequence[ReadLine]) -> Iterator[Cause]:
    """Yield the first line if it adds to orders that are not in the text: “Also 3 in Austria”."""
    for index, first in enumerate(lines):
        phrases, alone = _start(first, "adding")
        if phrases and (
            first.orders or not first.look.idle or alone or _adds_below(first, phrases)
        ):
            only = "; ".join(order for line in lines[index:] for order in line.orders)
            sentence = (
                f"{quote_line(first.line)}: orders that you send replace all earlier ones. Write"
                f" all your orders again, or only “{shorten(only)}” if you want nothing else."
            )
            yield Cause(index, sentence, may_count=True)
            return
        if first.orders or not (first.look.idle or first.understood):
            return


def _adds_below(line: ReadLine, phrases: Sequence[Phrase]) -> bool:
    return line.line.text.endswith(":") and not LINE_WORDS["adding_below"].isdisjoint(phrases)


def _start(line: ReadLine, kind: str) -> tuple[list[Phrase], bool]:
    """Return the phrases of a kind with which a line begins, and whether nothing follows them."""
    words, at, phrases = line.words, 0, []
    while at < len(words):
        if phrase := _phrase_at(words, at, LINE_WORDS[kind]):
            phrases.append(phrase)
            at += len(phrase)
        elif (words[at],) in LINE_WORDS["before"]:
            at += 1
        else:
            break
    rest = words[at:]
    return phrases, all(word in _CLOSING or (word,) in LINE_WORDS["filler"] for word in rest)


def _speaks(line: ReadLine) -> bool:
    """Return whether a line has words anywhere that speak of the orders themselves."""
    kinds = ("speaks",) if line.look.like_order else ("speaks", "conditions")
    phrases = frozenset().union(*(LINE_WORDS[kind] for kind in kinds))
    return any(_phrase_at(line.words, at, phrases) for at in range(len(line.words)))


def _phrase_at(words: Sequence[str], at: int, phrases: frozenset[Phrase]) -> Phrase | None:
    """Return the longest of the phrases that begins there."""
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        if (phrase := tuple(words[at : at + length])) in phrases:
            return phrase
    return None
