"""What several letters of one sending ask alike, asked once: the seats, the result, the board of a
game that writes to everybody.

Letters rest on rows that stay as they are (a result, a phase that is over) or are told as they
stand when the letter is set; those of one sending are set within a moment of each other. Outside of
a sending nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Answer = TypeVar("Answer")
_KEPT: ContextVar[dict[Hashable, Any] | None] = ContextVar(
    "answers kept during one sending of letters", default=None
)


@contextmanager
def sending() -> Iterator[None]:
    """While this lasts, `ask` keeps what it has been told."""
    before = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(before)


def put(key: Hashable, answer: Any) -> None:
    """The answer that `ask` will give, where somebody has it already. Outside of a sending it is
    not kept."""
    kept = _KEPT.get()
    if kept is not None:
        kept[key] = answer


def ask(key: Hashable, question: Callable[[], Answer]) -> Answer:
    """The answer to a question, under a key that names everything it depends on. What is kept is
    everybody's: nobody may change it."""
    kept = _KEPT.get()
    if kept is None:
        return question()
    if key not in kept:
        kept[key] = question()
    answer: Answer = kept[key]
    return answer
