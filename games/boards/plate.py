"""Load a plate, the map of a game as data, from `plates/<game>/`. Nothing here draws.

plate.toml is written by hand (labels and their positions, positions of counters, the nations'
colors), outlines.json by `tools/survey.py`. All plates have the same format, so that a new game
needs two files and no code.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

PLATES = Path(__file__).parent / "plates"
Point = tuple[float, float]
Box = tuple[float, float, float, float]

PATTERNS = ("pale", "fess", "bend", "sinister", "dots", "grid", "saltire")
#: Symbols that may accompany a stack of PFs or replace it.
SIGNS = ("understanding", "control", "treaty")
#: Colors for nations that no plate lists, in scenario order. Dark colors get light letters.
COLORS = ("#0f3a98", "#a82625", "#e0a92e", "#369466", "#24282e", "#8a5bb0", "#5aa5b8")


#: The colors of nations on pages (.n0 to .n6 of gamesmaster.css) and on paper (style.typ), by
#: index, spelled as in plates.
PLACES = ("#369466", "#0f3a98", "#a82625", "#e0a92e", "#24282e", "#8f5f9f")
MOST_PLACES = 7
#: For phones: the scale of pieces and of area names, and the size of the smallest other names.
PIECES_GROW, LABELS_GROW, LEGIBLE = 1.3, 1.15, 15.0


@dataclass(frozen=True)
class Colors:
    """The look of a nation's pieces. `pattern` and `letters` identify it without color."""

    color: str
    ink: str  # for text on the color
    pattern: str  # one of PATTERNS
    letters: str


@dataclass(frozen=True)
class Label:
    lines: tuple[str, ...]
    at: Point  # the middle of the first line
    size: float
    spacing: float = 0.0
    turn: float = 0.0  # degrees, clockwise
    leader: Point | None = None  # the inner end of a thin line from a name outside its area


@dataclass(frozen=True)
class Stand:
    """Where counters are: around `at` for up to `fits`, else around `tray` with a line to `at`."""

    at: Point
    columns: int
    fits: int
    lean: float = 0.0
    tray: Point | None = None
    tray_columns: int = 2
    top: bool = False  # the tray's first row has the same place for any number of rows


@dataclass(frozen=True)
class Area:
    name: str
    outline: str  # an SVG path, fill-rule evenodd
    wash: str  # the band of color inside its border
    label: Label
    stand: Stand
    tint: str
    inset: bool


@dataclass(frozen=True)
class Name:
    """The name of a neutral or a sea. It is hidden while the tray of area `yields` is in use."""

    text: str
    at: Point
    size: float = 13.0
    turn: float = 0.0
    sea: bool = False
    yields: str = ""


@dataclass(frozen=True)
class Inset:
    box: Box
    others: str
    water: tuple[str, ...]


@dataclass(frozen=True)
class Plate:
    game: str
    subject: str
    source: str
    size: tuple[int, int]
    window: Box
    areas: Mapping[str, Area]
    others: tuple[str, ...]  # land outside the areas
    coast: str
    water: tuple[str, ...]
    rivers: str
    graticule: str
    degrees: tuple[tuple[str, float, str], ...]
    insets: Mapping[str, Inset]
    names: tuple[Name, ...]
    nations: Mapping[str, Mapping[str, str]]
    signs: tuple[str, ...]  # those of SIGNS that the key explains besides the nations
    cartouche: Box
    compass: tuple[Point, float] | None
    scale: tuple[Point, int, float] | None  # position, kilometers, units
    grow: float = 1.0  # the scale of pieces
    phones: bool = False  # whether it is adapted for phones (`phone_plate`)


@cache
def games_with_plate() -> frozenset[str]:
    """Return the games with a plate; they come with the program."""
    return frozenset(path.name for path in PLATES.iterdir() if path.is_dir())


def plate_for(game_id: str, card_areas: Collection[str]) -> Plate | None:
    """Return the plate of a game if it shows every area of the scenario, else None."""
    if game_id not in games_with_plate():
        return None
    plate = load(game_id)
    return plate if plate.areas.keys() >= set(card_areas) else None


def phone_plate(plate: Plate) -> Plate:
    """Return a plate for pictures that a phone shows at a third of their size: with larger pieces
    and area names, and without the small names, which would be illegible."""
    areas = {
        name: replace(area, label=replace(area.label, size=area.label.size * LABELS_GROW))
        for name, area in plate.areas.items()
    }
    names = tuple(name for name in plate.names if name.size >= LEGIBLE)
    smaller = replace(plate, areas=areas, names=names, scale=None, degrees=())
    return replace(smaller, grow=PIECES_GROW, phones=True)


