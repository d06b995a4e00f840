"""Keep what orders meant to the edition of the reader that answered their sender.

The plain reader gets better, so its next edition may read a text otherwise or ask about it. What a
sender was answered with stands: a text of another edition is judged from what that edition
understood, in canonical lines, whose meaning never changes. A text of the running edition is read,
because a ruling on the board may change what it means.

A referee report is not in plain words, and every edition reads it alike; so are texts of a game in
the canonical language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .. import REFEREE_SEAT
from ..orders import Line
from .facts import is_plain

#: Raised by a release in which some text is read otherwise (tests/rules/plain/test_editions.py);
#: 1 is that of 0.1.0.
EDITION = 2
#: The last line of a text in canonical words that is read as such in every game.
AS_UNDERSTOOD = "# as these orders were understood when they came in"
_BETWEEN = "; "

#: The accepted orders of a text: [line number, canonical words] each (`Submission.understood`).
Understood = Sequence[Sequence[Any]]
#: What other editions understood, by text as sent: nothing.
NOTHING_BEFORE: Mapping[str, Understood] = MappingProxyType({})


def understood_before(
    options: Mapping[str, Any], nation: str, edition: int, understood: Understood
) -> Understood | None:
    """Return what another edition understood of a nation's text; None if the text itself is read.

    `options`: those of the game. `edition`: the one that read it.
    """
    if edition == EDITION or nation == REFEREE_SEAT or not is_plain(options):
        return None
    return understood


def judged_text(text: str, understood: Understood | None) -> str:
    """Return the text to judge for a text as sent; `understood` as in `understood_before`."""
    return text if understood is None else canonical_text(understood)


def canonical_text(understood: Understood) -> str:
    """Return orders as a text that every edition reads alike, on the lines that they had."""
    lines: dict[int, list[str]] = {}
    for number, words in understood:
        lines.setdefault(number, []).append(words)
    numbers = range(1, max(lines, default=0) + 1)
    return mark_canonical("\n".join(_BETWEEN.join(lines.get(n, ())) for n in numbers))


def mark_canonical(text: str) -> str:
    """Return a text of canonical lines so that it is read as such."""
    return text if is_canonical(text) else f"{text}\n{AS_UNDERSTOOD}"


def is_canonical(text: str) -> bool:
    """Return whether a text is one of `canonical_text`, perhaps with lines added."""
    return AS_UNDERSTOOD in text


def parts_of(line: Line) -> list[Line]:
    """Return the orders of a line of `canonical_text`, numbered as the reader numbers them."""
    parts = line.text.split(_BETWEEN)
    return [line.part(index, part) for index, part in enumerate(parts)]
