"""Read one line in plain words: its orders, or why it is unclear."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ..names import any_of, fold
from ..orders import shorten
from . import attacking, counters, placing
from .facts import Draft, Facts, UnclearLine
from .lexer import LONGEST, Item, doubtful
from .lexer import read as items_of
from .names import lexicon
from .stocks import exchange
from .typography import tidy
from .words import CANCELING, HARMLESS

#: Kinds of items that may begin another order after a comma.
_BEGINNINGS = ("PLACE", "MOVE", "REINFORCE", "KEEP", "ATTACK", "TAKE", *counters.KEYS)
#: Kinds that continue an attack and are no order by themselves.
_ENDINGS = ("STOCKS", "MIN", "ELSE")
#: Kinds after such an ending to which it cannot belong; "" is the end of the line.
_CLOSED = ("", "END", *_ENDINGS)
_BETWEEN_ATTACKS = ["SEP", "STOCKS", "SEP", "ATTACK"]
#: Kinds that carry the contents of an order.
_TOLD = ("NUM", "NAME", "UNCLEAR", "STOCKS", "AS")
#: The kinds in “no attacks” and “We place nothing”, which can only mean PASS.
_NO_ORDER = ("NOT", "ATTACK", "PLACE", "TAKE", "SEP", "END")
#: Zero by itself, not in 0.5, 1,000 or -0.
_NOUGHT = re.compile(r"(?<![\d.,:/-])0+(?![\d%]|[.,:/-]\d)")
#: A name of so few letters may be a word of another language: “en”.
_SHORT = 3
_CANCEL = "to take back your orders, write CANCEL alone on a line"
_QUESTION = "this is not an order. To ask the gamesmaster, write QUESTION, your words, END"
#: Instead of that under IF, where attacks have such endings.
_CONDITION = "orders cannot have conditions like “{}”, only MIN and ELSE"
_DOUBTS = {
    "NOT": "“{}” says what you do not do; write only what you do",
    "IF": "orders cannot have conditions like “{}”, so write what you do in any case",
    "OR": "“{}” does not say which you mean, so name one",
    "MAYBE": "“{}” does not say whether you mean it, so leave it out if you do",
}


def drafts(line: str, facts: Facts) -> tuple[list[Draft], list[tuple[str, str]]]:
    """Return the orders of a line in canonical words, and its misspelled names.

    Each of these names comes with the name that it is read as. Raise `Unclear`.
    """
    names = lexicon(facts.areas, facts.nations)
    tidied = tidy(line)
    items = items_of(tidied, names, exchange(facts.market))
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
    slips += [slip for item in items for slip in item.slips]
    if items and items[-1].kind == "COLON" and _is_heading(items):
        return [], []
    return _orders(items, facts), slips


def _figure_fault(figure: str, line: str) -> UnclearLine:
    """Return the fault of 0, or of a part of 4.5 or -5."""
    if not figure.strip("0") and _NOUGHT.search(line):
        return UnclearLine(f"“{shorten(figure)}” places nothing, so leave it out")
    return UnclearLine(f"“{shorten(figure)}” is part of a figure, so write a whole number")


def _doubt(
    items: Sequence[Item], word: Item, facts: Facts, *, is_question: bool = False
) -> UnclearLine:
    """Return the fault of a line with a word of doubt."""
    has_endings = facts.attacking and not facts.one_opponent
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
    hangs = word is items[0] and word.kind in ("IF", "OR")
    return UnclearLine(sentence, readings, hangs=hangs, idle=_is_idle(items))


def _unknown_word(items: Sequence[Item], word: Item, facts: Facts) -> UnclearLine:
    """Return the fault of a line with a word that no order uses.

    A reading without unknown words is offered only if none of them can change what it means.
    """
    idle = _is_idle(items)
    if _cancels(items):
        return UnclearLine(_CANCEL, idle=idle)
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
    return UnclearLine(sentence, readings, stray=True, example=not idle, idle=idle)


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


def _is_idle(items: Sequence[Item]) -> bool:
    """Return whether a line, read to its end, names no PFs, area, nation or stock."""
    return len(items) <= LONGEST and not any(item.kind in _TOLD for item in items)


def _is_heading(items: Sequence[Item]) -> bool:
    """Return whether a line only says that orders follow: “I place:”."""
    return all(item.kind in ("PLACE", "MOVE", "ATTACK", "TAKE", "COLON") for item in items)


def _orders(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """Return the one reading of a line. Raise `Unclear` where there is none or more than one.

    Its first word may be the nation that orders, or part of the order.
    """
    candidates: list[list[Draft]] = []
    fault: UnclearLine | None = None
    items = _join_items(items)
    _check_stocks(items)
    for variant in _variants(items, facts):
        try:
            reading = [order for clause in _clauses(variant) for order in _clause(clause, facts)]
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


def _join_items(items: Sequence[Item]) -> list[Item]:
    """Join stocks and odds at the end of a sentence to the words before them.

    AND I becomes a comma, except in a share. TO is kept only where the number after it may be a
    total.
    """
    joined: list[Item] = []
    for index, item in enumerate(items):
        before = joined[-1].kind if joined else ""
        after, next_after = (
            [following.kind for following in items[index + 1 : index + 3]] + ["", ""]
        )[:2]
        closes = after in _CLOSED or (after == "SEP" and next_after in _CLOSED)
        if item.kind in _ENDINGS and (before == "COLON" or (before == "END" and closes)):
            joined.pop()
        elif item.kind == "WITH_ME" and after != "SHARE":
            item = item._replace(kind="SEP")
        elif item.kind == "TO" and (before, after) != ("NAME", "NUM"):
            continue
        joined.append(item)
    return joined


def _check_stocks(items: Sequence[Item]) -> None:
    """Raise `Unclear` for one stock between two attacks, which may belong to either."""
    kinds = [item.kind for item in items]
    last = max((index for index, kind in enumerate(kinds) if kind == "STOCKS"), default=0)
    if last and kinds[last - 1 : last + 3] == _BETWEEN_ATTACKS:
        raise UnclearLine("it does not say which attack the stock is for, so write two lines")


def _variants(items: Sequence[Item], facts: Facts) -> Iterator[Sequence[Item]]:
    """Yield the line and, if it begins with the writer's own nation, the line without that."""
    yield items
    if items and items[0].kind == "NAME" and items[0].value.nation == facts.nation:
        yield items[2 if len(items) > 1 and items[1].kind == "COLON" else 1 :]


