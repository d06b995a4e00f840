"""Draw the areas of a board with their labels and pieces, and say where each of them is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from games.rules import Board

from . import pieces
from .inks import THEMES, Theme, blend, esc, num, text_element
from .pieces import Changed
from .plate import Area, Box, Colors, Plate, colors

_NUMBER = re.compile(r"-?[0-9.]+")


class Footprint(NamedTuple):
    """Where a piece is: around `at`, within `box` relative to it."""

    kind: str  # "flag", "tray" or "counter"
    nation: str  # "" for a tray
    at: tuple[float, float]
    box: Box


class Layer(NamedTuple):
    """Elements drawn around `at`, within `box` relative to it; the same at every position."""

    at: tuple[float, float]
    box: Box
    elements: str


def drawer_of(
    plate: Plate, board: Board, ink: Theme = THEMES["light"], changed: Changed = ()
) -> AreaDrawer:
    """Return the drawer of a board's areas. Raise `KeyError` for an area that the plate lacks."""
    missing = [name for name in board.areas if name not in plate.areas]
    if missing:
        raise KeyError(f"the plate of {plate.game} does not show {', '.join(missing)}")
    nations = colors(board.nations, plate.nations)
    return AreaDrawer(plate, board, nations, ink, frozenset(changed))


class AreaDrawer:
    """Draws the land, names and pieces of areas."""

    def __init__(
        self,
        plate: Plate,
        board: Board,
        nations: Mapping[str, Colors],
        ink: Theme,
        changed: frozenset[tuple[str, str]],
    ) -> None:
        self.plate, self.board, self.nations, self.ink = plate, board, nations, ink
        self.changed = changed
        self.bright: frozenset[tuple[str, str]] = frozenset()  # empty: no piece is pale
        self.areas = [plate.areas[name] for name in board.areas]

    def busy(self) -> set[str]:
        """Return the areas whose counters are in their trays."""
        return {area.name for area in self.areas if self._outside(area)}

    def _stacks(self, area: Area) -> list[str]:
        return pieces.control_and_stacks(self.board.cells.get(area.name, {}), self.board.nations)[1]

    def _outside(self, area: Area) -> bool:
        return area.stand.tray is not None and len(self._stacks(area)) > area.stand.fits

    def owners(self, area: Area) -> list[str]:
        return pieces.control_and_stacks(self.board.cells.get(area.name, {}), self.board.nations)[0]

    def _pattern(self, owners: Sequence[str]) -> str:
        places = "-".join(str(self.board.nations.index(name)) for name in owners)
        return f"{self.plate.game}-{self.ink.name}-closed-{places}"

    def defs(self, areas: Sequence[Area]) -> list[str]:
        """Return the patterns of closed areas, each once."""
        owners_by_pattern = {
            self._pattern(owners): owners for area in areas if (owners := self.owners(area))
        }
        return [
            pieces.closed_pattern(ident, [self.nations[name] for name in owners], self.ink)
            for ident, owners in sorted(owners_by_pattern.items())
        ]

    def area(self, area: Area, mute: bool = False) -> str:
        """Draw the land of an area. Unless `mute`, it has the area's title for screen readers and
        pointers."""
        inside, band = self.ink.tints[area.tint]
        owners = self.owners(area)
        fill = f"url(#{self._pattern(owners)})" if owners else inside
        sentence = "" if mute else pieces.describe_area(self.board, area.name, self.changed)
        edge = (
            f'stroke="{self.ink.edge}" stroke-width="{"1.6" if owners else "1"}"'
            ' stroke-linejoin="round"'
        )
        shape = f'<path d="{area.outline}" fill="{fill}" fill-rule="evenodd" {edge}/>'
        if owners:
            shape += (
                f'<path d="{area.wash}" fill="{self.nations[owners[0]].color}" fill-opacity=".8"'
                ' fill-rule="evenodd"/>'
            )
        else:
            shape += f'<path d="{area.wash}" fill="{band}" fill-rule="evenodd"/>'
        if mute:
            return shape
        return labeled_area(area.name, sentence, shape)

    def label(self, area: Area) -> str:
        label, (x, y), leader = area.label, area.label.at, area.label.leader
        places = self.places(area)
        above = bool(leader) and self._outside(area) and _hides_name((x, y), places)
        if above:
            x, y = (
                (min(px for px, _ in places) + max(px for px, _ in places)) / 2,
                min(py for _, py in places) - 28 - 14 * (len(label.lines) - 1),
            )
        elements = ""
        if leader and not above:
            elements = _line(
                (
                    x + len(label.lines[-1]) * label.size * 0.36,
                    y + (len(label.lines) - 1) * label.size - label.size * 0.3,
                ),
                leader,
                self.ink.soft,
                0.9,
            )
        halo = "" if area.inset else (self._halo(area) if not leader else self.ink.land)
        for row, text in enumerate(label.lines):
            down = y + row * label.size * 1.12
            elements += text_element(
                text,
                x,
                down,
                label.size,
                self.ink.ink,
                halo=halo,
                spacing=label.spacing,
                weight=700,
                turn=label.turn,
            )
        return f'<g aria-hidden="true" pointer-events="none">{elements}</g>'

    def label_box(self, area: Area) -> Box:
        """Return a box that contains the label in any position, and its leader."""
        label = area.label
        half = max(len(line) for line in label.lines) * (label.size * 0.38 + label.spacing / 2) + 6
        points = [label.at, *([label.leader] if label.leader else []), *self.places(area)]
        left, right = min(x for x, _ in points) - half, max(x for x, _ in points) + half
        up = half if label.turn else label.size * 2 + 30
        top, bottom = (
            min(y for _, y in points) - up,
            max(y for _, y in points) + (half if label.turn else 40),
        )
        return left, top, right - left, bottom - top

    def _halo(self, area: Area) -> str:
        owners = self.owners(area)
        return (
            blend(self.nations[owners[0]].color, self.ink.paper, 0.18)
            if owners
            else self.ink.tints[area.tint][0]
        )

    def places(self, area: Area) -> list[tuple[float, float]]:
        """Return the positions of the area's counters, in the order of `_stacks`."""
        stand, count = area.stand, len(self._stacks(area))
        if stand.tray and self._outside(area):
            return pieces.block(
                stand.tray, count, stand.tray_columns, 0, stand.top, self.plate.grow
            )
        return pieces.block(stand.at, count, stand.columns, stand.lean, grow=self.plate.grow)

    def footprints(self, area: Area) -> list[Footprint]:
        """Return where the area's flags and counters are, with a tray under the counters if they
        are in one, from bottom to top."""
        cells, grow = self.board.cells.get(area.name, {}), self.plate.grow
        control, stacks = pieces.control_and_stacks(cells, self.board.nations)
        stand, places = area.stand, self.places(area)
        footprints = []
        for place, name in enumerate(control):
            # The pole is inside the area, so that even a small area's flag is unambiguous.
            x = (
                stand.at[0]
                - 4
                + (place - (len(control) - 1) / 2) * 50
                - (17 if len(control) == 1 and stand.columns > 1 else 0)
            )
            box = _scaled((-14, -56, 66, 62), grow)
            footprints.append(Footprint("flag", name, (x, stand.at[1] + 20), box))
        if self._outside(area):
            xs, ys = zip(*places, stand.at, strict=True)
            left, top = min(xs) - 40 * grow, min(ys) - 28 * grow
            box = (left, top, max(xs) + 40 * grow - left, max(ys) + 28 * grow - top)
            footprints.append(Footprint("tray", "", (0, 0), box))
        box = _scaled((-38, -26, 76, 46), grow)
        return footprints + [
            Footprint("counter", name, at, box) for name, at in zip(stacks, places, strict=True)
        ]

    def pieces(self, area: Area) -> list[Layer]:
        """Draw what has a footprint in the area, from bottom to top."""
        return [
            Layer(footprint.at, footprint.box, self._piece(area, footprint))
            for footprint in self.footprints(area)
        ]

    def _piece(self, area: Area, footprint: Footprint) -> str:
        name, grow = footprint.nation, self.plate.grow
        if footprint.kind == "tray":
            return _tray(self.places(area), area.stand.at, self.ink, grow)
        owner, changed = self.nations[name], (area.name, name) in self.changed
        if footprint.kind == "flag":
            drawn = pieces.flag(0, 0, owner, self.ink, changed)
        else:
            cell = self.board.cells[area.name][name]
            drawn = pieces.counter(0, 0, owner, cell, self.ink, changed)
        if self.bright and (area.name, name) not in self.bright:
            drawn = f'<g opacity=".4">{drawn}</g>'
        return drawn if grow == 1 else f'<g transform="scale({num(grow)})">{drawn}</g>'

    def pieces_group(self, area: Area) -> str:
        """Draw the area's pieces as a group for scripts, hidden from screen readers: the area's
        title mentions them."""
        group = "".join(
            (
                f'<g transform="translate({num(at[0])} {num(at[1])})">{elements}</g>'
                if any(at)
                else elements
            )
            for at, _, elements in self.pieces(area)
        )
        if not group:
            return ""
        return f'<g class="pieces" data-area="{esc(area.name)}" aria-hidden="true">{group}</g>'


