"""What the sender wrote in this message, parted from what he quotes (foundations 5).

Lines are looked at one by one from the top. Where it is doubtful whether a line is the sender's own
it is dropped: a lost line is told to him and costs a second mail; an order that he did not write in
this message could cost him the game.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from games.outbox.messages import markers

from . import attributions
from .normalize import looks_like_order, plain

_MARKER_BEGINS = "=== write above this line"
_MARKED = re.compile(r"[ \t\u200b]{0,4}(?:>|\||¦|│|┃|»\s|:\s?>|[A-Z][A-Za-z]{0,3}>(?:\s|$))")
#: Everything below is somebody else's, or an older letter.
_RULE = re.compile(r"\s*[_]{10,}\s*$")
_SIGNATURE = re.compile(r"\s{0,2}--\s*$|\s*-{2,3}\s?\xa0$|\s*—\s*$")
_MOST_DOUBTFUL = 10
_MARKS = re.compile(r"[ \t]*(?:[>|¦│┃][ \t]?)+")  # of quoted lines, several deep
_MOST_PREPARED = 600
_BEGINS = {line.casefold() for line in (markers.REPORT_BEGINS, markers.EARLIER_BEGINS)}
_ENDS = {line.casefold() for line in (markers.REPORT_ENDS, markers.EARLIER_ENDS)}


@dataclass(frozen=True)
class OwnWords:
    """What the sender wrote. `dropped` counts the lines that say something and were left out.

    `doubtful` are those of them (ten at most) that look like orders or commands and bear no clear
    mark of a quotation: the answer must say that they did not count. If nothing at all is the
    sender's own they are the last of all that look so, with mark or without: he may have written
    his answer into the quotation.
    """

    text: str
    dropped: int
    doubtful: tuple[str, ...] = ()


def own_words(text: str) -> OwnWords:
    """Drop lines that may not be the sender's own. Never raises."""
    lines = [line.rstrip() for line in text.split("\n")]
    ours = next((at for at, line in enumerate(lines) if _is_marker(line)), len(lines))
    reader = _Reader(lines[:ours])
    reader.run()
    reader.dropped += [line for line in lines[ours:] if line.strip()]
    own = re.sub(r"\n{3,}", "\n\n", "\n".join(reader.own)).strip("\n")
    doubtful = reader.doubtful[:_MOST_DOUBTFUL]
    if not own.strip():
        # He may have written into the quotation. The marks are his program's; the words are shown
        # as they stand behind them.
        doubtful = [
            line.strip()[:200] for line in reader.dropped if looks_like_order(_MARKED.sub("", line))
        ][-_MOST_DOUBTFUL:]
    return OwnWords(own, len(reader.dropped), tuple(doubtful))


def edited_report(text: str, begins: Collection[str]) -> tuple[str, ...]:
    """Return the referee report between two lines of a quoted letter, as its reader has edited it
    there; () where none is quoted.

    It counts only because its writer says so above it. Marks of quotation are taken away, and a
    line that begins with no word of a report continues the one above it, which a mail program has
    broken.
    """
    found: list[str] = []
    inside = False
    for line in text.split("\n"):
        said = plain(_MARKS.sub("", line, count=1)).strip()
        if said.casefold() in _BEGINS:
            inside = True
        elif said.casefold() in _ENDS or len(found) >= _MOST_PREPARED:
            break
        elif inside and said:
            first = re.match(r"[^\W\d_]+", said)
            if (
                not found
                or said.startswith("#")
                or (first is not None and first[0].upper() in begins)
            ):
                found.append(said)
            else:
                found[-1] = f"{found[-1]} {said}"
    return tuple(found)


def is_marked(line: str) -> bool:
    """Whether the line is marked as a quotation."""
    return _MARKED.match(line) is not None


def _is_marker(line: str) -> bool:
    return plain(line[:200]).strip().casefold().startswith(_MARKER_BEGINS)


class _Reader:
    """One pass over the lines. `own` are those kept, with a blank line where others were; `dropped`
    the others that say something."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.own: list[str] = []
        self.dropped: list[str] = []
        self.doubtful: list[str] = []
        self.signs = attributions.Signs(lines)

    def run(self) -> None:
        at = 0
        lazily = False  # directly under a marked line: perhaps the rest of it, broken by a program
        # under the footer of a telephone, or a disclaimer, which ends the sender's words until a
        # quotation has passed
        footer = False
        while at < len(self.lines):
            line = self.lines[at]
            if not line.strip("\u200b\ufeff \xa0\t"):
                self.own.append("")
                lazily = False
                at += 1
            elif is_marked(line):
                self._drop(line)
                lazily, footer = True, False
                at += 1
            elif lazily:
                self._drop(line, doubtful=True)
                at += 1
            elif self._ends_here(at):
                self._drop_rest(at)
                return
            elif said := self.signs.attribution(at):
                if not self._marked_follows(at + said):
                    self._drop_rest(at)
                    return
                for quoted in self.lines[at : at + said]:
                    self._drop(quoted)
                at += said
            elif self.signs.footer(at):
                self._drop(line)
                footer = True
                at += 1
            elif footer:
                self._drop(line, doubtful=True)
                at += 1
            else:
                self.own.append(line)
                at += 1

    def _ends_here(self, at: int) -> bool:
        line = self.lines[at]
        if _SIGNATURE.match(line) or self.signs.separator(at) or self.signs.block(at):
            return True
        return _RULE.match(line) is not None

    def _marked_follows(self, at: int) -> bool:
        """Whether the next line that says something is marked as a quotation."""
        following = next(
            (line for line in self.lines[at : at + 20] if line.strip("\u200b\ufeff \xa0\t")), ""
        )
        return is_marked(following)

    def _drop(self, line: str, *, doubtful: bool = False) -> None:
        self.own.append("") if self.own and self.own[-1] else None
        self.dropped.append(line)
        if doubtful and looks_like_order(line):
            self.doubtful.append(line.strip()[:200])

    def _drop_rest(self, at: int) -> None:
        """Everything from here on. Lines are doubtful down to our own marker, however marked, below
        which stands our own letter."""
        ours = False
        for line in self.lines[at:]:
            ours = ours or _is_marker(line.lstrip("> |"))
            if line.strip():
                self._drop(line, doubtful=not ours and not is_marked(line))
