"""How much of what repeats itself a run does.

`SOAK=1` (`make soak`, before a release): nothing is a sample, and both databases run the same
tests. `EXAMPLES=20`: the same, with twenty times as many made-up examples. Without either a test of
hundreds of like cases takes a sample, always the same one, spread evenly over all kinds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")
LONGER = int(os.environ.get("EXAMPLES", "1"))
#: Whether nothing is a sample.
WHOLE = os.environ.get("SOAK", "") not in ("", "0") or LONGER > 1
#: Whether these are the tests that run once more on a second database (tests/conftest.py).
SECOND = os.environ.get("TESTS_DATABASE", "sqlite") == "postgresql"


def examples(number: int, *, daily: int | None = None) -> int:
    """So many made-up examples, `daily` without a soak, `EXAMPLES` times as many with it."""
    return number * LONGER if WHOLE or daily is None else daily


def sample(cases: Sequence[Case], number: int) -> list[Case]:
    """All cases in a soak, else so many: first, last, and what lies evenly between."""
    if WHOLE or number >= len(cases):
        return list(cases)
    if number < 2:
        return list(cases[:number])
    return [cases[place * (len(cases) - 1) // (number - 1)] for place in range(number)]
