"""Draw overlays for the picture of a board in a page: areas as links, and marks for planned orders.

The picture itself is an `<img>` that the browser caches, light or dark. A small SVG of the same
size lies over it, with areas as links, so that it works without scripts and by keyboard. The page's
stylesheet sets its look (`.hits`, `.marks`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from games.rules import Board, Json

from . import pieces, schematic
from .area_drawer import bounds, drawer_of
from .inks import esc, num, text_element
from .mosaic import mosaic_for
from .plate import Box, Label, plate_for

#: The smallest side of a spot that a finger can hit on a map of 640 pixels.
SMALLEST = 56.0
_INK, _PAPER, _GOLD = "#2b2419", "#fcf8ec", "#f2dfa4"
_COLORS = {"place": "#1d6b3a", "attack": "#a11d1d", "wish": "#1f4e96", "worth": "#8a5a0a"}


class Spot(NamedTuple):
    """An area on the picture: its outline, more clickable boxes (trays), the center of its marks,
    and the boxes of its counters, which the highlight of the area leaves uncovered."""

    area: str
    outline: str
    boxes: tuple[Box, ...]
    at: tuple[float, float]
    counters: tuple[Box, ...] = ()


class Mark(NamedTuple):
    """A short text on an area. `kind` is a key of `_COLORS` and sets color and edge."""

    area: str
    text: str
    kind: str


class Ground(NamedTuple):
    size: tuple[int, int]
    spots: tuple[Spot, ...]


def ground(game_id: str, card: Json, board: Board) -> Ground:
    """Return where the areas of a board are on the picture that `board_svg` draws."""
    areas = card.get("areas", board.areas)
    if mosaic := mosaic_for(game_id, areas):
        tiles = [mosaic.tiles[area] for area in board.areas]
        return Ground(
            mosaic.size,
            tuple(
                Spot(t.name, t.outline, (), (t.box[0] + t.box[2] / 2, t.box[1] + t.box[3] - 14))
                for t in tiles
            ),
        )
    plate = plate_for(game_id, areas)
    if plate is None:
        size, places = schematic.places(board)
        return Ground(size, tuple(_box_spot(area, box) for area, box in places.items()))
    drawer = drawer_of(plate, board)
    spots = []
    for area in drawer.areas:
        boxes = tuple(
            (at[0] + box[0], at[1] + box[1], box[2], box[3])
            for _, _, at, box in drawer.footprints(area)
        )
        counters = boxes
        x, y = area.stand.at
        if boxes:
            x = sum(box[0] + box[2] / 2 for box in boxes) / len(boxes)
            y = min(box[1] for box in boxes) - 6
            if _covers_name(area.label, x, y):
                y = max(box[1] + box[3] for box in boxes) + 6
        around = bounds(area.outline)
        if min(around[2:]) < SMALLEST:  # a small area gets a box for fingers around its counters
            boxes = (
                *boxes,
                (
                    area.stand.at[0] - SMALLEST / 2,
                    area.stand.at[1] - SMALLEST / 2,
                    SMALLEST,
                    SMALLEST,
                ),
            )
        spots.append(Spot(area.name, area.outline, boxes, (x, max(y, 16)), counters))
    return Ground(plate.size, tuple(spots))


def _covers_name(label: Label, x: float, y: float) -> bool:
    """Return whether marks around (x, y) would cover the name of an area."""
    half = max(map(len, label.lines)) * (label.size * 0.38 + label.spacing / 2)
    top, bottom = label.at[1] - label.size, label.at[1] + (len(label.lines) - 1) * label.size * 1.12
    return abs(label.at[0] - x) < half + 30 and top < y + 13 and y - 13 < bottom + 4


def _box_spot(area: str, box: Box) -> Spot:
    x, y, wide, high = box
    return Spot(
        area,
        f"M{num(x)} {num(y)}h{num(wide)}v{num(high)}h-{num(wide)}z",
        (),
        (x + wide / 2, y + high - 16),
    )


def hits(ground: Ground, links: Mapping[str, str], sentences: Mapping[str, str]) -> str:
    """Return the areas as links. `links`: addresses by area. `sentences`: texts for screen
    readers by area."""
    wide, high = ground.size
    elements = []
    for place, spot in enumerate(ground.spots):
        if spot.area not in links:
            continue
        # Outlines are most of the page's size, so the highlight refers to the link's outline.
        shapes = f'<use href="#hit-{place}" class="wash"/>'
        shapes += f'<path id="hit-{place}" d="{spot.outline}" fill-rule="evenodd"/>'
        shapes += "".join(
            f'<rect x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}" rx="6"/>'
            for x, y, w, h in spot.boxes
        )
        sentence = esc(sentences.get(spot.area, spot.area))
        attributes = (
            f'href="{esc(links[spot.area])}" data-area="{esc(spot.area)}" aria-label="{sentence}"'
        )
        elements.append(f"<a {attributes}><title>{sentence}</title>{shapes}</a>")
    # The overlay cannot go below the picture's counters, so a mask leaves them uncovered.
    free = "".join(
        f'<rect x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}" rx="6"/>'
        for spot in ground.spots
        for x, y, w, h in spot.counters
    )
    mask = (
        f'<mask id="off-counters" maskUnits="userSpaceOnUse" x="0" y="0" width="{wide}"'
        f' height="{high}"><rect width="{wide}" height="{high}" fill="#fff"/>'
        f'<g fill="#000">{free}</g></mask>'
    )
    return (
        f'<svg class="hits" viewBox="0 0 {wide} {high}" role="group" aria-label="The areas of the'
        f' map">{mask}{"".join(elements)}</svg>'
    )


def marks(ground: Ground, wanted: Sequence[Mark]) -> str:
    """Return the marks as an SVG over the picture, hidden from screen readers: the page's panels
    have the same content."""
    wide, high = ground.size
    shapes = []
    for spot in ground.spots:
        area_marks = [mark for mark in wanted if mark.area == spot.area][:4]
        widths = [22 + 9.4 * len(mark.text) for mark in area_marks]
        x = min(
            max(spot.at[0] - (sum(widths) + 4 * (len(area_marks) - 1)) / 2, 8),
            wide - sum(widths) - 4 * len(area_marks) - 4,
        )
        for mark, across in zip(area_marks, widths, strict=True):
            shapes.append(_mark(mark, x, spot.at[1], across))
            x += across + 4
    return (
        f'<svg class="marks" viewBox="0 0 {wide} {high}" aria-hidden="true">{"".join(shapes)}</svg>'
    )


def _mark(mark: Mark, x: float, y: float, across: float) -> str:
    """Draw placements with round, attacks with pointed and wishes with dashed edges.

    What pays the reader has straight ones, and is not to be mistaken for an order by its paper.
    """
    color, left, right, top, bottom = (
        _COLORS[mark.kind],
        num(x),
        num(x + across),
        num(y - 13),
        num(y + 13),
    )
    paper = _GOLD if mark.kind == "worth" else _PAPER
    style = f'fill="{paper}" stroke="{color}" stroke-width="2.6"'
    if mark.kind == "attack":
        inner = (num(x + 9), num(x + across - 9))
        shape = (
            f'<path d="M{left} {num(y)}L{inner[0]} {top}H{inner[1]}L{right} {num(y)}L{inner[1]}'
            f' {bottom}H{inner[0]}z" {style}/>'
        )
    else:
        broken = ' stroke-dasharray="5 3"' if mark.kind == "wish" else ""
        shape = (
            f'<rect x="{left}" y="{top}" width="{num(across)}" height="26"'
            f' rx="{13 if mark.kind == "place" else 3}" {style}{broken}/>'
        )
    return shape + text_element(mark.text, x + across / 2, y + 6, 18, _INK, weight=700)


def sentence_of(board: Board, area: str) -> str:
    """Return the contents of an area in words."""
    return pieces.describe_area(board, area)
