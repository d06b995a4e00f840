"""Draw a board on a mosaic: each area shows its state, its controller, its forces and who moves its
army, as one SVG text.

    hatching and a flag    controlled by a power
    a broad band           a power's home
    a dashed rim           hostile forces are there, so it is not normalized
    none of these          controlled by nobody, and normalized

No information is in the color alone, so that a board printed in black is complete. In all other
respects it is like `draw.svg`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.rules import Board, Cell
from games.rules.lands import Land

from . import pieces, signs
from .area_drawer import Layer, bounds, labeled_area
from .draw import title_for_readers
from .inks import SERIF, THEMES, blend, esc, num, text_element
from .mosaic import FOOT, MARGIN, Mosaic, Tile
from .pieces import Changed
from .plate import colors

#: The normal space for one piece, and the largest scale of a piece.
PIECE, LARGEST = (62.0, 38.0), 1.32
#: The box of a piece around 0, 0, including its marks.
ROUND = (-38.0, -26.0, 76.0, 52.0)


def svg(
    mosaic: Mosaic,
    board: Board,
    *,
    width: int = 900,
    changed: Changed = (),
    title: str = "",
    theme: str = "light",
) -> str:
    """Draw the board on its mosaic, like `draw.svg`. Raise `KeyError` for an unknown area."""
    wide, high = mosaic.size
    drawer = Drawer(mosaic, board, theme, changed)
    spoken_label = title_for_readers(title)
    parts = [
        drawer.ground(),
        *(drawer.button(area) for area in board.areas),
        *(drawer.pieces(area) for area in board.areas),
        drawer.heading(title),
        drawer.key(),
        drawer.relations(),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="atlas mosaic {drawer.ink.name}" viewBox="0'
        f' 0 {wide} {high}" width="{width}" '
        f'height="{round(width * high / wide)}" role="group" aria-label="{spoken_label}"'
        f' font-family="{SERIF}">'
        f"<title>{spoken_label}</title><desc>A map. Each country says how it stands and what is in"
        f" it.{esc(pieces.alliance_sentences(board))}</desc>"
        f"<defs>{drawer.defs()}</defs>{''.join(parts)}</svg>"
    )


class Drawer:
    """Draws the ground, areas, pieces and key of a board on a mosaic."""

    def __init__(self, mosaic: Mosaic, board: Board, theme: str, changed: Changed = ()) -> None:
        if missing := [name for name in board.areas if name not in mosaic.tiles]:
            raise KeyError(f"the mosaic of {mosaic.game} does not show {', '.join(missing)}")
        self.mosaic, self.board, self.ink = mosaic, board, THEMES[theme]
        self.nations = colors(board.nations, mosaic.nations)
        self.changed = frozenset(changed)

    def land(self, area: str) -> Land:
        """Return the state of an area. On a board without states, derive it from CONTROL."""
        if area in self.board.lands:
            return self.board.lands[area]
        owners = pieces.control_and_stacks(self.board.cells.get(area, {}), self.board.nations)[0]
        return Land(
            controller=owners[0] if owners else "", home=area if area in self.board.nations else ""
        )

    def _pattern(self, name: str) -> str:
        return f"{self.mosaic.game}-{self.ink.name}-{self.board.nations.index(name)}"

    def defs(self) -> str:
        """Return the patterns of controlled areas, each once."""
        return "".join(self.filling(name) for name in self.nations)

    def filling(self, name: str) -> str:
        return signs.hatching_pattern(self._pattern(name), self.nations[name], self.ink)

    # --- the ground ---

    def ground(self) -> str:
        """Draw paper, sea with lines along the coast, land outside the areas, the names of seas."""
        ink, (wide, high) = self.ink, self.mosaic.size
        x, y, w, h = self.window
        coast = [
            (20, blend(ink.water, ink.sea, 0.45)),
            (18.4, ink.sea),
            (12, blend(ink.water, ink.sea, 0.72)),
            (10.4, ink.sea),
        ]
        coast += [(6.4, ink.water), (4.8, ink.sea)]
        elements = [
            f'<rect width="{wide}" height="{high}" fill="{ink.paper}"/>',
            (
                f'<rect x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}"'
                f' fill="{ink.sea}"/>'
            ),
            *(
                f'<path d="{self.mosaic.land}" fill="none" stroke="{shade}"'
                f' stroke-width="{num(broad)}" stroke-linejoin="round"/>'
                for broad, shade in coast
            ),
            (
                f'<path d="{self.mosaic.land}" fill="{ink.edge}" stroke="{ink.edge}"'
                ' stroke-width="2.4" stroke-linejoin="round"/>'
            ),
            (
                f'<path d="{self.mosaic.others}" fill="{ink.grid}" stroke="{ink.edge}"'
                ' stroke-width="1" fill-rule="evenodd"/>'
            ),
            (
                f'<rect x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}" fill="none"'
                f' stroke="{ink.edge}" stroke-width="1.6"/>'
            ),
            (
                f'<rect x="5" y="5" width="{wide - 10}" height="{high - 10}" fill="none"'
                f' stroke="{ink.edge}" stroke-width="2.4"/>'
            ),
        ]
        elements += [
            text_element(
                sea.text,
                *sea.at,
                19,
                ink.seaink,
                halo=ink.sea,
                italic=True,
                spacing=1.5,
                turn=sea.turn,
            )
            for sea in self.mosaic.seas
        ]
        return f'<g aria-hidden="true">{"".join(elements)}</g>'

    @property
    def window(self) -> tuple[float, float, float, float]:
        """The box of the map within the drawing."""
        wide, high = self.mosaic.size
        return MARGIN - 6, 68, wide - 2 * MARGIN + 12, high - 68 - FOOT + 6

    # --- the areas ---

    def button(self, area: str) -> str:
        """Draw an area with its title for screen readers and pointers."""
        sentence = pieces.describe_area(self.board, area, self.changed)
        return labeled_area(area, sentence, self.area(area))

    def area(self, area: str) -> str:
        """Draw the land in the colors of its state."""
        ink, tile, land = self.ink, self.mosaic.tiles[area], self.land(area)
        edge = f'stroke="{ink.edge}" stroke-width="1.6" stroke-linejoin="round"'
        fill = (
            f"url(#{self._pattern(land.controller)})" if land.controller else signs.land_color(ink)
        )
        if land.home and not land.controller:
            fill = signs.home_color(self.nations.get(land.home), ink)
        elements = f'<path d="{tile.outline}" fill="{fill}" fill-rule="evenodd" {edge}/>'
        if land.home in self.nations:
            elements += signs.band(tile, self.nations[land.home], ink, not land.normal)
        return elements if land.normal else elements + signs.broken_rim(tile, ink)

    def name(self, area: str) -> str:
        """Draw the name of an area at the top of its box."""
        tile, (x, y, wide, _) = self.mosaic.tiles[area], self.mosaic.tiles[area].box
        ground = self._ground_of(self.land(area))
        return "".join(
            text_element(
                text,
                x + wide / 2,
                y + tile.size * (0.98 + 1.02 * row) + self._space_above(area),
                name_size(text, tile),
                self.ink.ink,
                halo=ground,
                weight=700,
            )
            for row, text in enumerate(tile.lines)
        )

    def _space_above(self, area: str) -> float:
        """Return the space above a name, larger for a home because of its band."""
        return 10.0 if area in self.nations else 3.0

    def piece_layers(self, area: str) -> list[Layer]:
        """Return the pieces below an area's name: flag, counters, and the badge of its army."""
        tile, items = self.mosaic.tiles[area], self._items(area, self.land(area))
        x, y, wide, high = tile.box
        top = y + tile.size * (1.28 + 1.02 * (len(tile.lines) - 1)) + self._space_above(area)
        places = fit(len(items), (x + 4, top, wide - 8, y + high - 4 - top))
        left, up, across, down = ROUND
        return [
            Layer(
                (at_x, at_y),
                (left * size, up * size, across * size, down * size),
                f'<g transform="scale({size:.3g})">{item}</g>',
            )
            for (at_x, at_y, size), item in zip(places, items, strict=True)
        ]

    def pieces(self, area: str) -> str:
        """Draw name and pieces as a group, hidden from screen readers: the area's title mentions
        them."""
        elements = "".join(
            f'<g transform="translate({num(layer.at[0])} {num(layer.at[1])})">{layer.elements}</g>'
            for layer in self.piece_layers(area)
        )
        return (
            f'<g class="pieces" data-area="{esc(area)}" aria-hidden="true"'
            f' pointer-events="none">{self.name(area)}{elements}</g>'
        )

    def _ground_of(self, land: Land) -> str:
        if land.controller:
            return signs.tint(self.nations[land.controller], self.ink)
        return (
            signs.home_color(self.nations.get(land.home), self.ink)
            if land.home
            else signs.land_color(self.ink)
        )

    def _items(self, area: str, land: Land) -> list[str]:
        """Draw the pieces of an area, each around 0, 0."""
        cells, ink = self.board.cells.get(area, {}), self.ink
        items = (
            [
                signs.standard(
                    self.nations[land.controller],
                    ink,
                    (area, land.controller) in self.changed and not _counts(cells, land),
                )
            ]
            if land.controller
            else []
        )
        for name in self.board.nations:
            if name in cells and cells[name].pf:
                items.append(
                    signs.force(
                        self.nations[name],
                        cells[name],
                        ink,
                        (area, name) in self.changed,
                        name in land.hostile,
                    )
                )
        if land.operator is not None and not land.destroyed:
            items.append(signs.badge(self.nations.get(land.operator), ink))
        return items

    # --- around the map ---

    def heading(self, title: str) -> str:
        lines = [line for line in title.splitlines() if line.strip()][:2] or [self.mosaic.subject]
        wide = self.mosaic.size[0]
        size = min(34.0, (wide - 60) / (0.62 * len(lines[0])))
        elements = text_element(
            lines[0], wide / 2, 38 if len(lines) > 1 else 48, size, self.ink.ink, weight=700
        )
        if len(lines) > 1:
            elements += text_element(
                lines[1],
                wide / 2,
                61,
                min(21.0, (wide - 60) / (0.46 * len(lines[1]))),
                self.ink.ink,
                italic=True,
            )
        return f'<g aria-hidden="true" pointer-events="none">{elements}</g>'

    def key(self) -> str:
        """Draw the key: nations, and symbols with their meanings."""
        ink, top = self.ink, self.mosaic.size[1] - FOOT + 40
        elements = []
        for place, (name, look) in enumerate(self.nations.items()):
            y = top + place * 28
            elements.append(
                f'<g transform="translate(44 {num(y - 7)})'
                f' scale(.82)">{signs.standard(look, ink)}</g>'
            )
            elements.append(text_element(name, 74, y, 21, ink.ink, anchor="start"))
        first = next(iter(self.nations))
        for place, (sign, meaning) in enumerate(
            signs.meanings(self.nations[first], ink, self._pattern(first), self.board.unit)
        ):
            x, y = 206 + (place // 4) * 304, top + 3 + (place % 4) * 44
            elements.append(f'<g transform="translate({num(x)} {num(y - 7)})">{sign}</g>')
            elements.append(text_element(meaning, x + 36, y, 20, ink.ink, anchor="start"))
        return f'<g class="key" aria-hidden="true" pointer-events="none">{"".join(elements)}</g>'

    def relations(self) -> str:
        """Draw alliances and hostilities, each pair once, in a triangle of squares."""
        names, side = list(self.nations), signs.SIDE
        elements = []
        for row, name in enumerate(names):
            x, y = self.corner(row, len(names) - 1 - row)
            if row < len(names) - 1:
                size = 17.0 if len(self.nations[name].letters) < 3 else 14.0
                elements.append(
                    text_element(
                        self.nations[name].letters,
                        x + 5,
                        y + side * 0.66,
                        size,
                        self.ink.ink,
                        weight=700,
                        anchor="start",
                    )
                )
            if row:
                x, y = self.corner(0, len(names) - 1 - row)
                size = 15.0 if len(self.nations[name].letters) < 3 else 11.5
                elements.append(
                    text_element(
                        self.nations[name].letters,
                        x + side / 2,
                        y - 5,
                        size,
                        self.ink.ink,
                        weight=700,
                    )
                )
        elements += [
            signs.relation(*self.corner(row, column), self.relation_between(*pair), self.ink)
            for pair, (row, column) in self.pairs().items()
        ]
        left, top = self.corner(len(names) - 3, 4)
        top -= 2
        for place, (kind, meaning) in enumerate(signs.RELATIONS):
            y = top + place * (side + 3)
            elements.append(
                signs.relation(left, y, kind, self.ink)
                + text_element(meaning, left + side + 7, y + 19, 19, self.ink.ink, anchor="start")
            )
        return (
            f'<g class="relations" aria-hidden="true" pointer-events="none">{"".join(elements)}</g>'
        )

    def pairs(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Return each pair of nations with its row and column in the triangle."""
        names = list(self.nations)
        return {
            (nation, other): (row, column)
            for row, nation in enumerate(names[:-1])
            for column, other in enumerate(reversed(names[row + 1 :]))
        }

    def corner(self, row: int, column: int) -> tuple[float, float]:
        """Return the corner of a square of the triangle."""
        wide, high = self.mosaic.size
        left = wide - MARGIN - 84 - signs.SIDE * (len(self.nations) - 1)
        return left + column * signs.SIDE, high - FOOT + 34 + row * signs.SIDE

    def relation_between(self, nation: str, other: str) -> str:
        """Return "hand", "allied", "odds" or "". An alliance extends to all nations that have the
        same player."""
        board = self.board

        def hand(name: str) -> set[str]:
            return {name, *(a for pair in board.hands if name in pair for a in pair)}

        if other in hand(nation):
            return "hand"
        if any(
            (a in hand(nation) and b in hand(other)) or (a in hand(other) and b in hand(nation))
            for a, b in board.alliances
        ):
            return "allied"
        return (
            "odds" if (nation, other) in board.at_odds or (other, nation) in board.at_odds else ""
        )


def ground(mosaic: Mosaic, board: Board, theme: str) -> str:
    """Draw the background shared by all boards of these areas and nations, with empty areas and
    the key."""
    at_rest = Board(board.areas, board.nations, {}, unit=board.unit)
    drawer, (wide, high) = Drawer(mosaic, at_rest, theme), mosaic.size
    parts = [
        drawer.ground(),
        *(drawer.area(area) for area in board.areas),
        *(drawer.name(area) for area in board.areas),
        drawer.key(),
        drawer.relations(),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}"'
        f' height="{high}" font-family="{SERIF}">'
        f"<defs>{drawer.defs()}</defs>{''.join(parts)}</svg>"
    )


def layers(
    mosaic: Mosaic, board: Board, theme: str, changed: Changed = (), title: str = ""
) -> list[Layer]:
    """Return everything that `ground` lacks, from bottom to top."""
    drawer = Drawer(mosaic, board, theme, changed)
    rest = Drawer(mosaic, Board(board.areas, board.nations, {}), theme)
    drawn_layers = []
    for area in board.areas:
        if (land := drawer.area(area)) != rest.area(area):
            ruler = drawer.land(area).controller
            filling = f"<defs>{drawer.filling(ruler)}</defs>" if ruler else ""
            drawn_layers.append(
                Layer(
                    (0, 0), bounds(mosaic.tiles[area].outline), filling + land + drawer.name(area)
                )
            )
    drawn_layers += [layer for area in board.areas for layer in drawer.piece_layers(area)]
    for pair, place in drawer.pairs().items():
        if kind := drawer.relation_between(*pair):
            drawn_layers.append(
                Layer(
                    drawer.corner(*place),
                    (-1, -1, signs.SIDE + 2, signs.SIDE + 2),
                    signs.relation(0, 0, kind, drawer.ink),
                )
            )
    return [*drawn_layers, Layer((0, 0), (12, 8, mosaic.size[0] - 24, 58), drawer.heading(title))]


def flat_colors(mosaic: Mosaic, board: Board, theme: str) -> list[str]:
    """Return every color of a board, and blends of those that touch."""
    ink, looks = THEMES[theme], colors(board.nations, mosaic.nations).values()
    flat = [
        ink.paper,
        ink.sea,
        ink.land,
        signs.land_color(ink),
        ink.ink,
        ink.edge,
        ink.seaink,
        ink.grid,
        ink.card,
        ink.cardink,
        ink.mark,
        ink.foe,
    ]
    flat += [blend(ink.water, ink.sea, share) for share in (1.0, 0.72, 0.45)]
    flat += [
        blend(ink.edge, other, share)
        for other in (ink.sea, ink.land, ink.paper)
        for share in (0.66, 0.33)
    ]
    flat += [blend(ink.cardink, ink.card, share) for share in (0.75, 0.5, 0.25)] + [
        blend(rim, ink.card, 0.5) for rim in (ink.mark, ink.foe)
    ]
    for look in looks:
        ground = signs.tint(look, ink)
        flat.append(signs.line_color(look, ink))
        flat += [
            look.color,
            look.ink,
            blend(look.color, look.ink, 0.5),
            ground,
            signs.line(look, ink),
            signs.home_color(look, ink),
        ]
        flat += [blend(ink.ink, ground, share) for share in (0.66, 0.33)] + [
            blend(look.color, ink.card, 0.5)
        ]
    return list(dict.fromkeys(flat))


def _counts(cells: Mapping[str, Cell], land: Land) -> bool:
    return land.controller in cells and cells[land.controller].pf > 0


def name_size(text: str, tile: Tile) -> float:
    return min(tile.size, (tile.box[2] - 8) / (0.5 * len(text)))


def fit(
    count: int, room: tuple[float, float, float, float]
) -> Sequence[tuple[float, float, float]]:
    """Return x, y and scale of `count` pieces in a box, as large as possible."""
    x, y, wide, high = room
    if not count:
        return ()
    sizes = []
    for columns in range(1, count + 1):
        rows = -(-count // columns)
        sizes.append(
            (min(LARGEST, wide / (columns * PIECE[0]), high / (rows * PIECE[1])), -rows, columns)
        )
    scale, _, columns = max(sizes)
    rows = -(-count // columns)
    places = []
    for place in range(count):
        row, column = divmod(place, columns)
        row_length = min(columns, count - row * columns)
        across = x + wide / 2 + (column - (row_length - 1) / 2) * PIECE[0] * scale
        places.append((across, y + high / 2 + (row - (rows - 1) / 2) * PIECE[1] * scale, scale))
    return places
