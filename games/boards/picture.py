"""Draw a board as PNG, for letters, with resvg and only the fonts that come with the service, so
that it looks the same everywhere.

Drawing a whole plate takes a few hundred milliseconds, and nearly all of it is the same for every
board. So each process draws the ground once and caches it; a board is the ground with its pieces on
top, in a fixed palette, because few, flat colors keep letters small.
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
from .area_drawer import Layer
from .inks import SERIF, THEMES, Theme, blend
from .mosaic import Mosaic
from .pieces import Changed
from .plate import Plate, colors

if TYPE_CHECKING:
    from PIL.Image import Image

FONTS = Path(__file__).parent / "fonts"
FAMILY = "EB Garamond"
PALETTE = 64  # colors of a drawing without a fixed palette
DEFLATE = 6


class Ground(NamedTuple):
    """The background shared by boards of the same areas and nations: in full color, reduced to the
    palette, and the palette."""

    full: Image
    flat: Image
    palette: Image


Key = tuple[str, float, tuple[str, ...], tuple[str, ...], str, int]
_GROUNDS: dict[Key, Ground] = {}
_DRAWING = Lock()


@lru_cache(maxsize=1)
def fonts() -> list[str]:
    return sorted(str(path) for path in FONTS.glob("*.ttf"))


def draw_picture(svg_text: str, width: int) -> bytes:
    """Render an SVG `width` pixels wide, in full color. Raise `ValueError` for an invalid SVG."""
    import resvg_py  # a compiled package, loaded only where needed

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
    """Render an SVG as a small PNG `width` pixels wide. The same text gives the same bytes."""
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
    """Draw the board on its plate as a small PNG. The same board gives the same bytes."""
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
    """Draw the board on a mosaic as a small PNG. The same board gives the same bytes."""
    key = (mosaic.game, 1.0, tuple(board.areas), tuple(board.nations), theme, width)
    ground = _ground_once(
        key,
        lambda: tiles.ground(mosaic, board, theme),
        lambda: tiles.flat_colors(mosaic, board, theme),
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
    name = f"{plate.game} for phones" if plate.phones else plate.game
    key = (name, plate.grow, tuple(board.areas), tuple(board.nations), theme, width)
    return _ground_once(
        key, lambda: draw.ground(plate, board, theme), lambda: _colors(plate, board, THEMES[theme])
    )


def _ground_once(key: Key, svg: Callable[[], str], colors: Callable[[], Sequence[str]]) -> Ground:
    """Return the ground for this key, drawn once per process."""
    from PIL import Image

    with _DRAWING:
        if key not in _GROUNDS:
            if len(_GROUNDS) >= 8:  # 4 MB each
                _GROUNDS.clear()
            full = Image.open(io.BytesIO(draw_picture(svg(), key[-1]))).convert("RGB")
            palette = _palette(colors())
            _GROUNDS[key] = Ground(
                full, full.quantize(palette=palette, dither=Image.Dither.NONE), palette
            )
        return _GROUNDS[key]


def _colors(plate: Plate, board: Board, theme: Theme) -> list[str]:
    """Return the flat colors of a board, and blends of those that touch.

    A palette computed from a picture would have many browns of paper and one red for all nations.
    """
    looks = colors(board.nations, plate.nations).values()
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
        *(color for pair in tints for color in pair),
        *(look.color for look in looks),
    ]
    plain += [blend(theme.water, theme.sea, share) for share in (1.0, 0.5)]
    plain += [blend(theme.edge, ground, 0.5) for ground in (theme.sea, theme.land, theme.paper)]
    plain += [blend(theme.cardink, theme.card, share) for share in (0.66, 0.33)]
    plain += [blend(look.color, look.ink, 0.5) for look in looks] + [look.ink for look in looks]
    for look in looks:
        plain += pieces.closed_colors(look, theme)
    return plain


def _palette(plain: Sequence[str]) -> Image:
    from PIL import Image

    unique = list(dict.fromkeys(plain))
    palette = Image.new("P", (1, 1))
    palette.putpalette([int(color[k : k + 2], 16) for color in unique for k in (1, 3, 5)])
    return palette


def _lay(full: Image, flat: Image, palette: Image, units: int, layer: Layer) -> None:
    """Draw a layer onto both pictures.

    `units` is the width of the drawing. A layer's position is rounded to a whole pixel, so that the
    same counter is rendered once for all positions.
    """
    from PIL import Image

    scale, (x, y, w, h) = full.width / units, layer.box
    left, top = math.floor(x * scale), math.floor(y * scale)
    wide, high = math.ceil((x + w) * scale) - left, math.ceil((y + h) * scale) - top
    view = " ".join(f"{value / scale:.3f}" for value in (left, top, wide, high))
    sprite = Image.open(io.BytesIO(_sprite(view, wide, high, layer.elements)))
    left, top = left + round(layer.at[0] * scale), top + round(layer.at[1] * scale)
    cutout = full.crop((left, top, left + wide, top + high))
    cutout.paste(sprite, (0, 0), sprite)
    full.paste(cutout, (left, top))
    flat.paste(cutout.quantize(palette=palette, dither=Image.Dither.NONE), (left, top))


@lru_cache(maxsize=1024)
def _sprite(view: str, wide: int, high: int, elements: str) -> bytes:
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{wide}" height="{high}"'
        f' font-family="{SERIF}">{elements}</svg>'
    )
    return draw_picture(svg, wide)
