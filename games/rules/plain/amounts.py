"""Tell numbers that may be of PFs from those of dates, ages, houses and degrees.

A sentence beside orders with a number of PFs may correct them: “We said 7”. “Happy new year 2027”,
“I am away from 3 to 10 December” and “We had 20 cm of snow” count something else, so that nobody
needs to be asked about them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..names import fold
from ..orders import shorten
from .clauses import BEGINNINGS
from .facts import Facts, UnclearLine
from .lexer import LONGEST, Item
from .names import lexicon
from .sentences import stands_for_nothing
from .words import DOUBTS

#: Kinds that carry the contents of an order.
_TOLD = ("NUM", "NAME", "UNCLEAR", "STOCKS", "MIN", "AS", "HOME_PF")
#: A number of four digits is a year: no nation gets so many PFs in a whole game.
_YEARS_FROM = 1_000
#: Numbers above this multiple of the PFs that there are to place are of something else.
_MANY_TIMES = 2
#: The highest odds, which are the only numbers of attacks.
_HIGHEST_ODDS = 5
#: No more letters has the start of a name that may be a word of another language.
_SHORT = 2
#: What may stand between the two numbers of a span: “3 to 10 December”, “6/7 March”.
_SPANS = ("TO", "SEP", "COLON", "OR")
#: Not FOR and WITH: “I go for 4 really” may speak of PFs.
_PREPOSITIONS = ("IN", "ON", "FROM", "TO")


def refuse_years(items: Sequence[Item]) -> None:
    """Raise `UnclearLine` for “Germany 1936”, which would take all PFs there are."""
    for item in items:
        if item.kind == "NUM" and item.value >= _YEARS_FROM:
            raise UnclearLine(
                f"“{shorten(item.text)}” is more PFs than any nation gets, so write how many you"
                " mean"
            )


def is_idle(items: Sequence[Item], facts: Facts) -> bool:
    """Return whether a line, read to its end, names no PFs, area, nation or stock."""
    told = (at for at, item in enumerate(items) if item.kind in _TOLD)
    return len(items) <= LONGEST and all(_is_of_something_else(items, at, facts) for at in told)


def has_odds(items: Sequence[Item]) -> bool:
    """Return whether a line has odds without the words of a minimum: “3-1” or “2:1, please”."""
    return any(
        ratio.text.isdigit() and sign.text in ":-/" and one.text == "1"
        for ratio, sign, one in zip(items, items[1:], items[2:], strict=False)
    )


def _is_of_something_else(items: Sequence[Item], at: int, facts: Facts) -> bool:
    item = items[at]
    if item.kind == "AS":
        return not item.value
    if item.kind in ("NAME", "UNCLEAR"):
        return _is_of_another_language(items, item, facts)
    if item.kind != "NUM":
        return False
    if item.value > max(_HIGHEST_ODDS, _MANY_TIMES * sum(facts.left.values())):
        return True
    # Where the writer doubts or denies something, a number may well be of the orders.
    return _has_noun(items, at) and not any(other.kind in DOUBTS for other in items)


def _is_of_another_language(items: Sequence[Item], item: Item, facts: Facts) -> bool:
    """Return whether the start of a name is a word such as “au” in “Au revoir”.

    It has two letters, beside a word that no order has, in a line without a number.
    """
    kinds = {other.kind for other in items}
    is_start = fold(item.text) not in lexicon(facts.areas, facts.nations).exact
    return is_start and len(item.text) <= _SHORT and "UNKNOWN" in kinds and "NUM" not in kinds


def _has_noun(items: Sequence[Item], at: int) -> bool:
    """Return whether a number stands beside a noun that no order has, within a sentence.

    The noun has a capital (“10 December”), or it all follows IN or the like: “on December 10” and
    “in 3 weeks”, not “I find 6 sounds better”. Or OF follows the noun: “3 cm of snow”. Behind the
    verb of an order a noun is a place, though there is none of that name: “Put three Atlantis”.
    """
    if not at or items[at - 1].kind in BEGINNINGS:
        return False
    before = [item.kind in _PREPOSITIONS for item in items[1:at]]
    kinds = [item.kind for item in items[at + 1 : at + 3]]
    if kinds == [*kinds[:1], "NUM"] and kinds[0] in _SPANS:
        return _has_noun(items, at + 2)
    if before[-2:-1] == [True] and _is_noun(items[at - 1]) and items[at - 1].text[0].isupper():
        return True
    if not kinds or not _is_noun(items[at + 1]):
        return False
    return before[-1:] == [True] or kinds[1:] == ["OF"] or items[at + 1].text[0].isupper()


def _is_noun(item: Item) -> bool:
    """Return whether an item is a word that no order has and that stands for nothing else."""
    is_word = item.kind == "UNKNOWN" and item.text[0].isalpha()
    return is_word and not stands_for_nothing(item.text.casefold())
