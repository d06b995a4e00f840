"""What became of a message, as its answer says it: sections of plain words, kept as JSON and set as
they are."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Section:
    """A part of an answer. `kept` are lines shown as they stand, `points` a list; `board` is a
    table: nations, rows, legend and text."""

    heading: str
    paragraphs: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)  # paragraphs below lines and points
    board: dict[str, Any] | None = None


@dataclass
class Outcome:
    """The one answer to a message. `subject` is that of the message, for its thread; `words` say in
    a sentence what was done."""

    subject: str = ""
    words: str = ""
    sections: list[Section] = field(default_factory=list)
    phase: int | None = None  # the row of the phase that was spoken of
    anchors: list[str] = field(
        default_factory=list
    )  # the hash of each submission, as the letter shows it
    quiet: bool = False  # a receipt for orders taken whole, and nothing else
    #: What a gamesmaster may confirm, with its code (orders.inbound.desk_by_mail).
    pending: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
