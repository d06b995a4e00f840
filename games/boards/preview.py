"""Draw pictures to share: link previews for chat programs, with a board and a few words beside it,
1200 by 630 pixels; and animations of a game."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from .inks import SERIF, THEMES, num, text_element
from .picture import draw_picture

if TYPE_CHECKING:
    from PIL.Image import Image

SIZE = (1200, 630)
MARGIN, PANEL = 30, 470
COLORS = 256
#: Of an animation.
GIF_WIDTH, GIF_COLORS = 640, 96
#: Milliseconds to show each board, and the last one.
EACH, LAST = 1100, 4000


@lru_cache(maxsize=32)
def png(board: bytes, title: str, lines: tuple[str, ...], foot: str) -> bytes:
    """Return a PNG of `board` with a large `title`, `lines` below it, and `foot`. The same
    arguments give the same bytes."""
    from PIL import Image

    ground = Image.open(io.BytesIO(draw_picture(_panel(title, lines, foot), SIZE[0]))).convert(
        "RGB"
    )
    picture = Image.open(io.BytesIO(board)).convert("RGB")
    room = (SIZE[0] - PANEL - 2 * MARGIN, SIZE[1] - 2 * 20)
    scale = min(room[0] / picture.width, room[1] / picture.height)
    scaled = picture.resize(
        (round(picture.width * scale), round(picture.height * scale)), Image.Resampling.LANCZOS
    )
    ground.paste(scaled, (SIZE[0] - scaled.width - MARGIN + 10, (SIZE[1] - scaled.height) // 2))
    out = io.BytesIO()
    (flat,) = _to_one_palette([ground], COLORS)
    flat.save(out, "PNG", optimize=True)
    return out.getvalue()


def gif(boards: Sequence[bytes]) -> bytes:
    """Return a looping GIF with one frame per board. The boards are PNGs of the same size."""
    from PIL import Image

    frames = []
    for data in boards:
        with Image.open(io.BytesIO(data)) as picture:
            height = round(GIF_WIDTH * picture.height / picture.width)
            frames.append(
                picture.convert("RGB").resize((GIF_WIDTH, height), Image.Resampling.LANCZOS)
            )
    out = io.BytesIO()
    times = [EACH] * (len(frames) - 1) + [LAST]
    first, *others = _to_one_palette(frames, GIF_COLORS)
    first.save(
        out, "GIF", save_all=True, append_images=others, duration=times, loop=0, optimize=True
    )
    return out.getvalue()


def _to_one_palette(pictures: Sequence[Image], number: int) -> list[Image]:
    """Return pictures of one game in the `number` colors of the last: its legend has each nation's.

    An octree palette keeps rare colors: chosen by frequency, the nations would be gray, because
    their counters are small. The second pass gives each pixel the nearest color of all, not that of
    its branch. MAXCOVERAGE looks no better and takes 70 times as long.
    """
    from PIL.Image import Dither, Quantize

    palette = pictures[-1].quantize(number, Quantize.FASTOCTREE, dither=Dither.NONE)
    return [picture.quantize(palette=palette, dither=Dither.NONE) for picture in pictures]


def _panel(title: str, lines: tuple[str, ...], foot: str) -> str:
    ink = THEMES["light"]
    wide, high = SIZE
    size = 58 if len(title) <= 34 else 44
    elements, y = [], 110.0
    for part in textwrap.wrap(title, 17 if size == 58 else 23, max_lines=4, placeholder=" …"):
        elements.append(
            text_element(part, MARGIN + 15, y, size, ink.ink, weight=700, anchor="start")
        )
        y += size * 1.08
    elements.append(
        f'<path d="M{MARGIN + 15} {num(y - 18)}h120" stroke="{ink.edge}" stroke-width="4"/>'
    )
    y += 32
    for line in lines:
        for part in textwrap.wrap(line, 34, max_lines=3, placeholder=" …"):
            elements.append(text_element(part, MARGIN + 15, y, 30, ink.ink, anchor="start"))
            y += 38
        y += 8
    elements.append(
        text_element(foot, MARGIN + 15, high - 42, 24, ink.ink, italic=True, anchor="start")
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}"'
        f' height="{high}" font-family="{SERIF}"><rect width="{wide}" height="{high}"'
        f' fill="{ink.paper}"/>{"".join(elements)}</svg>'
    )