def signs_of(game_id: str) -> tuple[str, ...]:
    """Return the symbols that the key of a game's boards explains; all of them without a plate."""
    return load(game_id).signs if game_id in games_with_plate() else SIGNS


@lru_cache(maxsize=8)
def load(game_id: str) -> Plate:
    """Load a plate. Raise `KeyError` or `ValueError` where its files are malformed."""
    folder = PLATES / game_id
    plate_tree = tomllib.loads((folder / "plate.toml").read_text(encoding="utf-8"))
    outlines = json.loads((folder / "outlines.json").read_text(encoding="utf-8"))
    areas = {name: _area(name, tree, outlines) for name, tree in plate_tree["areas"].items()}
    compass, scale = plate_tree.get("compass"), plate_tree.get("scale")
    return Plate(
        game=game_id,
        subject=plate_tree["subject"],
        source=outlines["source"],
        size=(plate_tree["size"][0], plate_tree["size"][1]),
        window=_box(outlines["window"]),
        areas=areas,
        others=(
            outlines["others"],
            *(
                land["outline"]
                for name, land in sorted(outlines["lands"].items())
                if name not in areas
            ),
        ),
        coast=outlines["coast"],
        water=tuple(outlines["water"]),
        rivers=outlines["rivers"],
        graticule=outlines["graticule"],
        degrees=tuple((side, place, text) for side, place, text in outlines["degrees"]),
        insets={
            name: Inset(_box(tree["box"]), tree["others"], tuple(tree["water"]))
            for name, tree in outlines["insets"].items()
        },
        names=tuple(
            Name(**{**tree, "at": _point(tree["at"])}) for tree in plate_tree.get("names", ())
        ),
        nations=plate_tree["nations"],
        signs=tuple(plate_tree.get("signs", ("understanding", "control"))),
        cartouche=_box(plate_tree["cartouche"]["box"]),
        compass=(_point(compass["at"]), compass["radius"]) if compass else None,
        scale=(_point(scale["at"]), scale["km"], scale["length"]) if scale else None,
    )


def _area(name: str, tree: Mapping[str, Any], drawn: Mapping[str, Any]) -> Area:
    label, stand, land = dict(tree["label"]), dict(tree["stand"]), drawn["lands"][name]
    if "leader" in label:
        label["leader"] = _point(label["leader"])
    if "tray" in stand:
        stand["tray"] = _point(stand["tray"])
    return Area(
        name=name,
        outline=land["outline"],
        wash=land["wash"],
        label=Label(**{**label, "lines": tuple(label["lines"]), "at": _point(label["at"])}),
        stand=Stand(**{**stand, "at": _point(stand["at"])}),
        tint=tree["tint"],
        inset=name in drawn["insets"],
    )


def _point(pair: list[float]) -> Point:
    return pair[0], pair[1]


def _box(four: list[float]) -> Box:
    return four[0], four[1], four[2], four[3]


@lru_cache(maxsize=512)
def abbreviation(name: str, others: tuple[str, ...]) -> str:
    """Return the shortest prefix of a name, at least 2 letters, that no other nation shares."""
    plain = "".join(character for character in name if character.isalpha()).upper()
    rest = [
        "".join(character for character in other if character.isalpha()).upper()
        for other in others
        if other != name
    ]
    for length in range(2, len(plain)):
        if not any(other.startswith(plain[:length]) for other in rest):
            return plain[:length]
    return plain


def colors(nations: Collection[str], known: Mapping[str, Mapping[str, str]]) -> dict[str, Colors]:
    """Return each nation's colors: those of the plate, else the next free color and pattern."""
    used = {tree["color"] for name, tree in known.items() if name in nations}
    taken = {tree["pattern"] for name, tree in known.items() if name in nations}
    free = [color for color in COLORS if color not in used] + list(COLORS)
    free_patterns = [pattern for pattern in PATTERNS if pattern not in taken] + list(PATTERNS)
    colors_by_nation: dict[str, Colors] = {}
    assigned = 0
    for name in nations:
        tree = known.get(name)
        if tree is None:
            tree = {
                "color": free[assigned % len(free)],
                "pattern": free_patterns[assigned % len(free_patterns)],
            }
            assigned += 1
        ink = tree.get("ink") or ("#2a1d05" if _is_bright(tree["color"]) else "#fffaf0")
        colors_by_nation[name] = Colors(
            tree["color"], ink, tree["pattern"], abbreviation(name, tuple(nations))
        )
    return colors_by_nation


def _is_bright(color: str) -> bool:
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    light: float = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return light > 0.3
