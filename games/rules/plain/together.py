"""Find orders that other lines of the same text leave in doubt.

A first line that says “also”, a line that corrects the one above it, and lines under “Option A”.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..orders import Line, quote_line, shorten
from .tokens import tokens
from .typography import tidy
from .words import LINE_WORDS, Phrase

#: Punctuation after which a line says nothing more.
_CLOSING = frozenset(":.,;-!)…*")
#: What may follow the name of an option.
_AFTER_OPTION = frozenset((*_CLOSING, "(", "is", "="))
#: How much of a line is searched for the words here.
_MOST_CHARACTERS = 300
_LONGEST = max(len(phrase) for phrases in LINE_WORDS.values() for phrase in phrases)
_APOLOGIES = {("sorry",)}
_OPTIONS = "the text gives options, so write only the orders that you choose."
_ONLY_MEANT = "so send again all orders that you mean, and only those."


class ReadLine(NamedTuple):
    """A line as it is read by itself.

    `orders` are its canonical lines. `empty`: it names no PFs, area, nation or stock. `words` are
    its first words.
    """

    line: Line
    orders: tuple[str, ...]
    empty: bool
    words: tuple[str, ...]


def line_of_text(line: Line, orders: tuple[str, ...], empty: bool) -> ReadLine:
    start = tokens(tidy(line.text[:_MOST_CHARACTERS]))
    return ReadLine(line, orders, empty, tuple(token.folded for token in start))


class _Start(NamedTuple):
    """What the first words of a line say.

    `alone`: nothing follows them. `heads`: the line ends in a colon.
    """

    phrases: list[Phrase]
    alone: bool
    heads: bool


#: By the index of a line to refuse: why, without the line; "" if other lines say so already.
Doubts = dict[int, str]


def doubts(lines: Sequence[ReadLine], *, replaces: bool) -> Doubts:
    """Return the lines that do not count because of other lines.

    `replaces`: the text replaces all that its sender sent before (orders.amend).
    """
    added = _added(lines) if replaces else {}
    return {**_corrected(lines), **_options(lines), **added}


def _added(lines: Sequence[ReadLine]) -> Doubts:
    """Return all orders if the first of them adds to others: “Also 3 in Austria”."""
    for index, first in enumerate(lines):
        start = _start(first, "adding")
        if start and (not first.empty or start.alone or _adds_below(start)):
            return _refuse_added(lines, index)
        if first.orders or not first.empty:
            break
    return {}


def _adds_below(start: _Start) -> bool:
    return start.heads and not LINE_WORDS["adding_below"].isdisjoint(start.phrases)


def _refuse_added(lines: Sequence[ReadLine], index: int) -> Doubts:
    first = lines[index]
    others = [after for after in _with_orders(lines) if after > index]
    only = "; ".join(order for at in (index, *others) for order in lines[at].orders)
    sentence = (
        "orders that you send replace all earlier ones. Write all your orders again, or only"
        f" “{shorten(only)}” if you want nothing else."
    )
    rest = f"{quote_line(first.line)} leaves it in doubt, so write all your orders again."
    return {index: sentence, **dict.fromkeys(others, rest)} if only else {}


def _corrected(lines: Sequence[ReadLine]) -> Doubts:
    """Return lines that correct others, and all that they may correct: “Sorry, I meant 5 Poland”.

    Which of the lines above is wrong, they do not say.
    """
    results: Doubts = {}
    for index, line in enumerate(lines):
        if not (above := [before for before in _with_orders(lines) if before < index]):
            continue
        takes_back = _start(line, "taking_back") is not None
        start = _start(line, "correcting")
        heads = takes_back or (start is not None and (start.alone or start.heads))
        below = [after for after in _with_orders(lines) if after > index and heads]
        if not takes_back and not (start and (below or not line.empty)):
            continue
        sentence = f"{quote_line(line.line)} corrects your orders, {_ONLY_MEANT}"
        own = f"this corrects your orders, {_ONLY_MEANT}"
        results = {**dict.fromkeys((*above, *below), sentence), **results, index: own}
    return results


def _options(lines: Sequence[ReadLine]) -> Doubts:
    """Return the orders below “Option A:” or “Either:”, and all around a line “or”."""
    headings = [index for index, line in enumerate(lines) if _is_option(line)]
    if not headings:
        return {}
    around = {"or", "alternatively"} & {lines[headings[0]].words[0]}
    first = 0 if around else headings[0]
    orders = [index for index in _with_orders(lines) if index >= first]
    results = dict.fromkeys(orders, _OPTIONS)
    for index in headings:
        if orders or not lines[index].empty:
            results[index] = "" if lines[index].empty else _OPTIONS
    return results


def _is_option(line: ReadLine) -> bool:
    words = list(line.words)
    if len(words) > 1 and (words[0],) in LINE_WORDS["option"]:
        named = (words[1],) in LINE_WORDS["option_names"]
        return named and (len(words) == 2 or words[2] in _AFTER_OPTION)
    if words[:1] == ["alternatively"]:
        return True
    while words and words[-1] in _CLOSING:
        words.pop()
    return tuple(word for word in words if word != "/") in LINE_WORDS["alone"]


def _with_orders(lines: Sequence[ReadLine]) -> list[int]:
    return [index for index, line in enumerate(lines) if line.orders]


def _start(line: ReadLine, kind: str) -> _Start | None:
    """Return what the line says first, if it is of this kind."""
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
    if not phrases or (set(phrases) <= _APOLOGIES and (rest or [""])[0] in _apologetic()):
        return None
    alone = all(word in _CLOSING or (word,) in LINE_WORDS["filler"] for word in rest)
    return _Start(phrases, alone, line.line.text.endswith(":"))


def _apologetic() -> set[str]:
    return {phrase[0] for phrase in LINE_WORDS["apology"]}


def _phrase_at(words: Sequence[str], at: int, phrases: frozenset[Phrase]) -> Phrase | None:
    """Return the longest of the phrases that begins there."""
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        if (phrase := tuple(words[at : at + length])) in phrases:
            return phrase
    return None
