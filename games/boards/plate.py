"""A plate: the map of one game as data, read from `plates/<game>/`. Nothing here draws.

plate.toml is written by hand (what is written where, where counters stand, the nations' colours),
outlines.json by `survey.py`. Every game's plate has the same form, so that a later game brings two
files and no code.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

PLATES = Path(__file__).parent / "plates"
Point = tuple[float, float]
Box = tuple[float, float, float, float]

PATTERNS = ("pale", "fess", "bend", "sinister", "dots", "grid", "saltire")
#: What may stand with a pile, or in place of one.
SIGNS = ("understanding", "control", "treaty")
#: For nations that no plate names, in card order: dark ones carry light letters.
COLOURS = ("#0f3a98", "#a82625", "#e0a92e", "#369466", "#24282e", "#8a5bb0", "#5aa5b8")


#: The colours of nations on pages (.n0 to .n6 of gamesmaster.css) and on paper (house.typ), by
# their places there, as plates write them.
PLACES = ("#369466", "#0f3a98", "#a82625", "#e0a92e", "#24282e", "#8f5f9f")
MOST_PLACES = 7


@dataclass(frozen=True)
class Colours:
    """How a nation's pieces look: `pattern` and `letters` say what the colour says."""

    colour: str
    ink: str  # for what is written on the colour
    pattern: str  # one of PATTERNS
    letters: str


@dataclass(frozen=True)
class Label:
    lines: tuple[str, ...]
    at: Point  # the middle of the first line
    size: float
    spacing: float = 0.0
    turn: float = 0.0  # degrees, clockwise
    leader: Point | None = (
        None  # a thin line from a name that stands outside its area to a place inside
    )


@dataclass(frozen=True)
class Stand:
    """Where counters stand: about `at` if at most `fits`, else about `tray` with a line to `at`."""

    at: Point
    columns: int
    fits: int
    lean: float = 0.0
    tray: Point | None = None
    tray_columns: int = 2
    top: bool = False  # the tray keeps the place of its first row however many rows there are


@dataclass(frozen=True)
class Area:
    name: str
    outline: str  # an SVG path, fill-rule evenodd
    wash: str  # the band of colour inside its border
    label: Label
    stand: Stand
    tint: str
    inset: bool


@dataclass(frozen=True)
class Name:
    """A name that is no area's, a neutral's or a sea's; hidden by the tray of the area `yields`."""

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
    others: tuple[str, ...]  # land that is no area
    coast: str
    water: tuple[str, ...]
    rivers: str
    graticule: str
    degrees: tuple[tuple[str, float, str], ...]
    insets: Mapping[str, Inset]
    names: tuple[Name, ...]
    nations: Mapping[str, Mapping[str, str]]
    signs: tuple[str, ...]  # what the key explains beside the nations: of SIGNS
    cartouche: Box
    compass: tuple[Point, float] | None
    scale: tuple[Point, int, float] | None  # where, kilometres, units


def plate_for(game_id: str, card_areas: Collection[str]) -> Plate | None:
    """Return the plate of a game if it shows every area of the card, else None."""
    known = {path.name for path in PLATES.iterdir() if path.is_dir()}
    if game_id not in known:
        return None
    plate = load(game_id)
    return plate if set(card_areas) <= set(plate.areas) else None


def signs_of(game_id: str) -> tuple[str, ...]:
    """Return what the key of a game's boards explains; everything for a game without a plate."""
    return (
        load(game_id).signs
        if game_id in {path.name for path in PLATES.iterdir() if path.is_dir()}
        else SIGNS
    )


@lru_cache(maxsize=8)
def load(game_id: str) -> Plate:
    """Load a plate. Raises `KeyError` or `ValueError` where its files are not of this form."""
    folder = PLATES / game_id
    hand = tomllib.loads((folder / "plate.toml").read_text(encoding="utf-8"))
    drawn = json.loads((folder / "outlines.json").read_text(encoding="utf-8"))
    areas = {name: _area(name, tree, drawn) for name, tree in hand["areas"].items()}
    compass, scale = hand.get("compass"), hand.get("scale")
    return Plate(
        game=game_id,
        subject=hand["subject"],
        source=drawn["source"],
        size=(hand["size"][0], hand["size"][1]),
        window=_box(drawn["window"]),
        areas=areas,
        others=(
            drawn["others"],
            *(
                land["outline"]
                for name, land in sorted(drawn["lands"].items())
                if name not in areas
            ),
        ),
        coast=drawn["coast"],
        water=tuple(drawn["water"]),
        rivers=drawn["rivers"],
        graticule=drawn["graticule"],
        degrees=tuple((side, place, text) for side, place, text in drawn["degrees"]),
        insets={
            name: Inset(_box(tree["box"]), tree["others"], tuple(tree["water"]))
            for name, tree in drawn["insets"].items()
        },
        names=tuple(Name(**{**tree, "at": _point(tree["at"])}) for tree in hand.get("names", ())),
        nations=hand["nations"],
        signs=tuple(hand.get("signs", ("understanding", "control"))),
        cartouche=_box(hand["cartouche"]["box"]),
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


def letters(name: str, others: Collection[str]) -> str:
    """Return the shortest start of a name, two letters or more, that no other nation shares."""
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


def colours(nations: Collection[str], known: Mapping[str, Mapping[str, str]]) -> dict[str, Colours]:
    """Return each nation's colours: the plate's, else the next colour and pattern free."""
    used = {tree["colour"] for name, tree in known.items() if name in nations}
    taken = {tree["pattern"] for name, tree in known.items() if name in nations}
    free = [colour for colour in COLOURS if colour not in used] + list(COLOURS)
    left = [pattern for pattern in PATTERNS if pattern not in taken] + list(PATTERNS)
    found: dict[str, Colours] = {}
    fresh = 0
    for name in nations:
        tree = known.get(name)
        if tree is None:
            tree = {"colour": free[fresh % len(free)], "pattern": left[fresh % len(left)]}
            fresh += 1
        ink = tree.get("ink") or ("#2a1d05" if _bright(tree["colour"]) else "#fffaf0")
        found[name] = Colours(tree["colour"], ink, tree["pattern"], letters(name, nations))
    return found


def _bright(colour: str) -> bool:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    light: float = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return light > 0.3
