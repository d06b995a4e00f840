"""The outcome of a message for its answer: sections of plain text, stored as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Section:
    """A part of an answer.

    `kept` are lines shown as written, `points` a list. `board` is a table: nations, rows, legend
    and text.
    """

    heading: str
    paragraphs: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)  # paragraphs below lines and points
    board: dict[str, Any] | None = None


@dataclass
class Outcome:
    """The answer to a message.

    `subject` is that of the message, to keep the thread together. `words` say in a sentence what
    was done.
    """

    subject: str = ""
    words: str = ""
    sections: list[Section] = field(default_factory=list)
    phase: int | None = None  # the primary key of the phase that the message was about
    # the hash of each submission, as the letter shows it
    anchors: list[str] = field(default_factory=list)
    quiet: bool = False  # only a receipt for orders that were accepted without remarks
    #: Actions that a gamesmaster can confirm, each with its code (orders.inbound.desk_by_mail).
    pending: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
