"""Build the answer to an inbound message: what was understood and done, what was not, and what the
sender asked for (issue 4, item 4).

Its content was stored when the message was executed (orders.inbound.execution); this module makes
it a letter in the sender's thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from games.base import text
from games.boards.images import Drawing
from games.outbox.messages import answer_letters
from orders.models import Handling

from .context import Context, Facts, builds
from .pictures import Sketch


@builds(answer_letters.ANSWER)
def _answer(context: Context) -> Facts:
    outcomes = Handling.objects.values_list("outcome", flat=True)
    outcome: dict[str, Any] = outcomes.get(pk=context.about["handling"])
    sections = [_section(section) for section in outcome["sections"]]
    return {
        "answered": text.one_line(outcome["subject"]),
        "sections": sections,
        "sent_hashes": outcome.get("anchors", []),  # missing in old answers
        "drawing": Sketch(lambda: _drawing(context, outcome["sections"])),
    }


def _drawing(context: Context, sections: Iterable[dict[str, Any]]) -> Drawing | None:
    """Return the requested board as a drawing, the same board as in the answer's table; None if the
    answer has none. It shows a result version, which never changes."""
    shown = next(
        (
            section["board"]["drawn"]
            for section in sections
            if (section.get("board") or {}).get("drawn")
        ),
        None,
    )
    if shown is None or context.letter.game is None:
        return None
    view = context.game.rules.view(context.event.state_after(shown["resolution"]), shown["nation"])
    title = "The board as the game begins"
    if shown["resolution"] is not None:
        resolution = context.event.resolution(shown["resolution"])
        title = f"{resolution.title}\nThe board as judged"
    return Drawing(
        context.game.ruleset_id, context.game.card, context.game.rules.board(view), (), title
    )


def _section(section: dict[str, Any]) -> dict[str, Any]:
    """Return a section with each sentence reduced to one line, whatever users put into titles, and
    the board's rows as dictionaries."""
    board = section.get("board")
    return {
        "heading": text.one_line(section["heading"]),
        "paragraphs": [text.one_line(words) for words in section["paragraphs"]],
        "kept": [line.replace("\n", " ") for line in section["kept"]],
        "points": [text.one_line(words) for words in section["points"]],
        "after": [text.one_line(words) for words in section["after"]],
        "board": {
            **board,
            "rows": [{"area": area, "cells": cells} for area, cells in board["rows"]],
        }
        if board
        else None,
    }
