"""Choose how many examples and like cases a run tests.

`SOAK=1` (`make soak`, before a release) tests every case, on both databases. `EXAMPLES=20` does the
same with twenty times as many generated examples. Otherwise a test of hundreds of like cases takes
a fixed sample, spread evenly over all kinds.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")
LONGER = int(os.environ.get("EXAMPLES", "1"))
#: Whether every case is tested.
WHOLE = os.environ.get("SOAK", "") not in ("", "0") or LONGER > 1
#: Whether this run repeats tests on a second database (tests/conftest.py).
SECOND = os.environ.get("TESTS_DATABASE", "sqlite") == "postgresql"


def examples(number: int, *, daily: int | None = None) -> int:
    """Return the number of generated examples; without a soak `daily`, if given."""
    return number * LONGER if WHOLE or daily is None else daily


def chosen(name: str) -> bool:
    """Return whether a case of this name is one of the half that is tested outside a soak."""
    return WHOLE or zlib.crc32(name.encode()) % 2 == 0


def sample(cases: Sequence[Case], number: int) -> list[Case]:
    """Return all cases in a soak, else `number` of them, evenly spread."""
    if WHOLE or number >= len(cases):
        return list(cases)
    if number < 2:
        return list(cases[:number])
    return [cases[place * (len(cases) - 1) // (number - 1)] for place in range(number)]
