"""Read one line in plain words: its orders, or why it is unclear."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..names import any_of, fold
from ..orders import shorten
from ..verbs import Kind
from . import attacking, placing
from .amounts import has_odds, is_idle, refuse_years
from .clauses import (
    BEGINNINGS,
    ENDINGS,
    check_stocks,
    clauses_of,
    join_items,
    list_strokes,
    variants,
)
from .facts import Draft, Facts, Look, UnclearLine
from .forms import Clause, condense, fits, is_courtesy, wishes
from .headings import heading_end
from .lexer import LONGEST, Item, doubtful
from .lexer import read as items_of
from .names import lexicon
from .stocks import exchange
from .typography import tidy
from .words import BETWEEN_STOCKS, CANCELING, DENIALS, HARMLESS, LINE_WORDS, SILENT

#: Kinds with which a line may begin that goes on with the line above.
_CONTINUING = (
    *ENDINGS,
    "SEP",
    "STOCK",
    "USING",
    "WITH",
    "IN",
    "ON",
    "FOR",
    "TO",
    "FROM",
    "AS",
    "PLEASE",
)
_SENTENCE_END = re.compile(r"[.!?] +")
#: Kinds of a line that checks the numbers: “Total: 12 PFs”.
_TOTALS = frozenset(("TOTAL", "COLON", "NUM", "SEP"))
#: Kinds with which “take”, “make” and “leave” begin an order; “make Poland 6” speaks of one.
_TAKEN = frozenset(("CONTROL", "UNDERSTANDING", "STANDING", "SHARE", "ALLIANCE", "FROM", "HOME"))
_WEB_ADDRESS = re.compile(r"https?://\S+|\bwww\.\S+", re.IGNORECASE)
#: The kinds in “no attacks” and “We place nothing”, which can only mean PASS.
_NO_ORDER = ("NOT", "ATTACK", "PLACE", "TAKE", "SEP", "END")
#: Zero by itself, not in 0.5, 1,000 or -0.
_NOUGHT = re.compile(r"(?<![\d.,:/-])0+(?![\d%]|[.,:/-]\d)")
#: A name of so few letters may be a word of another language: “en”.
_SHORT = 3
_CANCEL = "to take back your orders, write CANCEL alone on a line"
_QUESTION = "this is not an order. To ask the gamesmaster, write QUESTION, your words, END"
_WHOM_AND_WHERE = "write whom you attack and in which area"
#: Instead of that under IF, where attacks have such endings.
_CONDITION = "orders cannot have conditions like “{}”, only MIN and ELSE"
_DOUBTS = {
    "NOT": "“{}” says what you do not do; write only what you do",
    "IF": "orders cannot have conditions like “{}”, so write what you do in any case",
    "OR": "“{}” does not say which you mean, so name one",
    "MAYBE": "“{}” does not say whether you mean it, so leave it out if you do",
}


class LineDrafts(NamedTuple):
    """The orders of a line in canonical words, and its misspelled words with what they mean.

    `total` is the number that all placements of the text come to, if the line says it. `turn`: the
    line is about that turn.
    """

    orders: list[Draft]
    slips: list[tuple[str, str]]
    total: int | None = None
    turn: int | None = None


def drafts(line: str, facts: Facts) -> LineDrafts:
    """Return the orders of a line; none for a heading. Raise `UnclearLine`."""
    tidied = tidy(line)
    raw = items_of(tidied, lexicon(facts.areas, facts.nations), exchange(facts.market))
    try:
        return _read_items(raw, tidied, facts)
    except UnclearLine as unclear:
        names = [item.value for item in raw if item.kind == "NAME"]
        last = _SENTENCE_END.split(tidied)[-1]
        kinds = {item.kind for item in raw}
        unclear.look = Look(
            is_idle(raw, facts),
            _is_like_order(raw, facts),
            bool(raw) and (raw[0].kind in _CONTINUING or raw[0].text.casefold() in BETWEEN_STOCKS),
            # I hope you are well! Here are my orders:
            last.endswith(":") and last != tidied and _is_heading(last, facts),
            any(name.nation not in (None, facts.nation) for name in names),
            not kinds.isdisjoint(DENIALS) or (facts.attacking and has_odds(raw)),
        )
        raise


def _is_heading(line: str, facts: Facts) -> bool:
    items = items_of(line, lexicon(facts.areas, facts.nations), exchange(facts.market))
    return heading_end(items, facts) == len(items)


def _is_like_order(items: Sequence[Item], facts: Facts) -> bool:
    """Return whether a line is meant as an order of its own, though it is none.

    It begins with a verb or number, or with an area and a number, names something, and says
    nothing of other lines. A word of doubt leaves it one reading or several.
    """
    if not _begins_like_order(items, facts) or any(item.kind == "MORE" for item in items):
        return False
    words = _folded(items)
    if (words[0],) in LINE_WORDS["adding"] or not _OTHER_LINES.isdisjoint(words):
        return False
    if word := doubtful(items):
        condensed = condense(items, facts)
        at = next(index for index, item in enumerate(condensed) if item.kind == word.kind)
        return bool(_readings(_possible_readings(condensed, condensed[at]), facts))
    begins_with_number = [item.kind for item in items if item.kind not in SILENT][:1] == ["NUM"]
    return not is_idle(items, facts) and any(
        item.kind in ("NAME", "UNCLEAR", "STOCKS")
        or (item.kind == "UNKNOWN" and (item.text[0].isupper() or not begins_with_number))
        for item in items
    )  # “5 to Atlantis”, not “3 fewer”


#: Words that stand for something said in other lines.
_OTHER_LINES = {word for kind in ("refers", "points") for (word,) in LINE_WORDS[kind]}


def _folded(items: Sequence[Item]) -> list[str]:
    """Return the words; those of a heading one by one: “this is” has “this”."""
    parts = (item.text.split() if item.kind == "HEAD" else [item.text] for item in items)
    return [word.casefold() for words in parts for word in words]


def _begins_like_order(items: Sequence[Item], facts: Facts) -> bool:
    told = [item for item in items if item.kind not in SILENT or item.kind == "HELLO"]
    if told and (told[0].is_slip or told[0].kind == "PASS"):  # “Peace is better”, “Skip Poland”
        return False
    if told and told[0].kind == "NUM" and items[0].kind == "THE":  # “The 8 should go to Italy”
        return False
    if [item.kind for item in told[:1]] == ["FROM"] and not any(
        item.kind in ("HOME", "HOME_PF", "NAME") for item in told[1:2]
    ):  # “From 3 December on everything to Italy”
        return False
    if told and told[0].kind == "NAME" and told[0].value.nation == facts.nation:
        told = told[2 if [item.kind for item in told[1:2]] == ["COLON"] else 1 :]
    if told and told[0].kind == "NAME" and told[0].value.area:
        return any(item.kind in ("NUM", "STOCKS", "ATTACK") for item in told[1:3])
    if told and told[0].kind in ("TAKE", "LEAVE") and _TAKEN.isdisjoint(item.kind for item in told):
        return False
    return bool(told) and told[0].kind in (*BEGINNINGS, "NUM", "REST", "FROM", "PASS")


def _read_items(raw: Sequence[Item], tidied: str, facts: Facts) -> LineDrafts:
    """Return the orders of the items of a tidied line. Raise `UnclearLine`."""
    if address := _WEB_ADDRESS.search(tidied):
        shown = shorten(address[0])
        raise UnclearLine(f"“{shown}” is a web address, which no order has, so leave it out")
    items = list_strokes(condense(raw, facts), facts)
    if word := doubtful(items):
        raise _doubt(items, word, facts, is_question=tidied.endswith("?"))
    for item in items:
        if item.kind == "UNCLEAR":
            raise UnclearLine(f"“{shorten(item.text)}” may be {any_of(item.value.near)}")
        if item.kind == "UNKNOWN" and item.text.isdigit():
            raise _figure_fault(item.text, tidied)
        if item.kind == "UNKNOWN":
            raise _unknown_word(items, item, facts)
    slips = [
        (item.text, item.value.area or item.value.nation)
        for item in items
        if item.kind == "NAME" and item.value.slip
    ]
    slips += [slip for item in raw for slip in item.slips]
    heading = heading_end(raw, facts)
    turn = next(
        (after.value for item, after in pairwise(raw[:heading]) if item.kind == "TURN"), None
    )
    if heading == len(raw):
        return LineDrafts([], [], turn=turn)
    if heading:
        items = list_strokes(condense(raw[heading:], facts), facts)
    orders = _orders(items, facts)
    totals = [order.expected for order in orders if order.is_total]
    if len(set(totals)) > 1:
        raise UnclearLine("it gives two totals, so leave one out")
    kept = [order for order in orders if not order.is_total]
    return LineDrafts(kept, slips, totals[0] if totals else None, turn)


def _figure_fault(figure: str, line: str) -> UnclearLine:
    """Return the fault of 0, or of a part of 4.5 or -5."""
    if not figure.strip("0") and _NOUGHT.search(line):
        return UnclearLine(f"“{shorten(figure)}” places nothing, so leave it out")
    return UnclearLine(f"“{shorten(figure)}” is part of a figure, so write a whole number")


def _doubt(
    items: Sequence[Item], word: Item, facts: Facts, *, is_question: bool = False
) -> UnclearLine:
    """Return the fault of a line with a word of doubt."""
    has_endings = facts.attacking and facts.conditional and not facts.one_opponent
    form = _CONDITION if word.kind == "IF" and has_endings else _DOUBTS[word.kind]
    sentence = form.format(shorten(word.text))
    readings: tuple[str, ...] = ()
    if is_question:
        sentence = _QUESTION
    elif _cancels(items):
        sentence = _CANCEL
    elif fraction := _fraction(items, word):
        sentence = f"“{fraction}” is not a whole number, so write one"
    elif all(item.kind in _NO_ORDER for item in items):
        readings = ("PASS",)
    elif not any(item.kind == "NOT" for item in items):
        readings = _readings(_possible_readings(items, word), facts)
    return UnclearLine(sentence, readings)


def _unknown_word(items: Sequence[Item], word: Item, facts: Facts) -> UnclearLine:
    """Return the fault of a line with a word that no order uses.

    A reading without unknown words is offered only if none of them can change what it means.
    """
    idle = is_idle(items, facts)
    if _cancels(items):
        return UnclearLine(_CANCEL)
    sentence = f"“{shorten(word.text)}” is not a word that orders use"
    names = lexicon(facts.areas, facts.nations).exact
    harmless = all(
        item.text.casefold() in HARMLESS
        if item.kind == "UNKNOWN"
        else item.kind != "NAME" or len(item.text) > _SHORT or fold(item.text) in names
        for item in items
    )
    rest = [item for item in items if item.kind != "UNKNOWN"]
    readings = _readings([rest], facts) if harmless else ()
    return UnclearLine(sentence, readings, stray=word.text, example=not idle)


def _cancels(items: Sequence[Item]) -> bool:
    """Return whether a line takes orders back: “Cancel 3 Poland”."""
    return any(
        item.kind in ("NOT", "UNKNOWN") and item.text.casefold() in CANCELING for item in items
    )


def _fraction(items: Sequence[Item], word: Item) -> str:
    """Return 1/2, whose stroke the lexer takes for OR; "" if that is not the word of doubt."""
    at = next(index for index, item in enumerate(items) if item is word)
    around = [item.text for item in (*items[max(0, at - 1) : at], *items[at + 1 : at + 2])]
    is_fraction = word.text == "/" and len(around) == 2 and all(map(str.isdigit, around))
    return "/".join(around) if is_fraction else ""


def _orders(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """Return the one reading of a line. Raise `Unclear` where there is none or more than one.

    Its first word may be the nation that orders, or part of the order.
    """
    candidates: list[list[Draft]] = []
    fault: UnclearLine | None = None
    items = join_items(items, facts)
    check_stocks(items)
    for variant in variants(items, facts):
        try:
            reading = [order for words in clauses_of(variant) for order in _clause(words, facts)]
        except UnclearLine as unclear:
            fault = unclear if fault is None or not str(fault) else fault
            continue
        if reading and reading not in candidates:
            candidates.append(reading)
    if len(candidates) > 1:
        readings = tuple("; ".join(order.text for order in reading) for reading in candidates)
        raise UnclearLine("it can mean two things", readings)
    if not candidates:
        raise fault or UnclearLine
    return candidates[0]


def _clause(words: Clause, facts: Facts) -> list[Draft]:
    """Return the orders of a clause. Raise `UnclearLine` unless every word has its place."""
    items = words.items
    kinds = {item.kind for item in items}
    if not items:
        if is_courtesy(words):
            return []
        raise UnclearLine
    if "TOTAL" in kinds:
        return [_total(items, kinds)]
    if orders := wishes(words, facts):
        return orders
    if "UNDERSTANDING" in kinds and kinds & {"REST", "EVERYWHERE"} and "STANDING" not in kinds:
        raise UnclearLine("it does not say in which areas", ("STANDING UNDERSTANDING ALL",))
    if "ATTACK" in kinds or ("STOCKS" in kinds and facts.attacking):
        orders, kind = _attacks(items, facts), Kind.ATTACK
    elif kinds & {"NUM", "REST", "BLANKS", "HOME_PF"}:
        refuse_years(items)
        orders, kind = placing.read(items, facts), Kind.COUNT
    else:
        raise UnclearLine
    if any(order.text.split()[0] not in facts.verbs for order in orders) or not fits(words, kind):
        raise UnclearLine
    return orders


def _total(items: Sequence[Item], kinds: Collection[str]) -> Draft:
    numbers = [item.value for item in items if item.kind == "NUM"]
    if len(numbers) != 1 or not _TOTALS.issuperset(kinds):
        raise UnclearLine
    return Draft("", expected=numbers[0], is_total=True)


def _attacks(items: Sequence[Item], facts: Facts) -> list[Draft]:
    try:
        return attacking.read(items, facts)
    except UnclearLine as unclear:
        if str(unclear) or not facts.attacking:
            raise
        if facts.one_opponent and any(item.kind == "ELSE" for item in items):
            why = "in this game an attack has no ELSE, so write one attack in a line"
            raise UnclearLine(why, example=True) from None
        names = [item.value for item in items if item.kind == "NAME"]
        has_both = len(names) > 1 and any(name.nation for name in names)
        why = "an attack is written differently" if has_both else _WHOM_AND_WHERE
        raise UnclearLine(why, example=True) from None


def _possible_readings(items: Sequence[Item], word: Item) -> Iterator[Sequence[Item]]:
    """Yield what the line may mean: without the doubtful word, or without one side of OR."""
    at = items.index(word)
    if word.kind == "OR":
        yield [*items[:at], *items[at + 2 :]]
        yield [*items[: max(0, at - 1)], *items[at + 1 :]]
    else:
        yield [*items[:at], *items[at + 1 :]]
        if word.kind == "IF":
            yield items[:at]


def _readings(variants: Iterable[Sequence[Item]], facts: Facts) -> tuple[str, ...]:
    """Return the meanings of those variants that have exactly one."""
    meanings = []
    for items in variants:
        if (
            len(items) > LONGEST
            or doubtful(items)
            or any(item.kind in ("UNKNOWN", "UNCLEAR") for item in items)
        ):
            continue
        try:
            orders = _orders(items, facts)
        except UnclearLine:
            continue
        if not any(order.rest for order in orders):
            meanings.append("; ".join(order.text for order in orders))
    return tuple(dict.fromkeys(meanings))
