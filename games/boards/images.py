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
from collections.abc import Mapping
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
_IN_MEMORY = 16
_LATEST: OrderedDict[str, bytes] = OrderedDict()
#: A board as SVG is 200 kB at most, a section of it half of that.
_SVG_IN_MEMORY = 60
_DRAWN: OrderedDict[tuple[str, str, int], bytes] = OrderedDict()
_GUARD = Lock()


@dataclass(frozen=True)
class Drawing:
    """A board to be drawn: of which game, on which sheet, what is marked as changed, and the two
    lines of its cartouche."""

    game: str  # the ruleset
    card: Mapping[str, Any]
    board: Board
    changed: tuple[tuple[str, str], ...] = ()
    title: str = ""
    area: str = ""  # only this area with what lies around it, its border bold

    def svg(self, theme: str = "light", width: int = 900) -> str:
        if self.area:
            return (
                boards.section_svg(
                    self.game,
                    dict(self.card),
                    self.board,
                    self.area,
                    marked=self.changed,
                    theme=theme,
                    width=width,
                )
                or ""
            )
        return boards.board_svg(
            self.game,
            dict(self.card),
            self.board,
            changed=self.changed,
            title=self.title,
            theme=theme,
            width=width,
        )


def changed(old: Board | None, new: Board) -> tuple[tuple[str, str], ...]:
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
    """The drawing as SVG, kept in this process while it is asked for: everybody looks at the same
    few boards."""
    key = (
        repr((drawing.game, drawing.board, drawing.changed, drawing.title, drawing.area)),
        theme,
        width,
    )
    with _GUARD:
        if key in _DRAWN:
            _DRAWN.move_to_end(key)
            return _DRAWN[key]
    data = drawing.svg(theme, width).encode()
    with _GUARD:
        _DRAWN[key] = data
        while len(_DRAWN) > _SVG_IN_MEMORY:
            _DRAWN.popitem(last=False)
    return data


def png(drawing: Drawing) -> bytes:
    """The drawing as PNG. Drawn at most once in a process, and once on a machine while the folder
    can be written."""
    name = name_of(drawing)
    with _GUARD:
        if name in _LATEST:
            _LATEST.move_to_end(name)
            return _LATEST[name]
    data = _kept(name)
    if data is None:
        data = boards.board_png(
            drawing.game,
            dict(drawing.card),
            drawing.board,
            width=PNG_WIDTH,
            changed=drawing.changed,
            title=drawing.title,
        )
        _keep(name, data)
    with _GUARD:
        _LATEST[name] = data
        while len(_LATEST) > _IN_MEMORY:
            _LATEST.popitem(last=False)
    return data


def name_of(drawing: Drawing) -> str:
    """What a picture is called: by all that can be seen on it, so that new artwork is a new
    picture."""
    return hashlib.sha256(f"{PNG_WIDTH}\n{drawing.svg()}".encode()).hexdigest()


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "boards"


def _kept(name: str) -> bytes | None:
    with contextlib.suppress(OSError):
        data = (_folder() / f"{name}.png").read_bytes()
        if data.startswith(_SIGNATURE):
            return data
    return None


def _keep(name: str, data: bytes) -> None:
    """Writes a picture so that nobody ever reads half of one. A folder that cannot be written costs
    time and nothing else."""
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
