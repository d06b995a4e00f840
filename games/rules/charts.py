"""A chart of a printed scenario as text, for pages and printouts.

Charts show what a card has beyond areas, nations and objectives.
"""

from __future__ import annotations

from typing import NamedTuple


class Chart(NamedTuple):
    """A table with headings.

    Each of `rows` has one entry per column; `note` is a sentence below, or "".
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
