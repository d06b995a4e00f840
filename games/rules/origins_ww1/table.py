"""The Diplomatic Attack Table and the odds (Rules A.1, A.2)."""

from __future__ import annotations

BEST = 4  # "4 to 1 or over"
LESS = "lt1"
COLUMNS = (LESS, "1-1", "2-1", "3-1", "4-1")  # as events write them
AE, EX, DE = "AE", "EX", "DE"

# Rows are the faces of the die.
TABLE: dict[int, tuple[str, ...]] = {
    1: (AE, AE, AE, EX, EX),
    2: (AE, AE, EX, EX, EX),
    3: (AE, EX, EX, EX, EX),
    4: (EX, EX, EX, EX, DE),
    5: (EX, EX, EX, DE, DE),
    6: (EX, DE, DE, DE, DE),
}

OUTCOMES = {AE: "attacker eliminated", EX: "exchange", DE: "defender eliminated"}


def column(attacker: int, defender: int) -> int:
    """Return the column, 0 for below 1-1 up to 4 (A.2). Fractions are dropped: 23 to 8 is 2-1."""
    return min(attacker // defender, BEST)


def result(column: int, die: int) -> str:
    return TABLE[die][column]


def count(column: int, result: str) -> int:
    """Return in how many of the 6 rows a result appears in a column."""
    return sum(row[column] == result for row in TABLE.values())


def losses(result: str, attacker: int, defender: int) -> tuple[int, int]:
    """Return the losses of attacker and defender: AE and DE cost one side its pile, EX costs each
    side what the smaller pile has."""
    if result == AE:
        return attacker, 0
    if result == DE:
        return 0, defender
    both = min(attacker, defender)
    return both, both


def odds_in_words(odds: str) -> str:
    """Return odds as a sentence has them: “below 1-1” for lt1."""
    return "below 1-1" if odds == LESS else odds
