"""Draw a board as a map: the plate of a game, in the style of an old atlas, with counters, seals
and flags, as one SVG text.

The same board gives the same text on every machine. The SVG needs no stylesheet or script (pages
allow neither inline); elements that pages refer to have `data-area`. All colors are flat, so that
the PNG stays small.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from games.rules import Board

from . import frame, pieces, scenery
from .area_drawer import Layer, bounds, drawer_of
from .inks import SERIF, THEMES, Theme, esc
from .pieces import Changed
from .plate import Plate


def svg(
    plate: Plate,
    board: Board,
    *,
    width: int = 900,
    changed: Changed = (),
    title: str = "",
    theme: str = "light",
) -> str:
    """Draw the board on its plate.

    `changed` are the (area, nation) pairs to mark, `title` the lines of the cartouche, `theme` is
    "light", "dark" or "print". Raise `KeyError` for an unknown theme or area.
    """
    ink = THEMES[theme]
    drawer = drawer_of(plate, board, ink, changed)
    areas = drawer.areas
    main = [area for area in areas if not area.inset]
    busy = drawer.busy()
    parts = [
        *scenery.ground(plate, ink),
        *(drawer.area(area) for area in main),
        scenery.shore(plate, ink),
        *scenery.names(plate, ink, busy, None),
        *(drawer.label(area) for area in main),
        *(drawer.pieces_group(area) for area in main),
        *(
            scenery.inset_ground(plate, area, ink)
            + drawer.area(area)
            + drawer.label(area)
            + drawer.pieces_group(area)
            for area in areas
            if area.inset
        ),
        *frame.furniture(plate, ink, drawer.nations),
        frame.heading(plate.cartouche, plate.subject, title, ink),
        frame.alliances(plate.cartouche, board, drawer.nations, ink),
        *frame.border(plate, ink),
    ]
    return _document(
        plate, ink, width, title, drawer.defs(areas), parts, pieces.alliance_sentences(board)
    )


def is_crowded(plate: Plate, board: Board) -> bool:
    """Return whether counters of two areas would overlap."""
    drawer = drawer_of(plate, board)
    places = [(area.name, *at) for area in drawer.areas for at in drawer.places(area)]
    wide, high = pieces.WIDE * plate.grow, pieces.HIGH * plate.grow
    return any(
        name != other and abs(x - across) < wide and abs(y - down) < high
        for (name, x, y), (other, across, down) in itertools.combinations(places, 2)
    )


def ground(plate: Plate, board: Board, theme: str) -> str:
    """Draw the background shared by all boards of these areas and nations, without names that give
    way to pieces."""
    ink = THEMES[theme]
    drawer = drawer_of(plate, Board(board.areas, board.nations, {}), ink)
    fixed = [area for area in drawer.areas if not area.label.leader]
    insets = [area for area in drawer.areas if area.inset]
    parts = [
        *scenery.ground(
            plate, ink, 2
        ),  # the faintest water line would add more to a letter's size than it shows
        *(drawer.area(area) for area in drawer.areas if not area.inset),
        scenery.shore(plate, ink),
        *scenery.names(plate, ink, set(), False),
        *(drawer.label(area) for area in fixed if not area.inset),
        *(
            scenery.inset_ground(plate, area, ink) + drawer.area(area) + drawer.label(area)
            for area in insets
        ),
        *frame.furniture(plate, ink, drawer.nations),
        *frame.border(plate, ink),
    ]
    return _document(plate, ink, plate.size[0], "", [], parts)


def layers(
    plate: Plate, board: Board, theme: str, changed: Changed = (), title: str = ""
) -> list[Layer]:
    """Return everything that `ground` lacks, from bottom to top."""
    ink = THEMES[theme]
    drawer = drawer_of(plate, board, ink, changed)
    closed = [area for area in drawer.areas if drawer.owners(area)]
    drawn_layers = []
    for area in closed:
        filling = "".join(drawer.defs([area]))
        drawn_layers.append(
            Layer(
                (0, 0),
                bounds(area.outline),
                f"<defs>{filling}</defs>{drawer.area(area, mute=True)}",
            )
        )
    areas_with_label = [area for area in drawer.areas if area.label.leader or area in closed]
    drawn_layers += [
        Layer((0, 0), drawer.label_box(area), drawer.label(area)) for area in areas_with_label
    ]
    for name in plate.names:
        if name.yields and name.yields not in drawer.busy():
            half = len(name.text) * name.size * 0.35 + 4
            drawn_layers.append(
                Layer(
                    (0, 0),
                    (name.at[0] - half, name.at[1] - name.size * 1.2, 2 * half, name.size * 2),
                    scenery.name(name, ink),
                )
            )
    drawn_layers += [layer for area in drawer.areas for layer in drawer.pieces(area)]
    x, y, w, h = plate.cartouche
    if allied := frame.alliances(plate.cartouche, board, drawer.nations, ink):
        drawn_layers.append(Layer((0, 0), (x + 8, y + h - 36, w - 16, 28), allied))
    return [
        *drawn_layers,
        Layer(
            (0, 0),
            (x + 8, y + 8, w - 16, 54),
            frame.heading(plate.cartouche, plate.subject, title, ink),
        ),
    ]


def _document(
    plate: Plate,
    ink: Theme,
    width: int,
    title: str,
    defs: Sequence[str],
    parts: Sequence[str],
    description: str = "",
) -> str:
    wide, high = plate.size
    heading = title_for_readers(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="atlas {ink.name}" viewBox="0 0 {wide}'
        f' {high}" width="{width}" '
        f'height="{round(width * high / wide)}" role="group" aria-label="{heading}"'
        f' font-family="{SERIF}">'
        f"<title>{heading}</title>"
        f"<desc>A map. Each area says what stands in it.{esc(description)}</desc>"
        f"<metadata>Outlines: {esc(plate.source)}.</metadata>"
        f"<defs>{''.join(defs)}</defs>"
        f"{''.join(parts)}</svg>"
    )


def title_for_readers(title: str) -> str:
    """Return a board's title for screen readers, escaped."""
    return esc(": ".join(part for part in ("The board", ", ".join(title.splitlines())) if part))
