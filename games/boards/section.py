"""Draw the section of the map around one area, for the report of an attack."""

from __future__ import annotations

from functools import lru_cache

from games.rules import Board

from . import scenery
from .area_drawer import AreaDrawer, bounds, drawer_of
from .inks import SERIF, THEMES, Theme, esc, num
from .pieces import Changed, describe_area
from .plate import Area, Box, Plate

#: Width to height, as on the page; the least width, and the margin, in units of the plate.
SHAPE = 3 / 2
LEAST = 330.0
ROOM = 26.0


def svg(
    plate: Plate,
    board: Board,
    area: str,
    *,
    width: int = 480,
    bright: Changed = (),
    theme: str = "light",
) -> str:
    """Draw an area with a bold border, and its neighbors. Pieces are pale except the (area, nation)
    pairs of `bright`; if that is empty, none is pale.

    Raise `KeyError` for an unknown theme or area.
    """
    ink = THEMES[theme]
    drawer = drawer_of(plate, board, ink)
    drawer.bright = frozenset(bright)
    chosen = plate.areas[area]
    box = _window(drawer, chosen)
    neighbors = [
        neighbor
        for neighbor in drawer.areas
        if neighbor.inset == chosen.inset and _meets(bounds(neighbor.outline), box)
    ]
    busy = drawer.busy()
    names = [name for name in plate.names if name.yields not in busy and _holds(box, name.at)]
    parts = [
        (
            f'<rect x="{num(box[0])}" y="{num(box[1])}" width="{num(box[2])}"'
            f' height="{num(box[3])}" fill="{ink.sea}"/>'
        ),
        scenery.inset_ground(plate, chosen, ink) if chosen.inset else _land(plate, box, ink),
        *(drawer.area(neighbor, mute=True) for neighbor in neighbors),
        (
            ""
            if chosen.inset
            else _line(_clip(plate.coast, box), ink.edge, 1)
            + _line(_clip(plate.rivers, box), ink.river, 1.2)
        ),
        (
            f'<path d="{chosen.outline}" fill="none" stroke="{ink.edge}" stroke-width="3.4"'
            ' stroke-linejoin="round"/>'
        ),
        *(() if chosen.inset else (scenery.name(name, ink) for name in names)),
        *(drawer.label(neighbor) for neighbor in neighbors),
        *(drawer.pieces_group(neighbor) for neighbor in neighbors if neighbor is not chosen),
        drawer.pieces_group(chosen),
    ]
    caption = esc(describe_area(board, area))
    view = " ".join(num(side) for side in box)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width}"'
        f' height="{round(width * box[3] / box[2])}" role="img" '
        f'aria-label="{caption}" font-family="{SERIF}"><title>{caption}</title><metadata>Outlines:'
        f" {esc(plate.source)}.</metadata>"
        f"<defs>{''.join(drawer.defs(neighbors))}</defs>{''.join(parts)}</svg>"
    )


def _window(drawer: AreaDrawer, area: Area) -> Box:
    """Return the visible box: the area with its name and pieces, in the fixed shape, within the
    neat line."""
    plate = drawer.plate
    limits = plate.insets[area.name].box if area.inset else plate.window
    boxes = [bounds(area.outline), drawer.label_box(area)]
    boxes += [(x + at[0], y + at[1], w, h) for _, _, at, (x, y, w, h) in drawer.footprints(area)]
    left, top = min(box[0] for box in boxes) - ROOM, min(box[1] for box in boxes) - ROOM
    right, bottom = (
        max(box[0] + box[2] for box in boxes) + ROOM,
        max(box[1] + box[3] for box in boxes) + ROOM,
    )
    wide = max(right - left, (bottom - top) * SHAPE, LEAST)
    high = wide / SHAPE
    wide, high = min(wide, limits[2]), min(high, limits[3])
    return (
        _clamped_start((left + right - wide) / 2, wide, limits[0], limits[2]),
        _clamped_start((top + bottom - high) / 2, high, limits[1], limits[3]),
        wide,
        high,
    )


def _clamped_start(start: float, length: float, first: float, room: float) -> float:
    return min(max(start, first), first + room - length)


def _meets(box: Box, other: Box) -> bool:
    return (
        box[0] < other[0] + other[2]
        and other[0] < box[0] + box[2]
        and box[1] < other[1] + other[3]
        and other[1] < box[1] + box[3]
    )


def _holds(box: Box, at: tuple[float, float]) -> bool:
    return box[0] < at[0] < box[0] + box[2] and box[1] < at[1] < box[1] + box[3]


def _land(plate: Plate, box: Box, ink: Theme) -> str:
    """Draw land outside the areas."""
    outline = "".join(_clip(path, box) for path in plate.others)
    return (
        f'<path d="{outline}" fill="{ink.land}" fill-rule="evenodd" stroke="{ink.soft}"'
        ' stroke-width=".8" stroke-linejoin="round"/>'
    )


def _line(path: str, stroke: str, width: float) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{num(width)}"'
        ' stroke-linejoin="round"/>'
    )


@lru_cache(maxsize=512)
def _clip(path: str, box: Box) -> str:
    """Return the parts of a path near the box, each with an absolute M (see `bounds`)."""
    return "".join(
        part for piece in path.split("M")[1:] if _meets(bounds(part := f"M{piece}"), box)
    )
