"""Cache pictures of boards: each is drawn once, stored in `VAR_DIR/boards`, and read from there for
every letter that shows it.

A picture depends only on the board, its marks and its title, so that a letter has the same picture
each time it is sent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from django.conf import settings

from games import boards
from games.rules import Board

#: Pixels: twice the width at which a letter shows the picture.
PNG_WIDTH = 1160
#: Age at which a stored picture is removed: no retry needs it any more, and it can be drawn again.
KEPT_SECONDS = 60 * 24 * 3600
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Latest:
    """A cache of this process's most recently used pictures."""

    def __init__(self, most: int) -> None:
        self._most, self._guard = most, Lock()
        self._kept: OrderedDict[object, bytes] = OrderedDict()

    def get(self, key: object, draw: Callable[[], bytes]) -> bytes:
        with self._guard:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        data = draw()
        with self._guard:
            self._kept[key] = data
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return data

    def clear(self) -> None:
        self._kept.clear()


_LATEST = Latest(16)
#: An SVG is at most 200 kB for a board, half of that for a section.
_DRAWN = Latest(60)


@dataclass(frozen=True)
class Drawing:
    """A board to draw, the cells marked as changed (for one area: the cells that are not pale), and
    the 2 lines of its cartouche."""

    game: str  # the ruleset
    card: Mapping[str, Any]
    board: Board
    changed: tuple[tuple[str, str], ...] = ()
    title: str = ""
    area: str = ""  # draw only this area and its surroundings, with a bold border
    phones: bool = False  # with larger pieces and names, for SVG

    def svg(self, theme: str = "light", width: int = 900) -> str:
        game, card, board, marked = self.game, dict(self.card), self.board, self.changed
        if not self.area:
            options: dict[str, Any] = {"title": self.title, "theme": theme, "width": width}
            options["phones"] = self.phones
            return boards.board_svg(game, card, board, changed=marked, **options)
        section = boards.section_svg(
            game, card, board, self.area, bright=marked, theme=theme, width=width
        )
        return section or ""


def changed_cells(old: Board | None, new: Board) -> tuple[tuple[str, str], ...]:
    """Return the (area, nation) pairs where two boards differ; none without an old board."""
    if old is None:
        return ()
    return tuple((area, nation) for area, nation, _, _ in old.differences(new))


def svg(drawing: Drawing, theme: str, width: int) -> bytes:
    """Return the drawing as SVG, cached in this process."""
    content = repr((drawing.game, drawing.board, drawing.changed, drawing.title, drawing.area))
    key = (content, theme, width, drawing.phones)
    return _DRAWN.get(key, lambda: drawing.svg(theme, width).encode())


def png(drawing: Drawing) -> bytes:
    """Return the drawing as PNG, drawn once per machine as long as the folder is writable."""
    name = name_of(drawing)
    return _LATEST.get(name, lambda: _read_stored(name) or _draw_once(drawing, name))


def _draw_once(drawing: Drawing, name: str) -> bytes:
    data = boards.board_png(
        drawing.game,
        dict(drawing.card),
        drawing.board,
        width=PNG_WIDTH,
        changed=drawing.changed,
        title=drawing.title,
    )
    _keep(name, data)
    return data


def name_of(drawing: Drawing) -> str:
    """Return a picture's name, a hash of its content, so that new artwork is a new picture."""
    return hashlib.sha256(b"%d phones\n%b" % (PNG_WIDTH, svg(drawing, "light", 900))).hexdigest()


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "boards"


def _read_stored(name: str) -> bytes | None:
    with contextlib.suppress(OSError):
        data = (_folder() / f"{name}.png").read_bytes()
        if data.startswith(_SIGNATURE):
            return data
    return None


def _keep(name: str, data: bytes) -> None:
    """Store a picture atomically. If the folder is not writable, only time is lost."""
    with contextlib.suppress(OSError):
        folder = _folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, folder / f"{name}.png")
        except OSError:
            os.unlink(temporary)
            raise


def tidy() -> int:
    """Remove old pictures and old temporary files of crashed processes; return how many.

    This looks at every file in the folder: call it once an hour, not for each picture.
    """
    oldest, removed = time.time() - KEPT_SECONDS, 0
    with contextlib.suppress(OSError):
        for path in _folder().iterdir():
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()
                    removed += 1
    return removed
