"""One line in plain words: the orders that it gives, or why it is not clear."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..names import any_of
from ..orders import shorten
from . import attacking, counters, placing
from .facts import Draft, Facts, Unclear
from .lexer import LONGEST, Item, doubtful
from .lexer import read as items_of
from .names import lexicon
from .stocks import exchange
from .typography import tidy

#: Kinds of items with which another order may begin behind a comma.
_BEGINNINGS = ("PLACE", "MOVE", "ATTACK", "TAKE", *counters.KEYS)
_DOUBTS = {
    "NOT": "say what you do; “{}” says what you do not do",
    "IF": "orders cannot have conditions like “{}”, only MIN and ELSE",
    "OR": "“{}” does not say which you mean",
    "MAYBE": "“{}” does not say whether you mean it",
}


def drafts(line: str, facts: Facts) -> tuple[list[Draft], list[tuple[str, str]]]:
    """The orders of a line in canonical words, and names with a slip of the keyboard with what they
    are read as. Raises `Unclear`."""
    items = items_of(tidy(line), lexicon(facts.areas, facts.nations), exchange(facts.market))
    if word := doubtful(items):
        said = _DOUBTS[word.kind].format(shorten(word.text))
        raise Unclear(said, _readings(_without_doubt(items, word), facts))
    for item in items:
        if item.kind == "UNCLEAR":
            raise Unclear(f"“{shorten(item.text)}” may be {any_of(item.value.near)}")
        if item.kind == "UNKNOWN" and item.text.isdigit():
            raise Unclear(f"“{shorten(item.text)}” is part of a figure that is not a whole number")
        if item.kind == "UNKNOWN":
            rest = [one for one in items if one.kind != "UNKNOWN"]
            said = f"“{shorten(item.text)}” is not a word that orders use"
            raise Unclear(said, _readings([rest], facts), stray=True)
    slips = [
        (item.text, item.value.area or item.value.nation)
        for item in items
        if item.kind == "NAME" and item.value.slip
    ]
    slips += [slip for item in items for slip in item.slips]
    return _orders(items, facts), slips


def _orders(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """The one reading that the line has, with its first word as who orders or as part of the
    order."""
    found: list[list[Draft]] = []
    fault: Unclear | None = None
    for variant in _variants(items, facts):
        try:
            one = [order for clause in _clauses(variant) for order in _clause(clause, facts)]
        except Unclear as unclear:
            fault = unclear if fault is None or not str(fault) else fault
            continue
        if one and one not in found:
            found.append(one)
    if len(found) > 1:
        readings = tuple("; ".join(order.text for order in one) for one in found)
        raise Unclear("it may mean two things", readings)
    if not found:
        raise fault or Unclear
    return found[0]


def _variants(items: Sequence[Item], facts: Facts) -> Iterator[Sequence[Item]]:
    """The line, and where it begins with its writer's own nation the line without it."""
    yield items
    if items and items[0].kind == "NAME" and items[0].value.nation == facts.nation:
        yield items[2 if len(items) > 1 and items[1].kind == "COLON" else 1 :]


def _clauses(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Orders that full stops and semicolons part, and those that begin anew behind a comma."""
    clause: list[Item] = []
    for place, item in enumerate(items):
        if item.kind == "END" or (item.kind == "SEP" and _begins(items[place + 1 : place + 5])):
            yield from _stripped(clause)
            clause = []
        else:
            clause.append(item)
    yield from _stripped(clause)


def _stripped(clause: list[Item]) -> Iterator[list[Item]]:
    """The clause without the commas round it, if it says anything."""
    said = [place for place, item in enumerate(clause) if item.kind != "SEP"]
    if said:
        yield clause[said[0] : said[-1] + 1]


def _begins(items: Sequence[Item]) -> bool:
    """Whether an order begins there: with its verb, or with IN, an area and a colon before it."""
    kinds = [item.kind for item in items]
    for leading in ("SEP", "IN", "NAME", "COLON"):
        if kinds[:1] == [leading]:
            kinds = kinds[1:]
    return kinds[:1] != [] and kinds[0] in _BEGINNINGS


def _clause(items: Sequence[Item], facts: Facts) -> list[Draft]:
    """What a clause orders, by the words that stand in it."""
    kinds = {item.kind for item in items}
    counted = not kinds.isdisjoint(("NUM", "REST", "BLANKS"))
    if not kinds.isdisjoint(counters.KEYS):
        if "ATTACK" in kinds or "NUM" in kinds:
            raise Unclear
        found = counters.read(items, facts)
    elif "ATTACK" in kinds or ("STOCKS" in kinds and facts.attacking):
        found = attacking.read(items, facts)
    elif counted:
        found = placing.read(items, facts)
    else:
        raise Unclear
    if any(order.text.split()[0] not in facts.verbs for order in found):
        raise Unclear
    return found


def _without_doubt(items: Sequence[Item], word: Item) -> Iterator[Sequence[Item]]:
    """What the line may have meant: without the word, or without one side of OR."""
    at = items.index(word)
    if word.kind == "OR":
        yield [*items[:at], *items[at + 2 :]]
        yield [*items[: max(0, at - 1)], *items[at + 1 :]]
    else:
        yield [*items[:at], *items[at + 1 :]]
        if word.kind == "IF":
            yield items[:at]


def _readings(variants: Iterable[Sequence[Item]], facts: Facts) -> tuple[str, ...]:
    """What each of these would mean, where it means one thing."""
    found = []
    for items in variants:
        if (
            len(items) > LONGEST
            or doubtful(items)
            or any(item.kind in ("UNKNOWN", "UNCLEAR") for item in items)
        ):
            continue
        try:
            orders = _orders(items, facts)
        except Unclear:
            continue
        if not any(order.rest for order in orders):
            found.append("; ".join(order.text for order in orders))
    return tuple(dict.fromkeys(found))
