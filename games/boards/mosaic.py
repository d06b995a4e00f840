"""Load a mosaic, the map of a game as squares, from `mosaics/<game>.toml`. Nothing here draws.

A mosaic is for a game whose printed map we do not have: each area is a shape at about its place
that touches its neighbors and no other areas. The file is written by hand, one character per
square, so that shapes are changed by typing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from games.boards import plate

from .inks import num
from .plate import Box, Point

_MOSAICS = Path(__file__).parent / "mosaics"
SEA, OTHER = ".", ","
#: In units of the drawing: the side of a square, the margin around the map, the space above and
#: below it, and how much of a corner is cut off.
SQUARE, MARGIN, HEAD, FOOT, CUT = 24, 16, 74, 204, 6.0
Square = tuple[int, int]


@dataclass(frozen=True)
class Tile:
    """An area: its outline as an SVG path, and the box for its name and pieces, in units of the
    drawing."""

    name: str
    squares: frozenset[Square]
    outline: str
    box: Box
    lines: tuple[str, ...]
    size: float  # of its name

    def within(self, far: float) -> str:
        """Return the path of a line `far` units inside the border."""
        return outline(self.squares, far)


@dataclass(frozen=True)
class Sea:
    text: str
    at: Point
    turn: float = 0.0


@dataclass(frozen=True)
class Mosaic:
    game: str
    subject: str
    source: str
    rows: tuple[str, ...]
    tiles: Mapping[str, Tile]
    others: str  # land outside the areas
    land: str  # all land, for the coast
    seas: tuple[Sea, ...]
    nations: Mapping[str, Mapping[str, str]]

    @property
    def size(self) -> tuple[int, int]:
        return 2 * MARGIN + SQUARE * len(self.rows[0]), HEAD + SQUARE * len(self.rows) + FOOT


def mosaic_for(game_id: str, areas: Collection[str]) -> Mosaic | None:
    """Return the mosaic of a game if it shows every area, else None."""
    if game_id not in known_games():
        return None
    mosaic = load(game_id)
    return mosaic if set(areas) <= set(mosaic.tiles) else None


@lru_cache(maxsize=1)
def known_games() -> frozenset[str]:
    """Return the ids of games with a mosaic."""
    return frozenset(path.stem for path in _MOSAICS.glob("*.toml"))


@lru_cache(maxsize=4)
def load(game_id: str) -> Mosaic:
    """Load a mosaic. Raise `KeyError` or `ValueError` where its file is malformed."""
    tree = tomllib.loads((_MOSAICS / f"{game_id}.toml").read_text(encoding="utf-8"))
    rows = tuple(tree["rows"])
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"{game_id}: the rows are not of one length")
    places: dict[str, set[Square]] = {}
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            places.setdefault(sign, set()).add((x, y))
    signs = {entry["sign"]: name for name, entry in tree["areas"].items()}
    if len(signs) != len(tree["areas"]) or set(signs) != set(places) - {SEA, OTHER}:
        raise ValueError(f"{game_id}: every area has a sign of its own, and every sign an area")
    tiles = {}
    for name, entry in tree["areas"].items():
        squares = frozenset(places[entry["sign"]])
        x, y, wide, high = entry["box"]
        if not squares >= {
            (x + across, y + down) for across in range(wide) for down in range(high)
        }:
            raise ValueError(f"{game_id}: the box of {name} lies outside it")
        box = (*_grid_point(x, y), float(wide * SQUARE), float(high * SQUARE))
        tiles[name] = Tile(
            name,
            squares,
            outline(squares),
            box,
            tuple(entry.get("lines", (name,))),
            float(entry.get("size", 25)),
        )
    land = {square for sign, squares in places.items() if sign != SEA for square in squares}
    return Mosaic(
        game=game_id,
        subject=tree["subject"],
        source=tree["source"],
        rows=rows,
        tiles=tiles,
        others=outline(frozenset(places.get(OTHER, ()))),
        land=outline(frozenset(land)),
        seas=tuple(
            Sea(sea["text"], _grid_point(*sea["at"]), sea.get("turn", 0.0))
            for sea in tree.get("seas", ())
        ),
        nations=tree["nations"],
    )


def _grid_point(x: float, y: float) -> Point:
    return MARGIN + SQUARE * x, HEAD + SQUARE * y


@lru_cache(maxsize=512)
def outline(squares: frozenset[Square], inside: float = 0.0) -> str:
    """Return the border of some squares as an SVG path with cut corners, in relative steps.

    The line runs `inside` units within the border; `inside` must be less than half a square.
    """
    return "".join(_path(_inset(ring, inside)) for ring in rings(squares))


def _inset(ring: Sequence[Point], far: float) -> list[Point]:
    """Return a ring moved to its right by `far` units."""
    moved = []
    for place, (x, y) in enumerate(ring):
        (x0, y0), (x1, y1) = ring[place - 1], ring[(place + 1) % len(ring)]
        directions = (_unit_vector(x - x0, y - y0), _unit_vector(x1 - x, y1 - y))
        moved.append(
            (
                x + far * sum(-direction[1] for direction in directions),
                y + far * sum(direction[0] for direction in directions),
            )
        )
    return moved


def _unit_vector(dx: float, dy: float) -> Point:
    far = abs(dx) + abs(dy)
    return dx / far, dy / far


def rings(squares: frozenset[Square]) -> list[list[Point]]:
    """Return the corners of the border of some squares as rings, with the squares on the right."""
    ends_by_start: dict[Square, list[Square]] = {}
    for x, y in sorted(squares):
        sides = (
            ((x, y - 1), (x, y), (x + 1, y)), ((x + 1, y), (x + 1, y), (x + 1, y + 1)),
            ((x, y + 1), (x + 1, y + 1), (x, y + 1)), ((x - 1, y), (x, y + 1), (x, y)),
        )  # fmt: skip
        for beside, start, end in sides:
            if beside not in squares:
                ends_by_start.setdefault(start, []).append(end)
    corner_rings = []
    while ends_by_start:
        # Start at the leftmost remaining corner; the border reaches it from below.
        start = min(ends_by_start)
        ring, before, here = [start], start, ends_by_start[start].pop()
        while here != start:
            ends = ends_by_start[here]
            # Where two squares meet only at a corner, turn right, to stay with the same square.
            end = (
                max(ends, key=lambda end: _turn_direction(before, here, end))
                if len(ends) > 1
                else ends[0]
            )
            ends.remove(end)
            if _turn_direction(before, here, end):
                ring.append(here)
            before, here = here, end
        ends_by_start = {corner: ends for corner, ends in ends_by_start.items() if ends}
        corner_rings.append([_grid_point(*corner) for corner in ring])
    return corner_rings


def _turn_direction(a: Square, b: Square, c: Square) -> int:
    """Return a positive number if the path a, b, c turns right, a negative one if it turns left, 0
    if it is straight."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _path(ring: Sequence[Point]) -> str:
    points: list[Point] = []
    for place, (x, y) in enumerate(ring):
        for other in (ring[place - 1], ring[(place + 1) % len(ring)]):
            far = abs(other[0] - x) + abs(other[1] - y)
            step = min(CUT, far / 2) / far
            points.append((x + (other[0] - x) * step, y + (other[1] - y) * step))
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
    return (
        f"M{num(points[0][0])}"
        f" {num(points[0][1])}l{' '.join(f'{num(dx)} {num(dy)}' for dx, dy in steps)}z"
    )


