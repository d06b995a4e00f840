"""The board on paper, with scores and deadline, for a wall or an envelope."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from games import permissions, positions
from games.base import text
from games.boards.images import Drawing
from games.boards.mosaic import places
from games.letters import board_text
from games.models import Game, Phase, Seat
from games.rules import Board, wording
from games.rules.names import all_of
from games.timing import local_time

from . import setting


def board_pdf(game: Game, seat: Seat | None, now: datetime, paper: str = setting.A4) -> bytes:
    """Return the current board in the view of the seat's nation; without a seat, of the public."""
    return setting.pdf("board", content(game, seat, now), now, paper)


def content(game: Game, seat: Seat | None, now: datetime) -> dict[str, Any]:
    """Return the template's data."""
    nation = seat.nation if seat is not None else None
    state = permissions.view(game, positions.position(game), nation)
    board = game.rules.board(state)
    standing = game.rules.standing(state)
    phase = game.phases.current()
    zone = setting.zone_of(seat, game)
    return {
        "title": text.one_line(game.title),
        "game": game.rules.title,
        "card": ""
        if game.card.get("title") == game.rules.title
        else text.one_line(game.card.get("title", "")),
        "phase": phase.title if phase else "The game has not begun",
        "whose": nation or "",
        "demo": game.sales_made_up,
        "due": _due_sentence(game, phase, zone),
        "printed": f"As of {local_time.in_words(now, zone, game.zone)}.",
        "scores": [
            [name, standing.scores[name], place]
            for name, place in places(board.nations).items()
            if name in standing.scores
        ],
        "sums": wording.alliance_sentences(standing),
        "winners": all_of(standing.winners or ()),
        "map": Drawing(game.ruleset_id, game.card, board, title=phase.title if phase else "").svg(
            "print"
        ),
        "counters": bool(game.rules.counters),
        "stated": state_rows(board),
        **table(board, game.card.get("home", {})),
    }


def table(board: Board, home: dict[str, str] | None = None) -> dict[str, Any]:
    """Return a board as a table: a row for each area, a column for each nation, cells as the
    template draws them."""
    homes = home or {}
    return {
        "nations": [
            {"name": name, "place": place} for name, place in places(tuple(board.nations)).items()
        ],
        "rows": [
            {
                "area": area,
                "cells": [
                    _cell(board, area, name) | {"home": homes.get(name) == area}
                    for name in board.nations
                ],
            }
            for area in board.areas
        ],
        "legend": board_text.legend(board, every_area=True),
    }


def state_rows(board: Board) -> dict[str, Any] | None:
    """Return the rows and sentences of a board whose areas have states; None for other boards."""
    if not board.lands:
        return None
    rows = [{"area": row.area, "cells": list(row.cells)} for row in board_text.rows(board)]
    return {"rows": rows, "legend": board_text.legend(board), "sums": board_text.sums(board)}


def _cell(board: Board, area: str, nation: str) -> dict[str, Any]:
    cell = board.cell(area, nation)
    return {
        "pf": cell.pf,
        "understanding": cell.understanding,
        "control": cell.control,
        "face_down": cell.face_down,
        "treaty": cell.treaty,
    }


def _due_sentence(game: Game, phase: Phase | None, zone: str) -> str:
    if game.is_over:
        return "The game is over."
    if phase is None or phase.status != Phase.Status.OPEN:
        return ""
    if not phase.has_deadline:
        return phase.awaited
    return f"Orders are due by {local_time.in_words(phase.deadline, zone, game.zone)}."
