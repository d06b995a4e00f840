"""Find what leaves the orders of a text in doubt.

A line that is not understood, beside orders; a heading of lines below it; a line that speaks of the
orders; a first line that adds to orders sent before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..orders import PASS, Line, quote_line, shorten
from .clauses import BEGINNINGS
from .facts import Look
from .sentences import (
    AROUND,
    asks_to_be_told,
    ends_sentence,
    has,
    is_clause,
    is_name,
    is_quotation,
    leaves_undecided,
    names_orders,
    names_something,
    only_doubts,
    phrase_at,
    points_back,
    speaks,
    spoken,
    words_of,
)
from .typography import keyboard_signs
from .words import KINDS, LINE_WORDS, NUMBERS, Phrase

#: Punctuation after which a line says nothing more.
_CLOSING = frozenset(":.,;-!)…*")
_MARKS = frozenset(".!?…")
_MORE = frozenset(phrase for phrase, kind in KINDS.items() if kind == "MORE")
_HEAD_WORDS = 4  # the most words of a heading without a colon
#: Most words of a name below a sign-off.
_NAME = 4
#: How many lines of a sentence are read on either side of one: programs break it, but not so often.
_BROKEN = 4
#: Kinds of words by which a line denies orders of one kind.
_NAMED = frozenset(("ATTACK", "UNDERSTANDING", "CONTROL"))
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
        return words_of(self.line.text)


class Cause(NamedTuple):
    """Why a text is in doubt.

    `at` is the index of the line, `sentence` says it. `readable`: the orders still have one
    reading. `may_count`: they may count if nothing else is ordered.
    """

    at: int
    sentence: str
    readable: bool = True
    may_count: bool = False


def causes(
    lines: Sequence[ReadLine], courteous: Sequence[bool], turn: int, *, replaces: bool
) -> list[Cause]:
    """Return what leaves the orders of a text in doubt; nothing for a text without orders.

    `courteous`: which lines are courtesies. `turn` is the one that is played. `replaces`: the text
    replaces all that its sender sent before (orders.amend).
    """
    if not any(line.orders for line in lines):
        return []
    found = [
        cause
        for index, is_courteous in enumerate(courteous)
        for cause in _of_line(lines, index, turn, is_courteous=is_courteous)
    ]
    added = list(_added(lines)) if replaces else []
    return [*added, *(cause for cause in found if cause.at not in {one.at for one in added})]


def _of_line(
    lines: Sequence[ReadLine], index: int, turn: int, *, is_courteous: bool
) -> Iterator[Cause]:
    line = lines[index]
    quoted = quote_line(line.line)
    if line.turn not in (None, turn):
        yield Cause(
            index, f"{quoted} is about turn {line.turn}, and this is turn {turn}, {_ASKED}."
        )
    if line.partly:
        readable = not (line.look.denies or has(line.words, LINE_WORDS["speaks"]))
        yield Cause(
            index, f"{quoted} says more than orders, and not all is understood, {_ASKED}.", readable
        )
    elif cause := _repeats(lines, index) or _denies_orders(lines, index):
        yield cause
    if line.understood or is_courteous:
        return
    above = [other for other in lines[:index] if other.orders]
    below = [other for other in lines[index + 1 :] if other.orders]
    if _speaks(line) or only_doubts(line.words, _ordered(lines)):
        readable = not above or (line.look.idle and not below)
        yield Cause(index, f"{quoted} speaks of your orders and is none, {_ASKED}.", readable)
    elif line.look.idle and _limits(lines, index):
        yield Cause(index, f"{quoted} may limit your orders and is none, {_ASKED}.")
    elif not (line.look.idle or line.look.like_order) and (above or line.look.foreign):
        yield Cause(index, f"{quoted} is no order and may be about yours, {_ASKED}.")
    elif below and (_heads(lines, index) or (line.look.continues and not line.look.idle)):
        sentence = f"{quoted} heads lines and is not understood, {_ASKED}."
        yield Cause(index, sentence)
    elif above and (
        (right_below := above[-1].last == line.line.number - 1)
        or (line.look.idle and _is_about_orders(lines, index))
    ):
        where = "stands right below an order" if right_below else "may be about your orders"
        sentence = f"{quoted} {where} and is not understood, {_ASKED}."
        idle = line.look.idle and not line.look.continues
        says_nothing = idle and not (line.look.denies or has(line.words, LINE_WORDS["refers"]))
        yield Cause(index, sentence, may_count=says_nothing)


def _heads(lines: Sequence[ReadLine], index: int) -> bool:
    """Return whether a line that is not understood is the heading of orders below it.

    It ends in a colon. Or it ends like no sentence, and the orders are next: right below, or it is
    short, names orders (“Orders for the following turn”) or has no subject of its own (“Felix
    suggests”).
    """
    line, below = lines[index], lines[index + 1]
    text = keyboard_signs(line.line.written).rstrip()
    if line.line.text.rstrip(AROUND).endswith(":"):
        return not line.look.headed
    if not below.orders or line.look.like_order or any(_numbers(line.words)):
        return False
    count = len(spoken(line.words))
    right_above = below.line.number == line.last + 1
    # A nation alone says whose orders they are, or whose they are not. A first line with a comma,
    # apart from the others, greets (“Merhaba,”); “Tomorrow,” goes on.
    greets = index == 0 and text.endswith(",") and not (right_above and text.isascii())
    if count == 1 and not greets:
        return line.look.idle
    is_short = count <= _HEAD_WORDS
    if text.endswith(",") or (ends_sentence(text) and not text.endswith(("...", "…"))):
        return right_above and is_short and has(line.words, LINE_WORDS["refers"])
    speaks = names_orders(line.words) or not _has_own_subject(lines, index)
    return right_above or is_short or speaks


def _has_own_subject(lines: Sequence[ReadLine], index: int) -> bool:
    """Return whether the sentence of a line names what it is about: “The weather is fine”.

    Otherwise (“To be confirmed”, “Hang on”, “I don't like it”) it takes that from the orders beside
    it; so does “No attacks”, if the text attacks.
    """
    words = _sentence(lines, index)
    if lines[index].look.denies:
        kinds = {KINDS.get((word,), "") for word in words} & _NAMED
        if kinds - _ordered(lines):
            return True
    return names_something(words)


def _is_about_orders(lines: Sequence[ReadLine], index: int) -> bool:
    """Return whether a line apart from the orders points to them, denies or asks: “Call it off”.

    What neither names anything nor points to anything (“Talk soon”) is taken for a courtesy: people
    end letters so in words that no list has, and orders must not wait for a question about each.
    """
    words = _sentence(lines, index)
    points = points_back(words) or names_orders(words) or lines[index].look.denies
    points = points or words[-1:] == ("?",)
    return points and not _has_own_subject(lines, index)


def _limits(lines: Sequence[ReadLine], index: int) -> bool:
    """Return whether orders beside a line wait for something, or for what others do."""
    words = _sentence(lines, index)
    return is_clause(words) or leaves_undecided(words)


def _sentence(lines: Sequence[ReadLine], index: int) -> tuple[str, ...]:
    """Return the words of a line, with those of the lines over which its sentence goes."""
    first = last = index
    while first > max(0, index - _BROKEN) and _runs_on(lines, first - 1):
        first -= 1
    while last + 1 < min(len(lines), index + _BROKEN + 1) and _runs_on(lines, last):
        last += 1
    return tuple(word for line in lines[first : last + 1] for word in line.words)


def _runs_on(lines: Sequence[ReadLine], index: int) -> bool:
    line, below = lines[index], lines[index + 1]
    is_next = line.last + 1 == below.line.number
    return is_next and not (line.orders or below.orders or ends_sentence(line.line.written))


def _ordered(lines: Sequence[ReadLine]) -> set[str]:
    """Return the first words of the orders of a text."""
    return {order.split(" ", 1)[0] for line in lines for order in line.orders}


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


def courtesies(lines: Sequence[ReadLine]) -> Sequence[bool]:
    """Return for each line whether it is a courtesy, which no line is that is understood.

    Each asks about the one above, so they are read in their order: 500 lines may be short.
    """
    found: list[bool] = []
    for index, line in enumerate(lines):
        is_below = found[-1] if found else False
        found.append(not line.understood and is_courtesy(lines, index, is_below=is_below))
    return found


def is_courtesy(lines: Sequence[ReadLine], index: int, *, is_below: bool = False) -> bool:
    """Return whether a line greets, thanks, takes leave or signs, or has no words at all.

    `is_below`: whether the line above is a courtesy.
    """
    line = lines[index]
    if not spoken(line.words):
        return True
    if line.look.idle and (asks_to_be_told(line.words) or _is_motto(lines, index)):
        return True
    if not line.look.idle or line.look.denies or _speaks(line):
        return False
    if phrase_at(line.words, 0, LINE_WORDS["courtesy"]):
        goes_on = line.words[-1] == ":" and not _MARKS.isdisjoint(line.words)
        return not goes_on and line.words[-1] != "?"  # “Hello! My thoughts:”, “Good?”
    return any(other.orders for other in lines[:index]) and _signs(lines, index, is_below=is_below)


def _is_motto(lines: Sequence[ReadLine], index: int) -> bool:
    """Return whether a line apart from orders is a quotation that speaks of none: “Only fools
    rush in.” A condition alone, in quotation marks, is no sentence of another person.
    """
    line, above = lines[index], lines[index - 1]
    is_apart = index > 0 and (not above.orders or above.last + 1 < line.line.number)
    return is_apart and is_quotation(keyboard_signs(line.line.written))


def _signs(lines: Sequence[ReadLine], index: int, *, is_below: bool) -> bool:
    """Return whether a line may be a name below a courtesy, or apart from the orders above it."""
    line, above = lines[index], lines[index - 1]
    if len(spoken(line.words)) > _NAME or ends_sentence(line.line.written):
        return False
    if is_below:
        return True
    if KINDS.get((line.words[0],)) in BEGINNINGS:  # “Attack Atlantis”
        return False
    is_apart = above.last + 1 < line.line.number
    last = not any(other.orders for other in lines[index:])
    return is_apart and last and is_name(line.line.text)


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
    at = next(_numbers(words), -2)
    for start in range(at + 3):
        if phrase := phrase_at(words, start, _MORE):
            yield phrase


def _numbers(words: Sequence[str]) -> Iterator[int]:
    """Yield where the numbers are."""
    return (at for at, word in enumerate(words) if word.isdigit() or word in NUMBERS)


def _adds_below(line: ReadLine, phrases: Sequence[Phrase]) -> bool:
    return line.line.text.endswith(":") and not LINE_WORDS["adding_below"].isdisjoint(phrases)


def _start(line: ReadLine, kind: str) -> tuple[list[Phrase], bool]:
    """Return the phrases of a kind with which a line begins, and whether nothing follows them."""
    words, at, phrases = line.words, 0, []
    while at < len(words):
        if phrase := phrase_at(words, at, LINE_WORDS[kind]):
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
        return has(line.words, LINE_WORDS["speaks"])
    return speaks(line.words)
