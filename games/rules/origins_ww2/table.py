"""The conflict table for play by mail, and the odds (Rules C.0, K2)."""

from __future__ import annotations

BEST = 5  # "5 or more to 1"

# Rows are the digits as printed, columns are 1-1 to 5-1: X exchange, D defenders eliminated,
# A attacker eliminated, - nothing. In the 1-1 column D follows two X, as printed; the chances are
# the same either way (D4).
TABLE: dict[int, str] = {
    1: "XDDDD",
    2: "XXDDD",
    3: "DXDDD",
    4: "-XDDD",
    5: "-XDDD",
    6: "-XXDD",
    7: "--XDD",
    8: "A-XXD",
    9: "A--XX",
    0: "A--XX",
}

OUTCOMES = {
    "A": "attacker eliminated",
    "D": "defender eliminated",
    "X": "exchange",
    "-": "nothing happens",
}


def odds(attacker: int, defender: int) -> int | None:
    """Return the column, 1 to 5; None below 1-1 (K2, K3). Fractions are dropped: 13 to 7 is 1-1."""
    if defender <= 0 or attacker < defender:
        return None
    return min(attacker // defender, BEST)


def result(column: int, digit: int) -> str:
    return TABLE[digit][column - 1]
