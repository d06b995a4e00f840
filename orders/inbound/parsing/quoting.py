"""Separate the sender's own words in a message from quotations.

Lines are examined one by one from the top. A line that may not be the sender's own is dropped: a
lost line is reported to the sender and costs a second mail, while an order that they did not write
in this message could cost them the game.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from games.base import markers

from . import attributions, headings
from .normalize import normal, plain
from .notices import notice_at
from .suspects import Suspects

_MARKER_BEGINS = "=== write above this line"
_MARKED = re.compile(r"[ \t\u200b]{0,4}(?:>|\||¦|│|┃|»\s|:\s?>|[A-Z][A-Za-z]{0,3}>(?:\s|$))")
#: Everything below was written by another person, or in an older letter.
_RULE = re.compile(r"\s*[_]{10,}\s*$")
_SIGNATURE = re.compile(r"\s{0,2}([*_]{0,2})--\s*\1\s*$|\s*-{2,3}\s?\xa0$|\s*—\s*$")
#: A row of a table, with strokes at both ends.
_ROW = re.compile(r"[ \t\u200b]{0,4}\|.*\|\s*$")
_MOST_DOUBTFUL = 10
#: A mark that a sender may have typed, as in a table.
_TYPED_MARK = re.compile(r"[ \t\u200b]{0,4}[|¦│┃»]")
_MARKS = re.compile(r"[ \t]*(?:[>|¦│┃][ \t]?)+")  # of quoted lines, several levels deep
_OLDER = re.compile(r"[ \t]*>[ \t]?>")  # quoted in what is quoted
_MOST_PREPARED = 600
#: What stores of mail make of a line that begins with “From ” (RFC 4155).
_FROM_OF_MAILBOX = ">From "
_BEGINS, _ENDS = markers.REPORT_BEGINS.casefold(), markers.REPORT_ENDS.casefold()


@dataclass(frozen=True)
class OwnWords:
    """What the sender wrote. `dropped` counts the nonblank lines that were left out.

    `doubtful` are those of them (10 at most) that look like orders or commands and are not known to
    be quoted: the answer must say that they did not count. If no line is the sender's own, they are
    the last ones that look so, marked or not, because the sender may have written their answer into
    the quotation. `unsure` are others that may be the sender's own: notices, and lines below a
    footer or directly below a quotation.

    `end` is the line that ended the sender's words if the END of a letter follows it, or "".
    """

    text: str
    dropped: int
    doubtful: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    end: str = ""


def own_words(text: str, suspects: Suspects | None = None) -> OwnWords:
    """Drop lines that may not be the sender's own. Never raises.

    `suspects` says which of them look like orders; by default only canonical ones do.
    """
    suspects = suspects or Suspects()
    lines = [line.rstrip() for line in text.split("\n")]
    marker_at = next((at for at, line in enumerate(lines) if _is_marker(line)), len(lines))
    reader = _Reader(_without_marks_of_mailbox(lines[:marker_at]), suspects)
    reader.run()
    below = lines[marker_at:]
    reader.dropped += [line for line in below if line.strip()]
    own = re.sub(r"\n{3,}", "\n\n", "\n".join(reader.own)).strip("\n")
    doubtful = [*reader.doubtful, *new_lines(below, suspects)][:_MOST_DOUBTFUL]
    if not own.strip():
        # The sender may have written into the quotation. The marks are their program's; show the
        # words without them.
        doubtful = _meant_in_quotation(reader.dropped, suspects)
    return OwnWords(
        own, len(reader.dropped), tuple(doubtful), tuple(reader.unsure), reader.end.strip()
    )


def new_lines(quoted: Sequence[str], suspects: Suspects) -> tuple[str, ...]:
    """Return the lines of what is quoted that look like orders and are not in the quoted letter."""
    in_letter = any(map(_is_marker, quoted))
    new = [
        line.strip()[:200]
        for line in quoted
        if suspects.is_new_in_quotation(line, in_letter=in_letter)
    ]
    return tuple(new[:_MOST_DOUBTFUL])


def _without_marks_of_mailbox(lines: list[str]) -> list[str]:
    """Return the lines with “From ” where a store of mail has made “>From ” of it.

    Between lines that are marked, and below an attribution, it is a quotation.
    """
    return [
        line[1:] if line.startswith(_FROM_OF_MAILBOX) and not _is_quoted(lines, at) else line
        for at, line in enumerate(lines)
    ]


def _is_quoted(lines: list[str], at: int) -> bool:
    """Return whether the lines around one say that it is quoted."""
    others = [
        next((line for line in around[:20] if line and not line.startswith(_FROM_OF_MAILBOX)), "")
        for around in (lines[at - 1 :: -1] if at else [], lines[at + 1 :])
    ]
    return any(map(is_marked, others)) or others[0].endswith((":", "："))


def _meant_in_quotation(dropped: list[str], suspects: Suspects) -> list[str]:
    """Return the last lines that look like orders; if any are not our letter's, only those."""
    alike = [line for line in dropped if suspects.looks_meant(_MARKED.sub("", line))]
    new = [line for line in alike if not suspects.is_ours(line)]
    return [line.strip()[:200] for line in (new or alike)[-_MOST_DOUBTFUL:]]


