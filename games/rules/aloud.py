"""Spoken forms of figures, stocks and names, for reading orders back and results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .names import all_of
from .plan import PlannedOrder
from .verbs import Verb

_SMALL = (
    "none",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
#: Names that always take an article in speech.
WITH_ARTICLE = (
    "USA",
    "Rhineland",
    "Baltic States",
    "Soviet Union",
    "Far East",
    "Netherlands",
    "Balkans",
)


def number(whole: int) -> str:
    """Return a whole number in words up to 99, and in figures beyond."""
    if whole < len(_SMALL):
        return _SMALL[whole]
    if whole < 100:
        tens, units = divmod(whole, 10)
        return _TENS[tens] + (f"-{_SMALL[units]}" if units else "")
    return str(whole)


def stock(symbol: str, companies: Mapping[str, str]) -> str:
    """Return a stock as company name and single letters: “General Electric, G E”.

    A stock without a known name is only spelled.
    """
    spelled = " ".join({".": "point", "-": "hyphen"}.get(char, char) for char in symbol)
    name = companies.get(symbol, "")
    return f"{name}, {spelled}" if name and name != symbol else spelled


def the(name: str) -> str:
    return f"the {name}" if name in WITH_ARTICLE else name


def every(names: Sequence[str]) -> str:
    return all_of([the(name) for name in names])


def say(verb: Verb, order: PlannedOrder, nation: str, written: str) -> str:
    """Return an order of a nation as a sentence to read aloud, by the verb's `spoken`.

    Without that, return the line as `written`.
    """
    if not verb.spoken:
        return f"{written}."
    places = {
        "number": number(order.number),
        "area": the(order.area or ""),
        "nations": every(order.nations),
        "own": the(nation),
    }
    return f"{verb.spoken.format_map(places)}."


def capitalize(sentence: str) -> str:
    """Return a sentence with a capital letter first."""
    return sentence[:1].upper() + sentence[1:]


def losses(lost: Mapping[str, int]) -> str:
    """Return a sentence to append, " Germany loses three, Russia loses two."; "" without losses."""
    text = ", ".join(f"{the(nation)} loses {number(pf)}" for nation, pf in lost.items())
    return f" {capitalize(text)}." if text else ""
