"""Find what leaves the orders of a text in doubt (contract 3a.3).

A line that is not understood, beside orders; a heading of lines below it; a line that speaks of the
orders; a first line that adds to orders sent before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..orders import PASS, Line, quote_line, shorten
from .facts import Look
from .tokens import tokens
from .typography import tidy
from .words import DENIALS, DOUBTS, KINDS, LINE_WORDS, NOT_NAMES, NUMBERS, SILENT, Phrase

#: Punctuation after which a line says nothing more.
_CLOSING = frozenset(":.,;-!)…*")
#: Marks that may stand around a heading: “[Felix:]”, “*Old:*”.
_AROUND = " )]}*_"
#: How much of a line is searched for the words here.
_MOST_CHARACTERS = 300
_LONGEST = max(len(phrase) for phrases in (*LINE_WORDS.values(), KINDS) for phrase in phrases)
_GRAMMAR = frozenset(KINDS)
#: Kinds beside a denial with which it is about the orders; “no more” and “nothing else” are not.
_TELLING = ("MORE", "THANKS", "HELLO", "UNIT", "HEAD")
_EMPTY = frozenset((*SILENT, "IN", "SEP", "TO", "WITH")).difference(_TELLING)
#: “this” and “them”, not “orders”.
_POINTING = frozenset(phrase for phrase in LINE_WORDS["refers"] if KINDS.get(phrase) != "HEAD")
_DENYING = frozenset(phrase for phrase, kind in KINDS.items() if kind in DENIALS)
_THANKS = frozenset(phrase for phrase, kind in KINDS.items() if kind == "THANKS")
_MORE = frozenset(phrase for phrase, kind in KINDS.items() if kind == "MORE")
_SPEAKING = LINE_WORDS["speaks"] | LINE_WORDS["conditions"]
_HEAD_WORDS = 4  # the most words of a heading without a colon
#: Most words of a name below a sign-off.
_NAME = 4
_ASKED = "so your orders are not sent before you say so"


@dataclass(frozen=True)
class ReadLine:
    """A line as it is read by itself.

    `orders` are its canonical lines. `understood`: it is orders or a heading; otherwise `look` says
    what it looks like. `last` is the number of its last line, where several are one. `turn` is the
    turn it is about, if it says so. `plain`: its orders are not in canonical words. `partly`: one
    of its sentences is no order.
    """

    line: Line
    last: int
    orders: tuple[str, ...]
    understood: bool
    look: Look
    turn: int | None
    plain: bool = False
    partly: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its first words, without capitals. Most lines are understood without them."""
        return _words(self.line.text)


def _words(text: str) -> tuple[str, ...]:
    return tuple(token.folded for token in tokens(tidy(text[:_MOST_CHARACTERS])))


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
    if line.partly:
        readable = not (line.look.denies or _has(line.words, LINE_WORDS["speaks"]))
        yield Cause(
            index, f"{quoted} says more than orders, and not all is understood, {_ASKED}.", readable
        )
    elif cause := _repeats(lines, index) or _denies_orders(lines, index):
        yield cause
    if line.understood or is_courtesy(lines, index):
        return
    above = [other for other in lines[:index] if other.orders]
    below = [other for other in lines[index + 1 :] if other.orders]
    if _speaks(line) or _only_doubts(line.words, lines):
        readable = not above or (line.look.idle and not below)
        yield Cause(index, f"{quoted} speaks of your orders and is none, {_ASKED}.", readable)
    elif not (line.look.idle or line.look.like_order) and (above or line.look.foreign):
        yield Cause(index, f"{quoted} is no order and may be about yours, {_ASKED}.")
    elif below and (_heads(line, below[0]) or (line.look.continues and not line.look.idle)):
        sentence = f"{quoted} heads lines and is not understood, {_ASKED}."
        yield Cause(index, sentence)
    elif above and above[-1].last == line.line.number - 1:
        sentence = f"{quoted} stands right below an order and is not understood, {_ASKED}."
        idle = line.look.idle and not line.look.continues
        says_nothing = idle and not (line.look.denies or _has(line.words, LINE_WORDS["refers"]))
        yield Cause(index, sentence, may_count=says_nothing)


def _heads(line: ReadLine, below: ReadLine) -> bool:
    """Return whether a line that is not understood is the heading of orders below it.

    It ends in a colon, or is short, right above them and names orders: “Old orders”.
    """
    if line.line.text.rstrip(_AROUND).endswith(":"):
        return not line.look.headed
    right_above = below.line.number == line.line.number + 1
    short = len([word for word in line.words if word[0].isalnum()]) <= _HEAD_WORDS
    return right_above and short and _has(line.words, LINE_WORDS["refers"])


def _repeats(lines: Sequence[ReadLine], index: int) -> Cause | None:
    """Return the cause of a line that may correct an earlier one: “Poland 5” and “Now Poland 6”.

    Canonical lines add up.
    """
    line = lines[index]
    if not line.plain or _start(line, "adding")[0] or any(_adds(line)):
        return None
    areas = {order.split(" ", 2)[2] for order in line.orders if order.startswith("PLACE ")}
    for earlier in lines[:index]:
        for order in earlier.orders:
            if order.startswith("PLACE ") and (area := order.split(" ", 2)[2]) in areas:
                sentence = (
                    f"{quote_line(line.line)} places PFs in {area} as {quote_line(earlier.line)}"
                    f" does, and does not say whether it adds to that or corrects it, {_ASKED}."
                )
                return Cause(index, sentence, readable=False)
    return None


def _denies_orders(lines: Sequence[ReadLine], index: int) -> Cause | None:
    """Return the cause of “no orders” in a text with orders."""
    line = lines[index]
    if not (line.plain and line.orders == (PASS,)) or all(
        order == PASS for other in lines for order in other.orders
    ):
        return None
    sentence = f"{quote_line(line.line)} says that you send none, and other lines are, {_ASKED}."
    return Cause(index, sentence, readable=False)


