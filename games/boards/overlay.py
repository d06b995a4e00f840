"""What lies upon a picture of a board in a page: areas that can be pointed at, and marks of what is
about to be done there.

The picture itself stays an `<img>` that the browser keeps, light or dark; over it lies one small
SVG of the same size whose areas are links. So it works without a script and by keyboard. What it
looks like says the page's stylesheet (`.hits`, `.marks`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from games.rules import Board, Json

from . import draw, pieces, schematic
from .inks import esc, num, words
from .mosaic import mosaic_for
from .plate import Box, plate_for

#: The smallest side of a spot that a finger finds on a map of 640 pixels.
SMALLEST = 56.0
_INK, _PAPER = "#2b2419", "#fcf8ec"
_COLOURS = {"place": "#1d6b3a", "attack": "#a11d1d", "wish": "#1f4e96"}


class Spot(NamedTuple):
    """An area on the picture: outline, further boxes to point at (trays), where its marks are
    centered, and the boxes of its counters, which a wash over the area leaves free."""

    area: str
    outline: str
    boxes: tuple[Box, ...]
    at: tuple[float, float]
    counters: tuple[Box, ...] = ()


class Mark(NamedTuple):
    """A few signs on an area: `kind` is "place", "attack" or "wish"; the edge says it too."""

    area: str
    text: str
    kind: str


class Ground(NamedTuple):
    size: tuple[int, int]
    spots: tuple[Spot, ...]


def ground(game_id: str, card: Json, board: Board) -> Ground:
    """Where the areas of a board are on the picture that `board_svg` draws of it."""
    areas = card.get("areas", board.areas)
    if mosaic := mosaic_for(game_id, areas):
        shown = [mosaic.tiles[area] for area in board.areas]
        return Ground(
            mosaic.size,
            tuple(
                Spot(t.name, t.outline, (), (t.box[0] + t.box[2] / 2, t.box[1] + t.box[3] - 14))
                for t in shown
            ),
        )
    plate = plate_for(game_id, areas)
    if plate is None:
        size, places = schematic.places(board)
        return Ground(size, tuple(_box_spot(area, box) for area, box in places.items()))
    drawer = draw.drawer(plate, board)
    found = []
    for area in drawer.areas:
        layers = drawer.pieces(area)
        boxes = tuple(
            (layer.at[0] + layer.box[0], layer.at[1] + layer.box[1], layer.box[2], layer.box[3])
            for layer in layers
        )
        counters = boxes
        x, y = area.stand.at
        if boxes:
            x, y = (
                sum(box[0] + box[2] / 2 for box in boxes) / len(boxes),
                min(box[1] for box in boxes) - 6,
            )
        around = draw.bounds(area.outline)
        if min(around[2:]) < SMALLEST:  # a small area takes a finger about its counters' place
            boxes = (
                *boxes,
                (
                    area.stand.at[0] - SMALLEST / 2,
                    area.stand.at[1] - SMALLEST / 2,
                    SMALLEST,
                    SMALLEST,
                ),
            )
        found.append(Spot(area.name, area.outline, boxes, (x, max(y, 16)), counters))
    return Ground(plate.size, tuple(found))


def _box_spot(area: str, box: Box) -> Spot:
    x, y, wide, high = box
    return Spot(
        area,
        f"M{num(x)} {num(y)}h{num(wide)}v{num(high)}h-{num(wide)}z",
        (),
        (x + wide / 2, y + high - 16),
    )


def hits(ground: Ground, links: Mapping[str, str], told: Mapping[str, str]) -> str:
    """Return the areas as links: `links` to addresses, `told` what each says when read aloud."""
    wide, high = ground.size
    drawn = []
    for place, spot in enumerate(ground.spots):
        if spot.area not in links:
            continue
        # The outline is most of a page: what is drawn of it a second time refers to it.
        shapes = f'<use href="#hit-{place}" class="wash"/>'
        shapes += f'<path id="hit-{place}" d="{spot.outline}" fill-rule="evenodd"/>'
        shapes += "".join(
            f'<rect x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}" rx="6"/>'
            for x, y, w, h in spot.boxes
        )
        said = esc(told.get(spot.area, spot.area))
        named = f'href="{esc(links[spot.area])}" data-area="{esc(spot.area)}" aria-label="{said}"'
        drawn.append(f"<a {named}><title>{said}</title>{shapes}</a>")
    # A picture cannot be drawn on below its counters: so they are left out of what is drawn above.
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
        f' map">{mask}{"".join(drawn)}</svg>'
    )


def marks(ground: Ground, wanted: Sequence[Mark]) -> str:
    """Return the marks as an SVG over the picture, by area; silent, for the panels say the same."""
    wide, high = ground.size
    drawn = []
    for spot in ground.spots:
        mine = [mark for mark in wanted if mark.area == spot.area][:4]
        widths = [_width(mark) for mark in mine]
        x = min(
            max(spot.at[0] - (sum(widths) + 4 * (len(mine) - 1)) / 2, 8),
            wide - sum(widths) - 4 * len(mine) - 4,
        )
        for mark, across in zip(mine, widths, strict=True):
            drawn.append(_mark(mark, x, spot.at[1], across))
            x += across + 4
    return (
        f'<svg class="marks" viewBox="0 0 {wide} {high}" aria-hidden="true">{"".join(drawn)}</svg>'
    )


def _width(mark: Mark) -> float:
    return 22 + 9.4 * len(mark.text)


def _mark(mark: Mark, x: float, y: float, across: float) -> str:
    """Draw placements with round, attacks with pointed and wishes with broken edges."""
    colour, left, right, top, bottom = (
        _COLOURS[mark.kind],
        num(x),
        num(x + across),
        num(y - 13),
        num(y + 13),
    )
    style = f'fill="{_PAPER}" stroke="{colour}" stroke-width="2.6"'
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
    return shape + words(mark.text, x + across / 2, y + 6, 18, _INK, weight=700)


def sentence_of(board: Board, area: str) -> str:
    """What stands in an area, as a sentence."""
    return pieces.spoken(board, area)