def edited_report(text: str, begins: Collection[str]) -> tuple[str, ...]:
    """Return the lines of the referee report in a quoted letter, as edited there, or ().

    It counts only because the writer says so above it. Quotation prefixes (“>”) are removed. A line
    that does not begin with a word of a report continues the line above, broken by a mail program.
    """
    report_lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        words = plain(_MARKS.sub("", line, count=1)).strip()
        if words.casefold() == _BEGINS:
            inside = True
        elif words.casefold() == _ENDS or len(report_lines) >= _MOST_PREPARED:
            break
        elif inside and words:
            first = re.match(r"[^\W\d_]+", words)
            if (
                not report_lines
                or words.startswith("#")
                or (first is not None and first[0].upper() in begins)
            ):
                report_lines.append(words)
            else:
                report_lines[-1] = f"{report_lines[-1]} {words}"
    return tuple(report_lines)


def is_marked(line: str) -> bool:
    """Return whether the line is marked as a quotation."""
    return _MARKED.match(line) is not None


def _is_marker(line: str) -> bool:
    return plain(line[:200]).strip().casefold().startswith(_MARKER_BEGINS)


class _Reader:
    """One pass over the lines.

    `own` are the lines kept, with a blank line in place of others. `dropped` are the other nonblank
    lines.
    """

    def __init__(self, lines: list[str], suspects: Suspects) -> None:
        self.lines = lines
        self.suspects = suspects
        self.own: list[str] = []
        self.dropped: list[str] = []
        self.doubtful: list[str] = []
        self.unsure: list[str] = []
        self.end = ""
        self.letters = 0  # our own markers above, quoted
        self.quoted = False  # whether anything above is quoted
        self.signs = attributions.Signs(lines)

    def run(self) -> None:
        at = 0
        below_marked = False  # right below a marked line: may be its rest, broken by a mail program
        # below a phone's footer or a disclaimer, which ends the sender's words until a quotation
        # has passed
        footer = False
        while at < len(self.lines):
            line = self.lines[at]
            if not line.strip("\u200b\ufeff \xa0\t"):
                self.own.append("")
                below_marked = False
                at += 1
            elif table_size := self._table(at):
                self.own += self.lines[at : at + table_size]
                at += table_size
            elif is_marked(line):
                self._drop_marked(line)
                below_marked, footer = True, False
                at += 1
            elif below_marked:
                self._drop(line, unsure=True)
                at += 1
            elif letter_size := 0 if footer else self._letter(at):
                self.own += self.lines[at : at + letter_size]
                at += letter_size
            elif self._ends_here(at):
                self._drop_rest(at)
                return
            elif attribution_size := self.signs.attribution(at):
                if not self._quotation_follows(at + attribution_size):
                    self._drop_rest(at)
                    return
                for quoted in self.lines[at : at + attribution_size]:
                    self._drop(quoted)
                self.quoted = True
                at += attribution_size
            elif footer:
                self._drop(line, unsure=True)
                at += 1
            elif self.signs.footer(at) and not self.suspects.names_card(line):
                self._drop(line, unsure=True)
                # A phone puts it above a quotation, if there is one; or its owner wrote below it.
                footer = any(self.own) or self._has_quotation(at + 1)
                at += 1
            elif notice := notice_at(self.lines, at, self.suspects):
                for part in self.lines[at : at + notice.size]:
                    self._drop(part, unsure=True)
                # Above the text a disclaimer ends nothing: a gateway has put it there.
                footer = notice.is_disclaimer and any(self.own)
                at += notice.size
            else:
                self.own.append(line)
                at += 1

    def _table(self, at: int) -> int:
        """Return the number of rows of the table that its sender has typed here, or 0.

        Some programs mark a quotation with strokes, but no row of it ends with one unless all of
        the quotation is a table.
        """
        if self.quoted:
            return 0
        end = at
        while end < len(self.lines) and _ROW.match(self.lines[end]):
            end += 1
        apart = end == len(self.lines) or not is_marked(self.lines[end])
        typed = not any(map(self.suspects.is_ours, self.lines[at:end]))
        return end - at if apart and typed else 0

    def _letter(self, at: int) -> int:
        """Return the number of lines of the letter to other players that begins here.

        All lines down to its END belong to it, also signatures and quotations in it. Return 0 if it
        has no END, or if the END may be quoted: below our marker, or below an attribution or a
        block of headers that a program wrote.
        """
        if not self.suspects.opens_letter(self.lines[at]):
            return 0
        for below in range(at + 1, len(self.lines)):
            line = self.lines[below]
            if headings.ends(normal(line)):
                return below + 1 - at
            if self.suspects.opens_letter(line) or self._is_written_by_program(below):
                return 0
        return 0

    def _is_written_by_program(self, at: int) -> bool:
        """Return whether a line begins what a program has quoted."""
        if _is_marker(_MARKS.sub("", self.lines[at], count=1)) or self.signs.separator(at):
            return True
        if is_marked(self.lines[at]):
            return False
        if self.signs.block(at):
            return self.signs.is_dated(at, 6)
        size = self.signs.attribution(at)
        return size > 0 and self.signs.is_dated(at, size) and not self._quotation_follows(at + size)

    def _ends_here(self, at: int) -> bool:
        line = self.lines[at]
        if _SIGNATURE.match(line) or self.signs.separator(at) or self.signs.block(at):
            return True
        # Below words of the sender's own, also in languages that nobody has listed.
        return _RULE.match(line) is not None or (any(self.own) and self.signs.labeled(at))

    def _has_quotation(self, at: int) -> bool:
        """Return whether anything below is quoted."""
        below = range(at, len(self.lines))
        return any(
            is_marked(self.lines[line]) or self._ends_here(line) or self.signs.attribution(line)
            for line in below
        )

    def _quotation_follows(self, at: int) -> bool:
        """Return whether the next nonblank line is marked as a quotation."""
        following = next(
            (line for line in self.lines[at : at + 20] if line.strip("\u200b\ufeff \xa0\t")), ""
        )
        return is_marked(following)

    def _drop(self, line: str, *, unsure: bool = False) -> None:
        """Drop a line; `unsure`: it may be the sender's own."""
        self.own.append("") if self.own and self.own[-1] else None
        self.dropped.append(line)
        if unsure and self.suspects.looks_meant(_TYPED_MARK.sub("", line)):
            self._doubt(line)
        elif unsure:
            self.unsure.append(line.strip())

    def _drop_marked(self, line: str) -> None:
        """Drop a line marked as a quotation, by a program or in a table of the sender's own."""
        self.quoted = True
        self.letters += _is_marker(_MARKS.sub("", line, count=1))
        typed = _TYPED_MARK.sub("", line)
        self._drop(line)
        if (typed != line and not self.letters and self.suspects.looks_meant(typed)) or (
            self._is_new(line, in_letter=self.letters > 0)
        ):
            self._doubt(line)

    def _is_new(self, line: str, *, in_letter: bool) -> bool:
        """Return whether the sender may have written a marked line; of older letters, none."""
        return (
            self.letters < 2
            and _OLDER.match(line) is None
            and self.suspects.is_new_in_quotation(line, in_letter=in_letter)
        )

    def _doubt(self, line: str) -> None:
        if len(self.doubtful) < _MOST_DOUBTFUL:
            self.doubtful.append(line.strip()[:200])

    def _drop_rest(self, at: int) -> None:
        """Drop everything from here on.

        Lines are doubtful down to our own marker, however quoted; our own letter follows below it.
        """
        below_marker = False
        for line in self.lines[at:]:
            below_marker = below_marker or _is_marker(line.lstrip("> |"))
            if not line.strip():
                continue
            if not below_marker and not self.end and headings.ends(normal(line)):
                self.end = self.lines[at]
            self._drop(line)
            if is_marked(line) or below_marker:
                if self._is_new(line, in_letter=below_marker):
                    self._doubt(line)
            elif self.suspects.looks_meant(line):
                self._doubt(line)
