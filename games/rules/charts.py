"""A chart of a printed sheet as text: what a card has beyond areas, nations and objectives, for
pages and paper to show."""

from __future__ import annotations

from typing import NamedTuple


class Chart(NamedTuple):
    """`columns` are headings, `rows` as many words each; `note` is a sentence below, or ""."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
