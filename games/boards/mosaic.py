"""A mosaic: the map of a game as squares, read from `mosaics/<game>.toml`. Nothing here draws.

For a game whose printed map we do not have: each area is a shape at about its place that touches
its neighbours and no others. The file is written by hand, a sign a square, so that whoever wants
another shape types it.
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
#: Units of the drawing: a square's side, the margin round the map, the room above it and below it,
# and how much of a corner is cut off.
SQUARE, MARGIN, HEAD, FOOT, CUT = 24, 16, 74, 204, 6.0
Square = tuple[int, int]


@dataclass(frozen=True)
class Tile:
    """An area: outline as a path, and the box of its name and pieces; in units of the drawing."""

    name: str
    squares: frozenset[Square]
    outline: str
    box: Box
    lines: tuple[str, ...]
    size: float  # of its name

    def within(self, far: float) -> str:
        """A line that runs `far` units inside the border."""
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
    others: str  # land that is no area
    land: str  # all land together, for the coast
    seas: tuple[Sea, ...]
    nations: Mapping[str, Mapping[str, str]]
    borders: frozenset[
        tuple[str, str]
    ]  # as they are on the ground: pairs of areas in order of the alphabet

    @property
    def size(self) -> tuple[int, int]:
        return 2 * MARGIN + SQUARE * len(self.rows[0]), HEAD + SQUARE * len(self.rows) + FOOT


def mosaic_for(game_id: str, areas: Collection[str]) -> Mosaic | None:
    """The mosaic of a game if it shows every area, else None."""
    if game_id not in known_games():
        return None
    found = load(game_id)
    return found if set(areas) <= set(found.tiles) else None


@lru_cache(maxsize=1)
def known_games() -> frozenset[str]:
    """The games that have one."""
    return frozenset(path.stem for path in _MOSAICS.glob("*.toml"))


@lru_cache(maxsize=4)
def load(game_id: str) -> Mosaic:
    """Load a mosaic. Raises `KeyError` or `ValueError` where its file is not of this form."""
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
        mine = frozenset(places[entry["sign"]])
        x, y, wide, high = entry["box"]
        if not mine >= {(x + across, y + down) for across in range(wide) for down in range(high)}:
            raise ValueError(f"{game_id}: the box of {name} lies outside it")
        box = (*_at(x, y), float(wide * SQUARE), float(high * SQUARE))
        tiles[name] = Tile(
            name,
            mine,
            outline(mine),
            box,
            tuple(entry.get("lines", (name,))),
            float(entry.get("size", 25)),
        )
    land = {square for sign, mine in places.items() if sign != SEA for square in mine}
    return Mosaic(
        game=game_id,
        subject=tree["subject"],
        source=tree["source"],
        rows=rows,
        tiles=tiles,
        others=outline(frozenset(places.get(OTHER, ()))),
        land=outline(frozenset(land)),
        seas=tuple(
            Sea(sea["text"], _at(*sea["at"]), sea.get("turn", 0.0)) for sea in tree.get("seas", ())
        ),
        nations=tree["nations"],
        borders=frozenset(_pair(signs[a], signs[b]) for a, b in tree["borders"].split()),
    )


def _pair(a: str, b: str) -> tuple[str, str]:
    return min(a, b), max(a, b)


def _at(x: float, y: float) -> Point:
    return MARGIN + SQUARE * x, HEAD + SQUARE * y


@lru_cache(maxsize=512)
def outline(squares: frozenset[Square], inside: float = 0.0) -> str:
    """Return the border of some squares as an SVG path with cut corners, in relative steps.

    With `inside` the line runs so many units within them: less than half a square.
    """
    return "".join(_path(_inset(ring, inside)) for ring in rings(squares))


def _inset(ring: Sequence[Point], far: float) -> list[Point]:
    """A ring moved to its right by `far` units."""
    found = []
    for place, (x, y) in enumerate(ring):
        (x0, y0), (x1, y1) = ring[place - 1], ring[(place + 1) % len(ring)]
        ways = (_unit(x - x0, y - y0), _unit(x1 - x, y1 - y))
        found.append(
            (x + far * sum(-way[1] for way in ways), y + far * sum(way[0] for way in ways))
        )
    return found


def _unit(dx: float, dy: float) -> Point:
    far = abs(dx) + abs(dy)
    return dx / far, dy / far


def rings(squares: frozenset[Square]) -> list[list[Point]]:
    """Return the corners of the border of some squares, ring by ring, the squares on the right."""
    leaving: dict[Square, list[Square]] = {}
    for x, y in sorted(squares):
        sides = (
            ((x, y - 1), (x, y), (x + 1, y)), ((x + 1, y), (x + 1, y), (x + 1, y + 1)),
            ((x, y + 1), (x + 1, y + 1), (x, y + 1)), ((x - 1, y), (x, y + 1), (x, y)),
        )  # fmt: skip
        for beside, start, end in sides:
            if beside not in squares:
                leaving.setdefault(start, []).append(end)
    found = []
    while leaving:
        # The first corner is the leftmost of all that are left: the way to it comes from below.
        start = min(leaving)
        ring, before, here = [start], start, leaving[start].pop()
        while here != start:
            ends = leaving[here]
            # Where two squares meet at a corner only, the border turns right, so that it stays with
            # its own square.
            end = max(ends, key=lambda one: _right(before, here, one)) if len(ends) > 1 else ends[0]
            ends.remove(end)
            if _right(before, here, end):
                ring.append(here)
            before, here = here, end
        leaving = {corner: ends for corner, ends in leaving.items() if ends}
        found.append([_at(*corner) for corner in ring])
    return found


def _right(a: Square, b: Square, c: Square) -> int:
    """Return whether the way a, b, c turns right (above 0), left (below) or goes straight (0)."""
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
    """Return the colours of a game's nations, on any card; empty for a game without a map."""
    return dict(_games_with_colours()).get(game_id, {})


@lru_cache(maxsize=1)
def _games_with_colours() -> tuple[tuple[str, Mapping[str, Mapping[str, str]]], ...]:
    """Every game that has a map, as a plate or as a mosaic, with the colours of its nations."""
    plates = sorted(path.name for path in plate.PLATES.iterdir() if path.is_dir())
    return (
        *((game, plate.load(game).nations) for game in plates),
        *((game, load(game).nations) for game in sorted(known_games())),
    )


@lru_cache(maxsize=64)
def places(nations: tuple[str, ...]) -> dict[str, int]:
    """Return each nation's place among the colors: that of its plate, else the next free one.

    So a nation looks the same on the map and in tables, in whatever order a sheet has it.
    """
    looks = {
        name: tree["colour"] for _, known in _games_with_colours() for name, tree in known.items()
    }
    found: dict[str, int] = {}
    for name in nations:
        if (
            looks.get(name) in plate.PLACES
            and plate.PLACES.index(looks[name]) not in found.values()
        ):
            found[name] = plate.PLACES.index(looks[name])
    free = [place for place in range(plate.MOST_PLACES) if place not in found.values()] or list(
        range(plate.MOST_PLACES)
    )
    rest = [name for name in nations if name not in found]
    return {
        name: found.get(name, free[rest.index(name) % len(free)] if name in rest else 0)
        for name in nations
    }
