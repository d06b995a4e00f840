"""Letters on paper: the text of the mail, laid out with the address where a window envelope shows
it.

This module finds the paragraphs, headings, lists and indented lines in the text, and replaces the
board by a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from games.base import text as gamesmaster_text
from games.boards.mosaic import places
from games.letters import printing
from games.letters.builders import build
from games.letters.context import Batch, Context
from games.letters.paragraphs import COLUMNS, unfold
from games.letters.rendering import KEPT
from games.models import Letter, Phase, Resolution, Seat
from games.timing import local_time

from . import setting

_HEADING = re.compile(r"[^a-z]*[A-Z][^a-z(]*(\(.*\))?")
_NUMBERED = re.compile(r"[0-9]+\. ")
_LINK = re.compile(r"\s*https?://\S+\s*")
Block = dict[str, Any]
#: How to reply, for people who cannot open a page.
ANSWER = (
    "Write to the address at the top of this letter, or telephone the gamesmaster. The pages are"
    " for players with a computer."
)


def letters_pdf(letters: Sequence[Letter], now: datetime, paper: str = setting.A4) -> bytes:
    """Return letters as one PDF, each beginning on a new sheet and dated when it was written."""
    return setting.pdf(
        "letter", content(letters), letters[-1].written_at if letters else now, paper
    )


def report_pdf(resolution: Resolution, seat: Seat, now: datetime, paper: str = setting.A4) -> bytes:
    """Return the report on a phase as the people in a seat get it, even if they get it by mail."""
    return setting.pdf("letter", content([report(resolution, seat, now)]), now, paper)


def report(resolution: Resolution, seat: Seat, now: datetime) -> Letter:
    """Return the letter with the report, without writing it to the outbox."""
    phase = resolution.phase
    people = setting.players_of(seat)
    about: dict[str, Any] = {"resolution": resolution.pk, "seats": [seat.pk]}
    following = Phase.objects.filter(previous=phase.pk).order_by("-number").first()
    if following is not None and following.status == Phase.Status.OPEN:
        about |= {"next": following.pk, "deadline": following.deadline.isoformat()}
    return Letter(
        kind="board",
        game=phase.game,
        phase=phase,
        person=people[0] if people else None,
        about=about,
        written_at=now,
    )


def content(letters: Sequence[Letter]) -> dict[str, Any]:
    """Return the template's data for some letters."""
    return {"letters": [_letter(letter) for letter in letters]}


def _letter(letter: Letter) -> dict[str, Any]:
    content = printing.content(letter)
    card = letter.game.card if letter.game is not None else {}
    names = [*card.get("order", ()), *card.get("areas", ())]  # headings keep their capitals
    zone = letter.person.zone if letter.person else letter.game.zone if letter.game else "UTC"
    day, _, _ = local_time.in_words(letter.written_at, zone).partition(",")
    return {
        "sender": setting.sender_of(letter.game) if letter.game else [],
        "address": (
            setting.address_of(letter.person)
            or [seat.nation for seat in Context(letter, Batch.for_letters([letter])).seats]
        ),
        "day": day,
        "subject": _subject(letter, content.subject),
        "blocks": list(blocks(content.text, _table(letter), names)),
        "answer": ANSWER if letter.person is not None and letter.person.by_post else "",
        # Where the text does not say it itself.
        "demo": (
            letter.game is not None
            and letter.game.sales_made_up
            and "DEMO: the sales" not in content.text
        ),
    }


def _subject(letter: Letter, subject: str) -> str:
    """Return game and phase as the subject; mail subjects are alike within a game's thread."""
    if letter.game is None:
        return subject
    title = gamesmaster_text.one_line(letter.game.title)
    return f"{title}: {letter.phase.title}" if letter.phase is not None else title


def _table(letter: Letter) -> tuple[str, dict[str, Any]] | None:
    """Return the board as it is in the letter's text, and as a table; None for a letter without a
    board, or with an empty one, of which the text has a sentence."""
    facts = build(letter)
    if "board" not in facts or "rows" not in facts or facts["bare"] or letter.game is None:
        return None
    if facts["stated"]:
        stated = [{"area": row.area, "cells": list(row.cells)} for row in facts["rows"]]
        return str(facts["board"]), {
            "kind": "stated",
            "rows": stated,
            "legend": facts["legend"],
            "sums": facts["below"],
        }
    rows = [
        {"area": row.area, "cells": [_parse_cell(cell) for cell in row.cells]}
        for row in facts["rows"]
    ]
    homes = letter.game.card.get("home", {})
    for row in rows:
        for name, cell in zip(facts["nations"], row["cells"], strict=True):
            cell["home"] = homes.get(name) == row["area"]
    nations = [
        {"name": name, "place": place} for name, place in places(tuple(facts["nations"])).items()
    ]
    counters = bool(letter.game.rules.counters)
    return str(facts["board"]), {
        "kind": "board",
        "nations": nations,
        "rows": rows,
        "legend": facts["legend"],
        "counters": counters,
    }


