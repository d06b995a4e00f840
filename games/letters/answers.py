"""The one answer to a message: what was understood and done, what was not, and what was asked for
(issue 4, item 4).

What it says was settled when the message was obeyed (orders.inbound.execute) and is kept with it;
here it becomes a letter in his thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from games.boards.images import Drawing
from games.outbox.messages import answers
from gamesmaster import text
from orders.models import Handling

from .context import Build, Context, Facts
from .pictures import Sketch


def _outcome_of(handling: int) -> dict[str, Any]:
    told: dict[str, Any] = Handling.objects.values_list("outcome", flat=True).get(pk=handling)
    return told


def _answer(context: Context) -> Facts:
    told = _outcome_of(context.about["handling"])
    sections = [_section(section) for section in told["sections"]]
    return {
        "answered": text.one_line(told["subject"]),
        "sections": sections,
        "sent_hashes": told.get("anchors", []),  # not there in answers from before
        "drawing": Sketch(lambda: _drawing(context, told["sections"])),
    }


def _drawing(context: Context, sections: Iterable[dict[str, Any]]) -> Drawing | None:
    """The board that was asked for, as a picture; the one that the answer's table shows, of a
    result that never changes."""
    drawn = next(
        (
            section["board"]["drawn"]
            for section in sections
            if (section.get("board") or {}).get("drawn")
        ),
        None,
    )
    if drawn is None or context.letter.game is None:
        return None
    seen = context.game.rules.view(context.event.state_after(drawn["resolution"]), drawn["nation"])
    title = "The board as the game begins"
    if drawn["resolution"] is not None:
        resolution = context.event.resolution(drawn["resolution"])
        title = f"{resolution.phase.title}\nThe board as judged"
    return Drawing(
        context.game.ruleset_id, context.game.card, context.game.rules.board(seen), (), title
    )


def _section(section: dict[str, Any]) -> dict[str, Any]:
    """A section whose sentences stand on one line each, whatever somebody wrote into a title; the
    board's text set in."""
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


BUILDERS: dict[str, Build] = {answers.ANSWER: _answer}