@lru_cache(maxsize=256)
def bounds(path: str) -> Box:
    """Return the bounding box, including the stroke, of a path with absolute starts and relative
    steps."""
    xs, ys = [], []
    for part in path.split("M")[1:]:
        numbers = [float(text) for text in _NUMBER.findall(part)]
        x = y = 0.0
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            x, y = x + dx, y + dy
            xs.append(x)
            ys.append(y)
    return min(xs) - 2, min(ys) - 2, max(xs) - min(xs) + 4, max(ys) - min(ys) + 4


def labeled_area(area: str, description: str, inside: str) -> str:
    """Wrap an area in a group that scripts can find and screen readers read out."""
    description = esc(description)
    attributes = f'data-area="{esc(area)}" aria-label="{description}"'
    return f'<g class="area" role="img" {attributes}><title>{description}</title>{inside}</g>'


def _hides_name(at: tuple[float, float], places: Sequence[tuple[float, float]]) -> bool:
    """Return whether counters would cover a name."""
    return any(abs(at[0] - x) < 70 and abs(at[1] - y) < 26 for x, y in places)


def _line(a: tuple[float, float], b: tuple[float, float], stroke: str, width: float) -> str:
    path = f"M{num(a[0])} {num(a[1])}L{num(b[0])} {num(b[1])}"
    return f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{num(width)}"/>'