def _parse_cell(cell: str) -> dict[str, Any]:
    """Parse a cell of the text's table: “8+U”, “C”, “4+2?” (2 new ones, face down), “12T”, “.”."""
    parts = cell.removesuffix("T").split("+")
    pf = next((int(part) for part in parts if part.isdigit()), 0)
    face_down = next(
        (int(part[:-1]) for part in parts if part[:-1].isdigit() and part.endswith("?")), 0
    )
    treaty = cell.endswith("T")
    return {
        "pf": pf,
        "understanding": "U" in parts,
        "control": "C" in parts,
        "face_down": face_down,
        "treaty": treaty,
        "cut_off": 0,
    }


def blocks(
    text: str, table: tuple[str, dict[str, Any]] | None = None, names: Sequence[str] = ()
) -> Iterator[Block]:
    """Yield the text as blocks: “heading”, “para”, “list”, “numbered”, “links”, “kept” (indented
    lines, or columns), and the board."""
    if table is not None and (
        match := re.search(r"\s+".join(map(re.escape, table[0].split())), text)
    ):
        yield from blocks(text[: match.start()].rstrip(" "), None, names)
        yield table[1]
        yield from blocks(text[match.end() :], None, names)
        return
    for chunk in _chunks(text):
        if chunk[0].startswith(KEPT):
            lines = [line[len(KEPT) :] if line.startswith(KEPT) else line for line in chunk]
            if all(_LINK.fullmatch(line) for line in lines if line):
                yield {"kind": "links", "lines": [line.strip() for line in lines if line]}
            else:
                yield {"kind": "kept", "lines": lines}
        elif chunk[0].startswith("- "):
            yield {"kind": "list", "items": _items(chunk)}
        elif _NUMBERED.match(chunk[0]):
            yield {"kind": "numbered", "items": _items(chunk)}
        elif len(chunk) == 1 and _HEADING.fullmatch(chunk[0]):
            yield {"kind": "heading", "text": _lower_heading(chunk[0], names)}
        elif sum(1 for line in chunk if COLUMNS.search(line)) > len(chunk) / 2:
            yield {"kind": "kept", "lines": chunk}
        else:
            yield {"kind": "para", "text": unfold(chunk)}


def _lower_heading(capitals: str, names: Sequence[str]) -> str:
    """Return a heading in lower case, because its capitals only replace bold type in plain text;
    names keep their capitals."""
    head, bracket, rest = capitals.partition("(")
    heading = head.lower()
    for name in (*names, "PF", "PFs", "CONTROL", "Understanding"):
        heading = re.sub(rf"\b{re.escape(name.lower())}\b", name, heading)
    return heading[:1].upper() + heading[1:] + bracket + rest


def _chunks(text: str) -> Iterator[list[str]]:
    """Split lines at empty lines, and where indented lines or items begin or end, but not within a
    board."""
    chunk: list[str] = []
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if not line.strip():
            following = next((later for later in lines[place + 1 :] if later.strip()), "")
            if chunk and chunk[0].startswith(KEPT) and following.startswith(KEPT):
                chunk.append("")
                continue
            if chunk:
                yield chunk
            chunk = []
            continue
        if chunk and _sort(line, chunk) != _sort(chunk[0], []):
            yield chunk
            chunk = []
        chunk.append(line)
    if chunk:
        yield chunk


def _sort(line: str, within: list[str]) -> str:
    if line.startswith(KEPT):
        return "kept"
    if line.startswith("- ") or (within and within[0].startswith("- ") and line.startswith("  ")):
        return "list"
    # In a paragraph, a line may begin with the number that ends a sentence: “Understanding / 1.”
    if _NUMBERED.match(within[0] if within else line) and not line.startswith("- "):
        return "numbered"
    return "plain"


def _items(chunk: Sequence[str]) -> list[str]:
    items: list[str] = []
    for line in chunk:
        # A number out of sequence is the end of a wrapped sentence: “Germany loses / 5.”
        if (
            not items
            or line.startswith("- ")
            or (_NUMBERED.match(line) and int(line.partition(".")[0]) == len(items) + 1)
        ):
            items.append(line.partition(" ")[2].strip())
        else:
            items[-1] += f" {line.strip()}"
    return items
