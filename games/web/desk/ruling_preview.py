"""What a page of rulings shows before one is made, and whether it still holds when it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.http import HttpRequest

from games import positions
from games.models import Game, Phase, Ruling
from games.pages import pictures
from games.pages.boards import Grid, Square, describe_cell, grid
from games.pages.headings import headings
from games.turns import opening, ruling_tokens, rulings

#: The step of the form that makes the ruling; the other shows its effect.
RULE = "rule"


def preview_context(
    game: Game, preview: rulings.Preview, deadline: datetime | None
) -> dict[str, Any]:
    before = _announce_changes(grid(preview.board_before, preview.board_after, game.card))
    after = grid(preview.board_after, preview.board_before, game.card)
    old, new = dict(preview.scores_before), dict(preview.scores_after)
    return {
        "game": game,
        "here": "rulings",
        "preview": preview,
        "token": _preview_token(preview, deadline),
        "map_before": pictures.picture_of_board(
            game, preview.board_before, preview.board_after, "The board\nas it is"
        ),
        "map_after": pictures.picture_of_board(
            game, preview.board_after, preview.board_before, "The board\nas it would be"
        ),
        "grid_before": before,
        "grid_after": after,
        "differences": [
            (
                area,
                nation,
                describe_cell(was, preview.board_after.unit),
                describe_cell(now, preview.board_after.unit),
            )
            for area, nation, was, now in preview.differences
        ],
        "changed_scores": [
            (nation, old.get(nation), score)
            for nation, score in new.items()
            if old.get(nation) != score
        ],
        "nations": headings(game.card["order"]),
    }


def reopened(phase: Phase, now: datetime, deadline: datetime | None) -> Phase:
    """Return a phase as it would open again after a rollback, or the end of one; not saved."""
    state = phase.game.load(positions.position_before(phase))
    return opening.next_phase(phase.game, phase.previous, phase.number, state, now, deadline)


def _announce_changes(board: Grid) -> Grid:
    """Reword the marks of a board that is compared with a later one: they announce changes."""

    def reword(square: Square) -> Square:
        if square.was is None:
            return square
        return replace(
            square,
            was="goes" if square.was == "new" else square.was.replace("was ", "would be ", 1),
        )

    return replace(
        board,
        rows=tuple(replace(row, squares=tuple(map(reword, row.squares))) for row in board.rows),
    )


def _preview_token(preview: rulings.Preview, deadline: datetime | None) -> str:
    """Return a token of a preview for its page: the state of the record, and the ruling."""
    new = preview.new
    content = _content_token(new.phase, new.kind, new.what) if new else ""
    return f"{preview.token}:{content}:{deadline.isoformat() if deadline else ''}"


def _content_token(phase: int, kind: str, what: Mapping[str, Any]) -> str:
    """`what`: as the ruling keeps it, which may have other words than were typed."""
    return sha256(json.dumps([phase, kind, what], sort_keys=True).encode()).hexdigest()[:16]


def stale_reason(carried: str, preview: rulings.Preview, deadline: datetime | None) -> str:
    """Return why the effect that the page showed is outdated; "" if it is not."""
    if carried == _preview_token(preview, deadline):
        return ""
    if not carried:
        return "Check the effect below first; your ruling is not made yet."
    if carried.partition(":")[0] == preview.token:
        return (
            "You changed the ruling since you saw its effect. Here is the effect now; your ruling"
            " is not made yet."
        )
    return (
        "There was another ruling, or the game moved on, since you saw the effect. Here is the"
        " effect now; your ruling is not made yet."
    )


def already_made(request: HttpRequest, game: Game) -> Ruling | None:
    """Return the ruling that this form has made already: its button was pressed twice.

    It is the newest, of this person, and followed the state and content that the page showed.
    """
    state, _, rest = request.POST.get("token", "").partition(":")
    if not state or request.POST.get("step") != RULE:
        return None
    made = game.rulings.select_related("phase__game").order_by("-number").first()
    if made is None or made.made_by != request.user:
        return None
    shown = rest.partition(":")[0] == _content_token(made.phase.number, made.kind, made.what)
    return made if shown and state == ruling_tokens.token_before(made) else None
