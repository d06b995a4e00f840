"""An order text line by line, with what was understood and the remarks on each line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from games.rules.orders import LINE_END, is_reworded

#: Lines are counted as the rules count them.


@dataclass(frozen=True)
class Line:
    """A line of an order text, with what was understood of it and the remarks on it."""

    number: int
    text: str
    understood: tuple[str, ...]
    remarks: tuple[dict[str, Any], ...]
    meaning: str = ""  # in words, where orders are typed and not chosen
    own_words: bool = False  # free text for the gamesmaster to judge

    @property
    def written(self) -> str:
        """Return the sender's words where the service understood the line in other words; or ""."""
        reworded = is_reworded(self.text, self.understood)
        return self.text if reworded and not self.own_words else ""

    @property
    def state(self) -> str:
        """Return "rejected", "warned", "noted" or "understood", by the worst remark on the line."""
        severities = {remark["severity"] for remark in self.remarks}
        if "error" in severities:
            return "rejected"
        if "warning" in severities:
            return "warned"
        return "understood" if self.understood else "noted"


def lines_of(text: str, understood: Any, remarks: list[dict[str, Any]]) -> list[Line]:
    """Return the nonblank lines of a text, and other lines that have remarks."""
    words_by_line: dict[int, list[str]] = {}
    for number, words in understood:
        words_by_line.setdefault(number, []).append(words)
    remarks_by_line: dict[int, list[dict[str, Any]]] = {}
    for remark in remarks:
        remarks_by_line.setdefault(remark["line"], []).append(remark)
    text_by_line = dict(enumerate(LINE_END.split(text), start=1))
    numbers = sorted(
        {number for number, line in text_by_line.items() if line.strip()}
        | set(words_by_line)
        | set(remarks_by_line)
    )
    return [
        Line(
            number,
            text_by_line.get(number, "").strip(),
            tuple(words_by_line.get(number, ())),
            tuple(remarks_by_line.get(number, ())),
        )
        for number in numbers
    ]
