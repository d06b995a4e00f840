"""Whether this process is asked to end, for tasks of many pieces: what ends the process gives a
task seconds to finish, and then kills it.

The flag is in memory that a process shares with those it forks, because only the worker gets the
signal and not the processes of its pool.
"""

from __future__ import annotations

import mmap

_shared = mmap.mmap(-1, 1)


def ask() -> None:
    """Ask all tasks of this process, and of those that it has forked, to stop after a piece."""
    _shared[0] = 1


def is_asked() -> bool:
    """Return whether a task should stop now, and release what it has not begun."""
    return _shared[0] == 1