def _scaled(box: Box, grow: float) -> Box:
    x, y, wide, high = box
    return x * grow, y * grow, wide * grow, high * grow


def _tray(
    places: Sequence[tuple[float, float]], at: tuple[float, float], ink: Theme, grow: float
) -> str:
    """Draw the tray of counters outside their area, and the line from it to the area."""
    left, right = (
        min(x for x, _ in places) - (pieces.WIDE / 2 + 7) * grow,
        max(x for x, _ in places) + (pieces.WIDE / 2 + 7) * grow,
    )
    top, bottom = (
        min(y for _, y in places) - (pieces.HIGH / 2 + 7) * grow,
        max(y for _, y in places) + (pieces.HIGH / 2 + 7) * grow,
    )
    end = (min(max(at[0], left + 4), right - 4), min(max(at[1], top + 4), bottom - 4))
    return (
        _line(end, at, ink.card, 4.4)
        + _line(end, at, ink.cardink, 1.6)
        + f'<circle cx="{num(at[0])}" cy="{num(at[1])}" r="4.2" fill="{ink.cardink}"'
        f' stroke="{ink.card}" stroke-width="1.6"/>'
        + f'<rect x="{num(left)}" y="{num(top)}" width="{num(right - left)}"'
        f' height="{num(bottom - top)}" rx="5" fill="{ink.card}" fill-opacity=".82"'
        f' stroke="{ink.cardink}" stroke-width="1"/>'
    )