def nations_of(game_id: str) -> Mapping[str, Mapping[str, str]]:
    """Return the colors of a game's nations, in any scenario; empty for a game without a map."""
    return dict(_games_with_colors()).get(game_id, {})


@lru_cache(maxsize=1)
def _games_with_colors() -> tuple[tuple[str, Mapping[str, Mapping[str, str]]], ...]:
    """Return every game with a plate or mosaic, and the colors of its nations."""
    plates = sorted(path.name for path in plate.PLATES.iterdir() if path.is_dir())
    return (
        *((game, plate.load(game).nations) for game in plates),
        *((game, load(game).nations) for game in sorted(known_games())),
    )


@lru_cache(maxsize=64)
def places(nations: tuple[str, ...]) -> dict[str, int]:
    """Return each nation's index among the colors: that of its map, else the next free one.

    A nation therefore has the same color on maps and in tables, in any order of the scenario.
    """
    colors = {
        name: tree["color"]
        for _, nation_trees in _games_with_colors()
        for name, tree in nation_trees.items()
    }
    place_by_nation: dict[str, int] = {}
    for name in nations:
        if (
            colors.get(name) in plate.PLACES
            and plate.PLACES.index(colors[name]) not in place_by_nation.values()
        ):
            place_by_nation[name] = plate.PLACES.index(colors[name])
    free = [
        place for place in range(plate.MOST_PLACES) if place not in place_by_nation.values()
    ] or list(range(plate.MOST_PLACES))
    rest = [name for name in nations if name not in place_by_nation]
    return {
        name: place_by_nation.get(name, free[rest.index(name) % len(free)] if name in rest else 0)
        for name in nations
    }
