"""Boards as tables on pages, set once for each board, for everybody looks at the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeVar

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from games.letters import wording
from games.rules import Cell
from games.rules.lands import PF, Unit
from games.rules.plan import Odds, Outcome
from games.web.boards import Grid, in_words
from games.web.headings import Heading

register = template.Library()
T = TypeVar("T")


@register.simple_tag
def board_table(grid: Grid, caption: str) -> SafeString:
    """The board as a table with its legend. What is in it depends on grid and caption alone."""
    return _table(grid, caption)


@register.inclusion_tag("games/_pieces.html")
def pieces(heading: Heading, cell: Cell, unit: Unit = PF) -> dict[str, object]:
    """What stands in one square, as the board's table shows it; in words for whoever listens."""
    return {"heading": heading, "cell": cell, "words": in_words(cell, unit)}


@register.filter
def odds(column: str) -> str:
    """A column of the printed table as people say it: “2-1”, “below 1-1”."""
    return wording.of_odds(column) if column else ""


@register.filter
def item(named: Mapping[str, T], name: str) -> T | None:
    """What stands under a name: the heading of a nation, the worth of an area."""
    return named.get(name) if named else None


@register.filter
def signed(points: int) -> str:
    """ "+2" or "−1"."""
    return f"+{points}" if points > 0 else f"−{-points}"


@register.filter
def last_digit(volume: int | None) -> SafeString | str:
    """Return shares sold in hundreds, the last digit bold: the one that decides."""
    if volume is None:
        return ""
    said = f"{volume // 100:,}"
    return format_html("{}<strong>{}</strong>", said[:-1], said[-1])


@lru_cache(maxsize=256)
def _table(grid: Grid, caption: str) -> SafeString:
    return render_to_string("games/_board.html", {"grid": grid, "caption": caption})


@register.filter
def with_what_is_kept(odds: Odds, nation: str) -> list[tuple[Outcome, int]]:
    """What an attack of a nation can come to, each with the strength that it would have there."""
    return [(one, odds.attacker - one.losses.get(nation, 0)) for one in odds.outcomes]
