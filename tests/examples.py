"""How many examples a test of properties draws: enough to be worth it in each run, and as many more as a long night is given for."""

from __future__ import annotations

import os

LONGER = int(os.environ.get("EXAMPLES", "1"))


def examples(number: int) -> int:
    """So many, or with `EXAMPLES=20` in the environment twenty times as many."""
    return number * LONGER
