"""Template tags that draw boards. A board's table is cached: all readers see the same one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from games.boards import distance_from_west
from games.letters.environment import fill_in
from games.models import Game, Phase
from games.pages.boards import Grid, describe_cell
from games.pages.headings import Heading
from games.pages.tags import formatting
from games.rules import Cell, ResultTable, wording
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


@register.simple_tag
def pieces(heading: Heading, cell: Cell, unit: Unit = PF) -> SafeString:
    """Return one square as the board's table shows it, with words for screen readers."""
    css = heading.css
    shown: list[tuple[str, object]] = []
    if cell.control:
        shown.append((f"flag {css}", "C"))
    if cell.pf:
        shown.append((f"counter {css}", cell.pf))
    if cell.pf or not cell.control:
        shown += [(f"seal {css}", "U")] * cell.understanding + [(f"seal {css}", "T")] * cell.treaty
        if cell.face_down:
            shown.append(("counter", f"{cell.face_down}?"))
        elif not cell.pf and not cell.understanding:
            shown.append(("none", "–"))
    return format_html(
        '<span class="unseen">{}</span><span class="stack" aria-hidden="true">{}</span>',
        describe_cell(cell, unit),
        format_html_join("", '<span class="{}">{}</span>', shown),
    )


@register.simple_tag
def show_steps(steps: Sequence[object], nations: Mapping[str, Heading]) -> SafeString:
    """Return the attacks of a phase, one by one (games.web.game.story)."""
    return _fill_in("games/_story.html", nations, {"steps": steps})


@register.simple_tag
def show_workings(
    workings: Sequence[object], phase: Phase, table: ResultTable, nations: Mapping[str, Heading]
) -> SafeString:
    """Return the attacks that digits decided, each with the printed table (games.records.proof)."""
    facts = {"workings": workings, "phase": phase, "table": table}
    return _fill_in("games/_workings.html", nations, facts)


def _fill_in(name: str, nations: Mapping[str, Heading], facts: Mapping[str, object]) -> SafeString:
    """Return a part of a page that repeats much, from Jinja2 with the filters of pages."""
    filters = {
        "all_of": formatting.all_of,
        "exact_moment": formatting.exact_moment,
        "hundreds": formatting.hundreds,
        "in_words": odds,
        "last_digit": last_digit,
        "localized": formatting.localized,
        "nation": lambda name: formatting.nation(name, nations),
        "pieces": pieces,
        "session": formatting.session,
        "thousands": formatting.thousands,
    }
    return mark_safe(fill_in(name, filters | dict(facts)))


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
