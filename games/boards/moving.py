"""Make an animated GIF of a game to share, with one frame per board."""

from __future__ import annotations

import io
from collections.abc import Sequence

WIDTH = 640
COLORS = 96
#: Milliseconds to show each board, and the last one.
EACH, LAST = 1100, 4000


def gif(boards: Sequence[bytes]) -> bytes:
    """Return a looping GIF of these boards, which are PNGs of the same size."""
    from PIL import Image

    frames = []
    for data in boards:
        with Image.open(io.BytesIO(data)) as picture:
            height = round(WIDTH * picture.height / picture.width)
            scaled = picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
            frames.append(scaled.quantize(COLORS, dither=Image.Dither.NONE))
    out = io.BytesIO()
    times = [EACH] * (len(frames) - 1) + [LAST]
    frames[0].save(
        out, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True
    )
    return out.getvalue()
