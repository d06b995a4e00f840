"""A board as PNG, for letters: by resvg, with the fonts that come with the service and no others,
so that it is the same everywhere.

Drawing a whole plate takes some hundred milliseconds, and nearly all of it is the same on every
board. So the ground is drawn once in a process and kept; a board is that ground with its pieces
laid on, in a palette of its own: few, flat colours make a small letter.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from games.rules import Board

from . import draw, pieces, tiles
from .draw import Layer
from .inks import SERIF, THEMES, Theme, blend
from .mosaic import Mosaic
from .pieces import Changed
from .plate import Plate, colours

if TYPE_CHECKING:
    from PIL.Image import Image

FONTS = Path(__file__).parent / "fonts"
FAMILY = "EB Garamond"
PALETTE = 64  # colours of a drawing that has none of its own
DEFLATE = 6


class Ground(NamedTuple):
    """What boards of the same areas and nations share: in full colour, in the palette, and it."""

    full: Image
    flat: Image
    palette: Image


Key = tuple[str, tuple[str, ...], tuple[str, ...], str, int]
_GROUNDS: dict[Key, Ground] = {}
_DRAWING = Lock()


@lru_cache(maxsize=1)
def fonts() -> list[str]:
    return sorted(str(path) for path in FONTS.glob("*.ttf"))


def draw_picture(svg_text: str, width: int) -> bytes:
    """Return the drawing, `width` pixels wide, in full colour. Raises `ValueError` for no SVG."""
    import resvg_py  # a compiled package, loaded only where a picture is made

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg_text,
            width=width,
            font_files=fonts(),
            skip_system_fonts=True,
            font_family=FAMILY,
            serif_family=FAMILY,
            sans_serif_family=FAMILY,
            monospace_family=FAMILY,
        )
    )


def png(svg_text: str, width: int) -> bytes:
    """Return a drawing as a small PNG `width` pixels wide. The same text gives the same bytes."""
    from PIL import Image

    full = Image.open(io.BytesIO(draw_picture(svg_text, width))).convert("RGB")
    return _pack(full.quantize(PALETTE, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE))


def board_png(
    plate: Plate,
    board: Board,
    *,
    width: int = 1200,
    changed: Changed = (),
    title: str = "",
    theme: str = "light",
) -> bytes:
    """Return the board on its plate as a small PNG: the same bytes for the same board."""
    ground = _ground(plate, board, theme, width)
    return _compose(ground, plate.size[0], draw.layers(plate, board, theme, changed, title))


def mosaic_png(
    mosaic: Mosaic,
    board: Board,
    *,
    width: int = 1200,
    changed: Changed = (),
    title: str = "",
    theme: str = "light",
) -> bytes:
    """The same on a mosaic."""
    key = (mosaic.game, tuple(board.areas), tuple(board.nations), theme, width)
    ground = _ground_once(
        key,
        lambda: tiles.ground(mosaic, board, theme),
        lambda: tiles.flat_colours(mosaic, board, theme),
    )
    return _compose(ground, mosaic.size[0], tiles.layers(mosaic, board, theme, changed, title))


def _compose(ground: Ground, wide: int, layers: Sequence[Layer]) -> bytes:
    full, flat = ground.full.copy(), ground.flat.copy()
    for layer in layers:
        _lay(full, flat, ground.palette, wide, layer)
    return _pack(flat)


def _pack(flat: Image) -> bytes:
    out = io.BytesIO()
    flat.save(out, "PNG", compress_level=DEFLATE)
    return out.getvalue()


def _ground(plate: Plate, board: Board, theme: str, width: int) -> Ground:
    key = (plate.game, tuple(board.areas), tuple(board.nations), theme, width)
    return _ground_once(
        key, lambda: draw.ground(plate, board, theme), lambda: _colours(plate, board, THEMES[theme])
    )


def _ground_once(key: Key, svg: Callable[[], str], colours: Callable[[], Sequence[str]]) -> Ground:
    """The ground of that key, drawn once in a process."""
    from PIL import Image

    with _DRAWING:
        if key not in _GROUNDS:
            if len(_GROUNDS) >= 8:  # four megabytes each
                _GROUNDS.clear()
            full = Image.open(io.BytesIO(draw_picture(svg(), key[-1]))).convert("RGB")
            palette = _palette(colours())
            _GROUNDS[key] = Ground(
                full, full.quantize(palette=palette, dither=Image.Dither.NONE), palette
            )
        return _GROUNDS[key]


def _colours(plate: Plate, board: Board, theme: Theme) -> list[str]:
    """Return the flat colors a board is drawn in, and the steps between those that meet.

    A palette counted from a picture would have many browns of paper and one red for all nations.
    """
    looks = colours(board.nations, plate.nations).values()
    tints = [
        pair
        for name, pair in sorted(theme.tints.items())
        if name in {plate.areas[area].tint for area in board.areas}
    ]
    plain = [
        theme.paper,
        theme.sea,
        theme.land,
        theme.ink,
        theme.edge,
        theme.soft,
        theme.seaink,
        theme.river,
        theme.grid,
        theme.card,
    ]
    plain += [
        theme.cardink,
        theme.mark,
        *(colour for pair in tints for colour in pair),
        *(look.colour for look in looks),
    ]
    plain += [blend(theme.water, theme.sea, share) for share in (1.0, 0.5)]
    plain += [blend(theme.edge, ground, 0.5) for ground in (theme.sea, theme.land, theme.paper)]
    plain += [blend(theme.cardink, theme.card, share) for share in (0.66, 0.33)]
    plain += [blend(look.colour, look.ink, 0.5) for look in looks] + [look.ink for look in looks]
    for look in looks:
        plain += pieces.closed_colours(look, theme)
    return plain


def _palette(plain: Sequence[str]) -> Image:
    from PIL import Image

    once = list(dict.fromkeys(plain))
    made = Image.new("P", (1, 1))
    made.putpalette([int(colour[k : k + 2], 16) for colour in once for k in (1, 3, 5)])
    return made


def _lay(full: Image, flat: Image, palette: Image | None, units: int, layer: Layer) -> None:
    """Draw a layer over its box of both pictures, of `flat` only where there is a palette.

    `units` is how wide the drawing is. A layer's place is rounded to a whole pixel, so that the
    same counter is drawn once for all its places.
    """
    from PIL import Image

    scale, (x, y, w, h) = full.width / units, layer.box
    left, top = math.floor(x * scale), math.floor(y * scale)
    wide, high = math.ceil((x + w) * scale) - left, math.ceil((y + h) * scale) - top
    view = " ".join(f"{value / scale:.3f}" for value in (left, top, wide, high))
    sprite = Image.open(io.BytesIO(_sprite(view, wide, high, layer.elements)))
    left, top = left + round(layer.at[0] * scale), top + round(layer.at[1] * scale)
    here = full.crop((left, top, left + wide, top + high))
    here.paste(sprite, (0, 0), sprite)
    full.paste(here, (left, top))
    if palette is not None:
        flat.paste(here.quantize(palette=palette, dither=Image.Dither.NONE), (left, top))


@lru_cache(maxsize=1024)
def _sprite(view: str, wide: int, high: int, elements: str) -> bytes:
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{wide}" height="{high}"'
        f' font-family="{SERIF}">{elements}</svg>'
    )
    return draw_picture(svg, wide)
