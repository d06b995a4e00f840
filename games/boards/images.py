"""The board of a game as a picture: drawn once, kept below `VAR_DIR/boards`, and taken from there
by every letter that shows it.

What is drawn depends on the board, its marks and its title alone, so the same letter has the same
picture however often it is sent.
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
from games.rules import Board, Cell

#: Twice the width at which a letter shows it.
PNG_WIDTH = 1160
#: Pictures that no letter has asked for in so long are not needed for repeated tries any more;
# they can be drawn again anyhow.
KEPT_SECONDS = 60 * 24 * 3600
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Latest:
    """The pictures of this process that were asked for last."""

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
#: A board as SVG is 200 kB at most, a section of it half of that.
_DRAWN = Latest(60)


@dataclass(frozen=True)
class Drawing:
    """A board to be drawn, what is marked as changed, and the two lines of its cartouche."""

    game: str  # the ruleset
    card: Mapping[str, Any]
    board: Board
    changed: tuple[tuple[str, str], ...] = ()
    title: str = ""
    area: str = ""  # only this area with what lies around it, its border bold

    def svg(self, theme: str = "light", width: int = 900) -> str:
        game, card, board, marked = self.game, dict(self.card), self.board, self.changed
        if not self.area:
            how: dict[str, Any] = {"title": self.title, "theme": theme, "width": width}
            return boards.board_svg(game, card, board, changed=marked, **how)
        section = boards.section_svg(
            game, card, board, self.area, marked=marked, theme=theme, width=width
        )
        return section or ""


def changed_cells(old: Board | None, new: Board) -> tuple[tuple[str, str], ...]:
    """The (area, nation) where two boards differ; none where there is no old one."""
    if old is None:
        return ()
    nothing = Cell()
    found = []
    for area in new.areas:
        was, now = old.cells.get(area, {}), new.cells.get(area, {})
        if was != now:
            found += [
                (area, nation)
                for nation in new.nations
                if was.get(nation, nothing) != now.get(nation, nothing)
            ]
    return tuple(found)


def svg(drawing: Drawing, theme: str, width: int) -> bytes:
    """Return the drawing as SVG, kept in this process while it is asked for."""
    seen = repr((drawing.game, drawing.board, drawing.changed, drawing.title, drawing.area))
    key = (seen, theme, width)
    return _DRAWN.get(key, lambda: drawing.svg(theme, width).encode())


def png(drawing: Drawing) -> bytes:
    """Return the drawing as PNG, drawn once on a machine while the folder can be written."""
    name = name_of(drawing)
    return _LATEST.get(name, lambda: _stored(name) or _draw_once(drawing, name))


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
    """Return the name of a picture by all that is seen on it: new artwork is a new picture."""
    return hashlib.sha256(b"%d\n%b" % (PNG_WIDTH, svg(drawing, "light", 900))).hexdigest()


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "boards"


def _stored(name: str) -> bytes | None:
    with contextlib.suppress(OSError):
        data = (_folder() / f"{name}.png").read_bytes()
        if data.startswith(_SIGNATURE):
            return data
    return None


def _keep(name: str, data: bytes) -> None:
    """Write a picture in one step. A folder that cannot be written costs time, nothing else."""
    with contextlib.suppress(OSError):
        folder = _folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        handle, written = tempfile.mkstemp(dir=folder, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(written, folder / f"{name}.png")
        except OSError:
            os.unlink(written)
            raise


def tidy() -> int:
    """Remove pictures that are old, and what a process left behind that died while it wrote. Return
    how many. Looks at every file of the folder: to be called once an hour, not for each picture."""
    last, removed = time.time() - KEPT_SECONDS, 0
    with contextlib.suppress(OSError):
        for path in _folder().iterdir():
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < last:
                    path.unlink()
                    removed += 1
    return removed
