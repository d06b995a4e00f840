"""Draw boards: as a map in the style of an old atlas where the game has a plate, as squares where
it has a mosaic, else as a diagram.

`board_svg` is for pages and paper, `board_png` for letters. Drawing depends on boards alone, not on
models or settings.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from games.boards.mosaic import nations_of
from games.rules import Board, Json

from . import draw, picture, schematic, section, tiles
from .inks import light_on_paper
from .mosaic import Mosaic, mosaic_for
from .pieces import Changed
from .plate import Plate, phone_plate, plate_for, signs_of


def map_for(game_id: str, areas: Collection[str]) -> Plate | Mosaic | None:
    """Return the map of a scenario with these areas; None where its board is a diagram."""
    return mosaic_for(game_id, areas) or plate_for(game_id, areas)


def distance_from_west(game_id: str, areas: Collection[str], area: str) -> float | None:
    """Return where an area is on the map of a scenario, from 0 (left edge) to 1; None where it is
    not on the map."""
    drawn = map_for(game_id, areas)
    if isinstance(drawn, Plate) and area in drawn.areas:
        return drawn.areas[area].stand.at[0] / drawn.size[0]
    if isinstance(drawn, Mosaic) and area in drawn.tiles:
        left, _, width, _ = drawn.tiles[area].box
        return (left + width / 2) / drawn.size[0]
    return None


def _phone_plate(plate: Plate, board: Board) -> Plate:
    large = phone_plate(plate)
    return replace(large, grow=1.0) if draw.is_crowded(large, board) else large


def board_svg(
    game_id: str,
    card: Json,
    board: Board,
    *,
    width: int = 900,
    changed: Changed = (),
    title: str = "",
    theme: str = "light",
    phones: bool = False,
) -> str:
    """Draw the board of a game as SVG that is safe to embed in a page: every name is escaped.

    `changed` are the (area, nation) pairs to mark, `title` is 1 or 2 lines for the cartouche,
    `theme` is "light", "dark" or "print". With `phones`, pieces and names of a plate are larger.
    Each area has `data-area`. A dark board is light on paper.
    """
    areas = card.get("areas", board.areas)
    mosaic, plate = mosaic_for(game_id, areas), plate_for(game_id, areas)
    if plate and phones:
        plate = _phone_plate(plate, board)

    def drawn(ink: str) -> str:
        options: dict[str, Any] = {"width": width, "changed": changed, "title": title, "theme": ink}
        if mosaic:
            return tiles.svg(mosaic, board, **options)
        if plate:
            return draw.svg(plate, board, **options)
        return schematic.svg(nations_of(game_id), board, signs=signs_of(game_id), **options)

    return light_on_paper(drawn("dark"), drawn("light")) if theme == "dark" else drawn(theme)


def section_svg(
    game_id: str,
    card: Json,
    board: Board,
    area: str,
    *,
    width: int = 480,
    bright: Changed = (),
    theme: str = "light",
) -> str | None:
    """Draw an area and its neighbors, the (area, nation) pairs of `bright` in full color and all
    others pale. Return None where the game has no plate. A dark section is light on paper."""
    plate = plate_for(game_id, card.get("areas", board.areas))
    if plate is None:
        return None

    def drawn(ink: str) -> str:
        return section.svg(plate, board, area, width=width, bright=bright, theme=ink)

    return light_on_paper(drawn("dark"), drawn("light")) if theme == "dark" else drawn(theme)


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
    """Return the board as PNG, for letters: a phone shows it at a third of its width."""
    areas = card.get("areas", board.areas)
    options: dict[str, Any] = {"width": width, "changed": changed, "title": title, "theme": theme}
    if mosaic := mosaic_for(game_id, areas):
        return picture.mosaic_png(mosaic, board, **options)
    if plate := plate_for(game_id, areas):
        return picture.board_png(_phone_plate(plate, board), board, **options)
    diagram = schematic.svg(nations_of(game_id), board, signs=signs_of(game_id), **options)
    return picture.png(diagram, width)
