"""Template tags that draw boards. A board's table is cached: all readers see the same one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from games.boards import distance_from_west
from games.letters.environment import fill_in
from games.models import Game
from games.pages.boards import Grid, describe_cell
from games.pages.headings import Heading
from games.rules import Cell, wording
from games.rules.lands import PF, Unit
from games.rules.plan import Odds, Outcome

register = template.Library()
T = TypeVar("T")


@register.simple_tag
def board_table(grid: Grid, caption: str) -> SafeString:
    """Return the board as a table with its legend. It depends on grid and caption alone."""
    return _table(grid, caption)


@register.simple_tag
def order_lines(lines: Sequence[object], pointable: bool) -> SafeString:
    """Return the lines of an order text as they were understood.

    `pointable`: with a button that removes the line.
    """
    return mark_safe(fill_in("orders/_lines.html", {"lines": lines, "pointable": pointable}))


@register.inclusion_tag("games/_pieces.html")
def pieces(heading: Heading, cell: Cell, unit: Unit = PF) -> dict[str, object]:
    """Return the context for one square as the board's table shows it, with words for screen
    readers."""
    return {"heading": heading, "cell": cell, "words": describe_cell(cell, unit)}


@register.filter
def odds(column: str) -> str:
    """Return a column of the printed table in words: “2-1”, “below 1-1”."""
    return wording.odds_words(column) if column else ""


@register.filter
def item(named: Mapping[str, T], name: str) -> T | None:
    """Return the value under a name, such as a nation's heading or the worth of an area."""
    return named.get(name) if named else None


@register.filter
def map_start(game: Game, nation: str) -> int | str:
    """Return where a nation's home is on the map, in percent from its left edge; "" if nowhere."""
    home = game.card.get("home", {}).get(nation, nation)
    place = distance_from_west(game.ruleset_id, game.card.get("areas", ()), home)
    return "" if place is None else round(100 * place)


@register.filter
def signed(points: int) -> str:
    """Return points with their sign: “+2” or “−1”."""
    return wording.signed(points)


@register.filter
def last_digit(volume: int | None) -> SafeString | str:
    """Return shares sold in hundreds; the last digit, which decides, is bold."""
    if volume is None:
        return ""
    digits = f"{volume // 100:,}"
    return format_html("{}<strong>{}</strong>", digits[:-1], digits[-1])


@lru_cache(maxsize=256)
def _table(grid: Grid, caption: str) -> SafeString:
    return render_to_string("games/_board.html", {"grid": grid, "caption": caption})


def outcomes_with_strength_left(odds: Odds, nation: str) -> list[tuple[Outcome, int]]:
    """Return each possible outcome of a nation's attack, with the strength it would have left."""
    return [(outcome, odds.attacker - outcome.losses.get(nation, 0)) for outcome in odds.outcomes]
