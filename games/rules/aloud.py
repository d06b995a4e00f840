"""Figures, stocks and names as they are said aloud: what all games share in reading orders back and
results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .names import all_of

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
#: Names that are spoken with an article, wherever they stand.
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
    """A whole number in words, as far as boards go; beyond them in figures."""
    if whole < len(_SMALL):
        return _SMALL[whole]
    if whole < 100:
        tens, units = divmod(whole, 10)
        return _TENS[tens] + (f"-{_SMALL[units]}" if units else "")
    return str(whole)


def stock(symbol: str, companies: Mapping[str, str]) -> str:
    """A stock by its company's name and its letters one by one: “General Electric, G E”; by letters
    alone where nobody knows the name."""
    spelt = " ".join({".": "point", "-": "hyphen"}.get(sign, sign) for sign in symbol)
    name = companies.get(symbol, "")
    return f"{name}, {spelt}" if name and name != symbol else spelt


def the(name: str) -> str:
    return f"the {name}" if name in WITH_ARTICLE else name


def every(names: Sequence[str]) -> str:
    return all_of([the(name) for name in names])


def capitalize(sentence: str) -> str:
    """Return a sentence with a capital letter first."""
    return sentence[:1].upper() + sentence[1:]


def losses(lost: Mapping[str, int]) -> str:
    """Return " Germany loses three, Russia loses two." to follow a sentence; "" without losses."""
    said = ", ".join(f"{the(nation)} loses {number(pf)}" for nation, pf in lost.items())
    return f" {capitalize(said)}." if said else ""
