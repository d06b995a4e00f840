"""Compute Game-Turns and seasons (5.7, 10.73, 10.91, 18.1).

Turn 1 is 4/39, and a year has four turns. Printed pairs: 1 = 4/39, 7 = 2/41, 15 = 2/43; 23 is the
last turn that case 5.7 mentions. The printed rules do not say which quarter is spring:
`spi.seasons` = winter1 makes the first quarter winter, spring1 makes it spring.
"""

from __future__ import annotations

from .card import Card


def _place(card: Card, turn: int) -> int:
    return card.first_quarter - 1 + turn - 1


def quarter(card: Card, turn: int) -> int:
    return _place(card, turn) % card.quarters + 1


def year(card: Card, turn: int) -> int:
    return card.first_year + _place(card, turn) // card.quarters


def label(card: Card, turn: int) -> str:
    """Return "4/39": quarter and the last two figures of the year, as the rules print it."""
    return f"{quarter(card, turn)}/{year(card, turn) % 100:02d}"


def printed_label(turn: int) -> str:
    """Return the label by the printed calendar, for use without a card (Rules B.1)."""
    return f"{(turn + 2) % 4 + 1}/{(1939 + (turn + 2) // 4) % 100:02d}"


def turn_of(card: Card, quarter: int, year: int) -> int:
    """Return the turn of a quarter; below 1 for one before the war."""
    return (year - card.first_year) * card.quarters + quarter - card.first_quarter + 1


def season(card: Card, turn: int, reading: str) -> str:
    """Return winter, spring, summer or autumn, by `spi.seasons`."""
    return card.seasons[reading][quarter(card, turn) - 1]


def begins_year(card: Card, turn: int) -> bool:
    """Return whether a Game-Turn is the first of its Game-Year.

    Turn 1 is, as the only one of 1939.
    """
    return turn == 1 or quarter(card, turn) == 1
