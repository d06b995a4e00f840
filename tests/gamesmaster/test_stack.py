"""Calls ask the system for no memory wherever on Python's stack they are made."""

from __future__ import annotations

import resource
from collections.abc import Callable

from games.base.stack import roomy

CALLS = 200


def leaf() -> None:
    """Stands for what a page calls in a loop. Its frame is larger than those of `deeper`."""


leaf.__code__ = leaf.__code__.replace(co_stacksize=100)


def pages_touched() -> int:
    """Return how many pages of memory the system had to provide for a loop of calls."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(CALLS):
        leaf()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def deeper(depth: int, function: Callable[[], int]) -> int:
    return deeper(depth - 1, function) if depth else function()


def most_pages(function: Callable[[int], int]) -> int:
    """Return the most of all depths: more than there are in two blocks of the stack."""
    return max(function(depth) for depth in range(300))


def test_calls_below_a_roomy_function_need_no_memory_at_any_depth() -> None:
    def plain(depth: int) -> int:
        return deeper(depth, pages_touched)

    # Once this fails, Python keeps the block: `roomy` can go.
    assert most_pages(plain) >= CALLS
    assert most_pages(roomy(plain)) < CALLS // 10