def _clauses(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield the orders that periods and semicolons separate, and those that begin after a comma."""
    clause: list[Item] = []
    for index, item in enumerate(items):
        begins = item.kind == "SEP" and _begins(items[index + 1 : index + 5])
        if item.kind == "END" or (begins and [part.kind for part in clause] != ["STOCKS"]):
            yield from _strip_commas(clause)
            clause = []
        else:
            clause.append(item)
    yield from _strip_commas(clause)


def _strip_commas(clause: list[Item]) -> Iterator[list[Item]]:
    """Yield the clause without the commas around it, if anything is left."""
    indices = [index for index, item in enumerate(clause) if item.kind != "SEP"]
    if indices:
        yield clause[indices[0] : indices[-1] + 1]


def _begins(items: Sequence[Item]) -> bool:
    """Return whether an order begins here, with its verb or with IN, an area and a colon."""
    kinds = [item.kind for item in items]
    for leading in ("SEP", "IN", "NAME", "COLON"):
        if kinds[:1] == [leading]:
            kinds = kinds[1:]
    return kinds[:1] != [] and kinds[0] in _BEGINNINGS


def _clause(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """Return the orders of a clause, by the kinds of words in it. Raise `Unclear`."""
    kinds = {item.kind for item in items}
    counted = not kinds.isdisjoint(("NUM", "REST", "BLANKS"))
    if not kinds.isdisjoint(counters.KEYS):
        if "ATTACK" in kinds or "NUM" in kinds:
            raise UnclearLine
        orders = counters.read(items, facts)
    elif "ATTACK" in kinds or ("STOCKS" in kinds and facts.attacking):
        orders = _attacks(items, facts)
    elif counted:
        orders = placing.read(items, facts)
    else:
        raise UnclearLine
    if any(order.text.split()[0] not in facts.verbs for order in orders):
        raise UnclearLine
    return orders


def _attacks(items: Sequence[Item], facts: Facts) -> list[Draft]:
    try:
        return attacking.read(items, facts)
    except UnclearLine as unclear:
        if str(unclear) or not facts.attacking:
            raise
        raise UnclearLine("write whom you attack and in which area", example=True) from None


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
