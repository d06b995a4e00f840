"""Boards drawn: as a map in the manner of an old atlas where the game has a plate, as squares where
it has a mosaic, else as a diagram.

`board_svg` for pages and paper, `board_png` for letters. The package knows boards and nothing else:
no models, no settings.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from games.boards.mosaic import nations_of
from games.rules import Board, Json

from . import draw, picture, schematic, section, tiles
from .mosaic import Mosaic, mosaic_for
from .pieces import Changed
from .plate import Plate, plate_for, signs_of

__all__ = ["board_png", "board_svg", "map_for", "plate_for", "section_svg"]


def map_for(game_id: str, areas: Collection[str]) -> Plate | Mosaic | None:
    """Return the map of a card with these areas; None where its board is a diagram."""
    return mosaic_for(game_id, areas) or plate_for(game_id, areas)


def board_svg(
    game_id: str,
    card: Json,
    board: Board,
    *,
    width: int = 900,
    changed: Changed = (),
    title: str = "",
    theme: str = "light",
) -> str:
    """Draw the board of a game as SVG that may stand in a page: every name in it is escaped.

    `changed` are the (area, nation) to be marked, `title` one or two lines for the cartouche,
    `theme` "light", "dark" or "print". Each area has `data-area`.
    """
    how: dict[str, Any] = {"width": width, "changed": changed, "title": title, "theme": theme}
    areas = card.get("areas", board.areas)
    if mosaic := mosaic_for(game_id, areas):
        return tiles.svg(mosaic, board, **how)
    plate = plate_for(game_id, areas)
    return (
        draw.svg(plate, board, **how)
        if plate
        else schematic.svg(nations_of(game_id), board, signs=signs_of(game_id), **how)
    )


def section_svg(
    game_id: str,
    card: Json,
    board: Board,
    area: str,
    *,
    width: int = 480,
    marked: Changed = (),
    theme: str = "light",
) -> str | None:
    """Draw an area and its neighbors, the (area, nation) of `marked` marked; None without a map."""
    plate = plate_for(game_id, card.get("areas", board.areas))
    return (
        section.svg(plate, board, area, width=width, marked=marked, theme=theme) if plate else None
    )


def board_png(
    game_id: str,
    card: Json,
    board: Board,
    *,
    width: int = 1200,
    changed: Changed = (),
    title: str = "",
    theme: str = "light",
) -> bytes:
    """Return the board as PNG, for a letter that shows it at half its width, always the same."""
    areas = card.get("areas", board.areas)
    how: dict[str, Any] = {"width": width, "changed": changed, "title": title, "theme": theme}
    if mosaic := mosaic_for(game_id, areas):
        return picture.mosaic_png(mosaic, board, **how)
    if plate := plate_for(game_id, areas):
        return picture.board_png(plate, board, **how)
    diagram = schematic.svg(nations_of(game_id), board, signs=signs_of(game_id), **how)
    return picture.png(diagram, width)
