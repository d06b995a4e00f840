"""Find names as players write them.

This includes the shared synonyms and those of this chart: "Russia" is the USSR here, "Holland" the
Netherlands.
"""

from __future__ import annotations

from functools import lru_cache

from games.rules.names import NameFault, Vocabulary, fold

from .card import Card

SYNONYMS = {
    "USSR": ("Russia", "Soviet Union", "Soviets", "Soviet Russia"),
    "Netherlands": ("Holland", "the Netherlands"),
    "French Morocco": ("Fr. Morocco", "Fr Morocco", "Morocco"),
    "Persia": ("Iran",),
    "USA": ("the USA", "the US"),
}
LONGEST_NAME = 40  # longer than any name; errors quote this many characters of longer text
_MEANING = {fold(synonym): name for name, synonyms in SYNONYMS.items() for synonym in synonyms}


def count_words(number: int, thing: str) -> str:
    """ "1 point", "3 points"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


class Names:
    """The countries and powers of a card."""

    def __init__(self, countries: tuple[str, ...], powers: tuple[str, ...]) -> None:
        self._countries = Vocabulary(countries, "country")
        self._powers = Vocabulary(powers, "power")

    def country(self, text: str) -> str:
        """Return the country; the homes of powers are countries too.

        Raise `NameFault` if unknown.
        """
        return self._find(self._countries, text)

    def power(self, text: str) -> str:
        """Return the power. Raise `NameFault` if unknown."""
        try:
            return self._find(self._powers, text)
        except NameFault as fault:
            if country := self._country(text):
                why = f"there is no power “{text}”; {country} is a country"
                raise NameFault(why, fault.near) from fault
            raise

    def _country(self, text: str) -> str:
        try:
            return self.country(text)
        except NameFault:
            return ""

    def powers(self, text: str) -> tuple[str, ...]:
        """Return powers separated by commas or "and", each once.

        Raise `NameFault` if one is unknown.
        """
        parts = [
            part
            for chunk in text.split(",")
            for part in chunk.replace(" AND ", " and ").split(" and ")
        ]
        return tuple(dict.fromkeys(self.power(part.strip()) for part in parts))

    @staticmethod
    def _find(vocabulary: Vocabulary, text: str) -> str:
        name = _MEANING.get(fold(text))
        if name is not None and name in vocabulary.names:
            return name
        if not text.strip():
            raise NameFault(f"the name of a {vocabulary.noun} is missing")
        if len(text) > LONGEST_NAME:
            raise NameFault(f"there is no {vocabulary.noun} “{text[:LONGEST_NAME]}…”")
        return vocabulary.find(text)


@lru_cache(maxsize=16)
def _names(countries: tuple[str, ...], powers: tuple[str, ...]) -> Names:
    return Names(countries, powers)


def names_of(card: Card) -> Names:
    return _names(card.areas, card.order)
