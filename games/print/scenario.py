"""A printed scenario, to play with paper and pencil: a board to write on, the map, the tables, an
order form.

It depends on the scenario alone, not on a game. Its wording is that of the pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from games import boards
from games.boards.mosaic import places
from games.rules import Board
from games.rules.pairs import has_pairs
from games.rules.registry import ruleset

from . import setting
from .forms import rows_of

LINES_TO_WRITE_ON = 13


def scenario_pdf(
    card: Mapping[str, Any], tables: Any, at: datetime, paper: str = setting.A4
) -> bytes:
    """Return the printout of a checked scenario with its tables. The same scenario and day give the
    same bytes."""
    return setting.pdf("scenario", content(card, tables), at, paper)


def content(card: Mapping[str, Any], tables: Any) -> dict[str, Any]:
    """Return the template's data."""
    rules = ruleset(card["game"])
    board = Board(tuple(card["areas"]), tuple(card["order"]), {}, unit=rules.unit)
    homes = card.get("home", {})
    table = rules.guide.table()
    return {
        "game": rules.title,
        "title": "" if card["title"] == rules.title else str(card["title"]),
        "source": " ".join(part for part in (tables.provenance, card.get("note", "")) if part),
        "turns": card["turns"],
        "nations": [
            {"name": name, "place": place, "gets": _gets(card.get("allocation", {}).get(name, ()))}
            for name, place in places(board.nations).items()
        ],
        "rows": [
            {
                "area": area,
                "cells": [
                    {
                        "home": homes.get(name) == area,
                        "wishes": [f"{wish.short} {wish.points}" for wish in wishes],
                    }
                    for name, wishes in zip(board.nations, row, strict=True)
                ],
            }
            for area, row in tables.objectives
        ],
        "bonuses": [[name, words, points] for name, words, points in tables.bonuses],
        "most": list(tables.most),
        "kinds": [[short, words] for short, words in tables.kinds],
        "thrown": table.thrown,
        "columns": list(table.columns),
        "results": [[row, list(results)] for row, results in table.rows],
        "meanings": [[letters, words] for letters, words in table.meanings.items()],
        "pairs": has_pairs(rules),
        "charts": [
            {
                "title": chart.title,
                "columns": list(chart.columns),
                "rows": [list(row) for row in chart.rows],
                "note": chart.note,
            }
            for chart in rules.guide.further_charts(dict(card))
        ],
        "map": boards.board_svg(
            card["game"], dict(card), board, theme="print", title=f"{rules.title}\nThe board"
        ),
        "language": (written := rows_of(rules.verbs.help())),
        "lines": max(6, LINES_TO_WRITE_ON - 2 * max(0, len(written) - 12)),
    }


def _gets(numbers: Sequence[int]) -> str:
    """Return the allocation of PFs, “14 a turn” or turn by turn; "" for a scenario without one."""
    if not numbers:
        return ""
    return f"{numbers[0]} a turn" if len(set(numbers)) == 1 else ", ".join(map(str, numbers))