def is_courtesy(lines: Sequence[ReadLine], index: int) -> bool:
    """Return whether a line greets, thanks, takes leave or signs, or has no words at all."""
    line = lines[index]
    words = [word for word in line.words if word[0].isalnum()]
    if not words:
        return True
    if not line.look.idle or line.look.denies or _speaks(line):
        return False
    if _phrase_at(line.words, 0, LINE_WORDS["courtesy"]):
        return True
    signed = index > 0 and not lines[index - 1].understood and is_courtesy(lines, index - 1)
    return signed and len(words) <= _NAME and any(other.orders for other in lines[:index])


def _added(lines: Sequence[ReadLine]) -> Iterator[Cause]:
    """Yield the first line if it adds to orders that are not in the text: “Also 3 in Austria”."""
    for index, first in enumerate(lines):
        if first.orders and not first.plain:  # canonical words add to nothing
            return
        phrases, alone = _start(first, "adding")
        begins = phrases and (
            first.orders or not first.look.idle or alone or _adds_below(first, phrases)
        )
        if begins or (first.orders and any(_adds(first))):
            only = "; ".join(order for line in lines[index:] for order in line.orders)
            sentence = (
                f"{quote_line(first.line)}: orders that you send replace all earlier ones. Write"
                f" all your orders again, or only “{shorten(only)}” if you want nothing else."
            )
            yield Cause(index, sentence, may_count=True)
            return
        if first.orders or not (first.look.idle or first.understood):
            return


def _adds(line: ReadLine) -> Iterator[Phrase]:
    """Yield the words by which the first number of a line adds: “Place 2 more in Poland”."""
    words = line.words
    at = next((at for at, word in enumerate(words) if word.isdigit() or word in NUMBERS), -2)
    for start in range(at + 3):
        if phrase := _phrase_at(words, start, _MORE):
            yield phrase


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
    if line.look.like_order:
        return _has(line.words, LINE_WORDS["speaks"])
    return speaks(line.words)


def speaks(words: Sequence[str]) -> bool:
    """Return whether the words of a line that is no order speak of orders.

    “Swap them” does, and “Do not use these yet”, which denies something of what it points to;
    “Thanks for the update” does not.
    """
    if _thanks_for_something(words):
        return False
    denies = _has(words, _DENYING) and _has(words, LINE_WORDS["refers"])
    return denies or _asks_about(words) or _has(words, _SPEAKING)


def takes_back(text: str) -> bool:
    """Return whether a line of free text corrects, withdraws or postpones other lines."""
    words = _words(text)
    if _thanks_for_something(words):
        return False
    return _only_doubts(words) or _has(words, LINE_WORDS["speaks"])


def begins_with_condition(text: str) -> bool:
    """Return whether a line begins with a condition or a choice: “if Italy does”."""
    begun = _phrase_at(_words(text), 0, _GRAMMAR)
    return begun is not None and KINDS[begun] in ("IF", "OR")


def _asks_about(words: Sequence[str]) -> bool:
    """Return whether a line asks about the orders: “Does that work?”, “Can I do this?”.

    “This” stands for them where it is not the beginning of a name: “Is this the address?”.
    """
    said = [word for word in words if word[0].isalnum()]
    if words[-1:] != ("?",) or not said:
        return False
    return (said[-1],) in _POINTING or (len(said) == 3 and (said[1],) in _POINTING)


def _only_doubts(words: Sequence[str], lines: Sequence[ReadLine] = ()) -> bool:
    """Return whether a line is a denial or doubt that says of nothing what it is about.

    “No!”, “Don't do it.”, “OK?” and “Only at 3-1” can only be about the orders, as “Do not attack”
    is where the text attacks. “No hurry” and “Nothing more” are not.
    """
    ordered = {order.split(" ", 1)[0] for other in lines for order in other.orders}
    at, doubts = 0, False
    while at < len(words):
        phrase = _phrase_at(words, at, _GRAMMAR)
        kind = KINDS.get(phrase or (words[at],), "")
        doubts = doubts or kind in DOUBTS
        if not (kind in DOUBTS or kind in _EMPTY or kind in ordered or _is_empty(words[at])):
            return False
        at += len(phrase) if phrase else 1
    return doubts


def _is_empty(word: str) -> bool:
    """Return whether a word says nothing by itself: a mark, a figure, or “it”."""
    phrase = (word,)
    return (
        not word[0].isalpha()
        or word in NOT_NAMES
        or word in NUMBERS
        or phrase in LINE_WORDS["points"]
        or phrase in LINE_WORDS["refers"]
        or phrase in LINE_WORDS["before"]
    )


def says_more(text: str) -> bool:
    """Return whether a line that begins like a courtesy says more than that.

    It speaks of orders, or has a condition, a choice or a denial.
    """
    words = _words(text)
    return _has(words, _DENYING) or speaks(words)


def _thanks_for_something(words: Sequence[str]) -> bool:
    """Return whether a line is thanks for something, in one part."""
    begun = _phrase_at(words, 0, _THANKS)
    goes_on = begun is not None and words[len(begun) : len(begun) + 1] == ("for",)
    return goes_on and not _has(words, _DENYING) and "," not in words


def _has(words: Sequence[str], phrases: Collection[Phrase]) -> bool:
    return any(_phrase_at(words, at, phrases) for at in range(len(words)))


def _phrase_at(words: Sequence[str], at: int, phrases: Collection[Phrase]) -> Phrase | None:
    """Return the longest of the phrases that begins there."""
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        if (phrase := tuple(words[at : at + length])) in phrases:
            return phrase
    return None
