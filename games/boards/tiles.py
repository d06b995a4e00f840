"""A board on a mosaic: each area coloured by its state, with whose it is, what stands there and who
moves its army, as one SVG text.

    hatching and a flag    somebody controls it           a broad band      a power's home
    a broken rim           hostile forces stand there: it is not normalised
    nothing of these       nobody's, and normalised

So nothing is said by colour alone, and a sheet printed in black says it all. Like `draw.svg` in
everything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.rules import Board, Cell
from games.rules.lands import Land

from . import pieces, signs
from .draw import Layer, bounds, spoken_area, spoken_title
from .inks import SERIF, THEMES, blend, esc, num, words
from .mosaic import FOOT, MARGIN, Mosaic, Tile
from .pieces import Changed
from .plate import colours

#: Room for one piece where there is no want of it, and how much larger than that pieces may be
# drawn.
PIECE, LARGEST = (62.0, 38.0), 1.32
#: What a piece about 0, 0 may reach, with its marks.
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
    """Draw the board on its mosaic, as `draw.svg`. Raises `KeyError` for an unknown area."""
    wide, high = mosaic.size
    drawer = Drawer(mosaic, board, theme, changed)
    spoken = spoken_title(title)
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
        f'height="{round(width * high / wide)}" role="group" aria-label="{spoken}"'
        f' font-family="{SERIF}">'
        f"<title>{spoken}</title><desc>A map. Each country says how it stands and what is in"
        f" it.{esc(pieces.alliance_sentences(board))}</desc>"
        f"<defs>{drawer.defs()}</defs>{''.join(parts)}</svg>"
    )


class Drawer:
    """What a board needs on a mosaic: its ground, its areas, its pieces, its key."""

    def __init__(self, mosaic: Mosaic, board: Board, theme: str, changed: Changed = ()) -> None:
        if missing := [name for name in board.areas if name not in mosaic.tiles]:
            raise KeyError(f"the mosaic of {mosaic.game} does not show {', '.join(missing)}")
        self.mosaic, self.board, self.ink = mosaic, board, THEMES[theme]
        self.nations = colours(board.nations, mosaic.nations)
        self.changed = frozenset(changed)

    def land(self, area: str) -> Land:
        """The state of an area; of a board that has none, that of whoever has CONTROL there."""
        if area in self.board.lands:
            return self.board.lands[area]
        owners = pieces.standing(self.board.cells.get(area, {}), self.board.nations)[0]
        return Land(
            controller=owners[0] if owners else "", home=area if area in self.board.nations else ""
        )

    def _pattern(self, name: str) -> str:
        return f"{self.mosaic.game}-{self.ink.name}-{self.board.nations.index(name)}"

    def defs(self) -> str:
        """The fillings of controlled areas, each once."""
        return "".join(self.filling(name) for name in self.nations)

    def filling(self, name: str) -> str:
        return signs.filling(self._pattern(name), self.nations[name], self.ink)

    # --- the ground ---

    def ground(self) -> str:
        """Paper, sea with lines along the coast, land that is no area, the names of seas."""
        ink, (wide, high) = self.ink, self.mosaic.size
        x, y, w, h = self.window
        coast = [
            (20, blend(ink.water, ink.sea, 0.45)),
            (18.4, ink.sea),
            (12, blend(ink.water, ink.sea, 0.72)),
            (10.4, ink.sea),
        ]
        coast += [(6.4, ink.water), (4.8, ink.sea)]
        drawn = [
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
        drawn += [
            words(
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
        return f'<g aria-hidden="true">{"".join(drawn)}</g>'

    @property
    def window(self) -> tuple[float, float, float, float]:
        """The part of the drawing that is the map."""
        wide, high = self.mosaic.size
        return MARGIN - 6, 68, wide - 2 * MARGIN + 12, high - 68 - FOOT + 6

    # --- the areas ---

    def button(self, area: str) -> str:
        """The area itself: what is pointed at and read out."""
        told = pieces.spoken(self.board, area, self.changed)
        return spoken_area(area, told, self.area(area))

    def area(self, area: str) -> str:
        """The land in the colours of its state."""
        ink, tile, land = self.ink, self.mosaic.tiles[area], self.land(area)
        edge = f'stroke="{ink.edge}" stroke-width="1.6" stroke-linejoin="round"'
        fill = f"url(#{self._pattern(land.controller)})" if land.controller else signs.plain(ink)
        if land.home and not land.controller:
            fill = signs.homely(self.nations.get(land.home), ink)
        drawn = f'<path d="{tile.outline}" fill="{fill}" fill-rule="evenodd" {edge}/>'
        if land.home in self.nations:
            drawn += signs.band(tile, self.nations[land.home], ink, not land.normal)
        return drawn if land.normal else drawn + signs.broken_rim(tile, ink)

    def name(self, area: str) -> str:
        """The name of an area, at the top of its box."""
        tile, (x, y, wide, _) = self.mosaic.tiles[area], self.mosaic.tiles[area].box
        ground = self._ground_of(self.land(area))
        return "".join(
            words(
                text,
                x + wide / 2,
                y + tile.size * (0.98 + 1.02 * row) + self._above(area),
                name_size(text, tile),
                self.ink.ink,
                halo=ground,
                weight=700,
            )
            for row, text in enumerate(tile.lines)
        )

    def _above(self, area: str) -> float:
        """Room above a name: a home has a band there."""
        return 10.0 if area in self.nations else 3.0

    def standing(self, area: str) -> list[Layer]:
        """Return what stands below an area's name: flag, counters, and the badge of its mover."""
        tile, found = self.mosaic.tiles[area], self._items(area, self.land(area))
        x, y, wide, high = tile.box
        top = y + tile.size * (1.28 + 1.02 * (len(tile.lines) - 1)) + self._above(area)
        places = fit(len(found), (x + 4, top, wide - 8, y + high - 4 - top))
        left, up, across, down = ROUND
        return [
            Layer(
                (at_x, at_y),
                (left * size, up * size, across * size, down * size),
                f'<g transform="scale({size:.3g})">{item}</g>',
            )
            for (at_x, at_y, size), item in zip(places, found, strict=True)
        ]

    def pieces(self, area: str) -> str:
        """Name and pieces as a group; silent, for the area has said it."""
        drawn = "".join(
            f'<g transform="translate({num(layer.at[0])} {num(layer.at[1])})">{layer.elements}</g>'
            for layer in self.standing(area)
        )
        return (
            f'<g class="pieces" data-area="{esc(area)}" aria-hidden="true"'
            f' pointer-events="none">{self.name(area)}{drawn}</g>'
        )

    def _ground_of(self, land: Land) -> str:
        if land.controller:
            return signs.tint(self.nations[land.controller], self.ink)
        return (
            signs.homely(self.nations.get(land.home), self.ink)
            if land.home
            else signs.plain(self.ink)
        )

    def _items(self, area: str, land: Land) -> list[str]:
        """The pieces of an area, each drawn about 0, 0."""
        cells, ink = self.board.cells.get(area, {}), self.ink
        found = (
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
                found.append(
                    signs.force(
                        self.nations[name],
                        cells[name],
                        ink,
                        (area, name) in self.changed,
                        name in land.hostile,
                    )
                )
        if land.operator is not None and not land.destroyed:
            found.append(signs.badge(self.nations.get(land.operator), ink))
        return found

    # --- what stands round the map ---

    def heading(self, title: str) -> str:
        lines = [line for line in title.splitlines() if line.strip()][:2] or [self.mosaic.subject]
        wide = self.mosaic.size[0]
        size = min(34.0, (wide - 60) / (0.62 * len(lines[0])))
        drawn = words(
            lines[0], wide / 2, 38 if len(lines) > 1 else 48, size, self.ink.ink, weight=700
        )
        if len(lines) > 1:
            drawn += words(
                lines[1],
                wide / 2,
                61,
                min(21.0, (wide - 60) / (0.46 * len(lines[1]))),
                self.ink.ink,
                italic=True,
            )
        return f'<g aria-hidden="true" pointer-events="none">{drawn}</g>'

    def key(self) -> str:
        """The nations, and what the signs mean."""
        ink, top = self.ink, self.mosaic.size[1] - FOOT + 40
        drawn = []
        for place, (name, look) in enumerate(self.nations.items()):
            y = top + place * 28
            drawn.append(
                f'<g transform="translate(44 {num(y - 7)})'
                f' scale(.82)">{signs.standard(look, ink)}</g>'
            )
            drawn.append(words(name, 74, y, 21, ink.ink, anchor="start"))
        first = next(iter(self.nations))
        for place, (sign, said) in enumerate(
            signs.meanings(self.nations[first], ink, self._pattern(first), self.board.unit)
        ):
            x, y = 206 + (place // 4) * 304, top + 3 + (place % 4) * 44
            drawn.append(f'<g transform="translate({num(x)} {num(y - 7)})">{sign}</g>')
            drawn.append(words(said, x + 36, y, 20, ink.ink, anchor="start"))
        return f'<g class="key" aria-hidden="true" pointer-events="none">{"".join(drawn)}</g>'

    def relations(self) -> str:
        """Draw who is allied and who at odds, each pair once, in a triangle of squares."""
        names, side = list(self.nations), signs.SIDE
        drawn = []
        for row, one in enumerate(names):
            x, y = self.corner(row, len(names) - 1 - row)
            if row < len(names) - 1:
                size = 17.0 if len(self.nations[one].letters) < 3 else 14.0
                drawn.append(
                    words(
                        self.nations[one].letters,
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
                size = 15.0 if len(self.nations[one].letters) < 3 else 11.5
                drawn.append(
                    words(
                        self.nations[one].letters,
                        x + side / 2,
                        y - 5,
                        size,
                        self.ink.ink,
                        weight=700,
                    )
                )
        drawn += [
            signs.relation(*self.corner(row, column), self.between(*pair), self.ink)
            for pair, (row, column) in self.pairs().items()
        ]
        left, top = self.corner(len(names) - 3, 4)
        top -= 2
        for place, (how, said) in enumerate(signs.RELATIONS):
            y = top + place * (side + 3)
            drawn.append(
                signs.relation(left, y, how, self.ink)
                + words(said, left + side + 7, y + 19, 19, self.ink.ink, anchor="start")
            )
        return f'<g class="relations" aria-hidden="true" pointer-events="none">{"".join(drawn)}</g>'

    def pairs(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Each pair of nations with its row and column in the triangle."""
        names = list(self.nations)
        return {
            (one, other): (row, column)
            for row, one in enumerate(names[:-1])
            for column, other in enumerate(reversed(names[row + 1 :]))
        }

    def corner(self, row: int, column: int) -> tuple[float, float]:
        """The corner of a square of the triangle."""
        wide, high = self.mosaic.size
        left = wide - MARGIN - 84 - signs.SIDE * (len(self.nations) - 1)
        return left + column * signs.SIDE, high - FOOT + 34 + row * signs.SIDE

    def between(self, one: str, other: str) -> str:
        """ "hand", "allied", "odds" or "": alliances hold for all that is in one hand."""
        board = self.board

        def hand(name: str) -> set[str]:
            return {name, *(a for pair in board.hands if name in pair for a in pair)}

        if other in hand(one):
            return "hand"
        if any(
            (a in hand(one) and b in hand(other)) or (a in hand(other) and b in hand(one))
            for a, b in board.alliances
        ):
            return "allied"
        return "odds" if (one, other) in board.at_odds or (other, one) in board.at_odds else ""


def ground(mosaic: Mosaic, board: Board, theme: str) -> str:
    """Return as SVG what is the same on every board of these areas and nations."""
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
    """What `ground` lacks, in order from below."""
    drawer = Drawer(mosaic, board, theme, changed)
    rest = Drawer(mosaic, Board(board.areas, board.nations, {}), theme)
    found = []
    for area in board.areas:
        if (drawn := drawer.area(area)) != rest.area(area):
            ruler = drawer.land(area).controller
            filling = f"<defs>{drawer.filling(ruler)}</defs>" if ruler else ""
            found.append(
                Layer(
                    (0, 0), bounds(mosaic.tiles[area].outline), filling + drawn + drawer.name(area)
                )
            )
    found += [layer for area in board.areas for layer in drawer.standing(area)]
    for pair, place in drawer.pairs().items():
        if how := drawer.between(*pair):
            found.append(
                Layer(
                    drawer.corner(*place),
                    (-1, -1, signs.SIDE + 2, signs.SIDE + 2),
                    signs.relation(0, 0, how, drawer.ink),
                )
            )
    return [*found, Layer((0, 0), (12, 8, mosaic.size[0] - 24, 58), drawer.heading(title))]


def flat_colours(mosaic: Mosaic, board: Board, theme: str) -> list[str]:
    """Return every colour that a board is drawn in, and steps between those that meet."""
    ink, looks = THEMES[theme], colours(board.nations, mosaic.nations).values()
    found = [
        ink.paper,
        ink.sea,
        ink.land,
        signs.plain(ink),
        ink.ink,
        ink.edge,
        ink.seaink,
        ink.grid,
        ink.card,
        ink.cardink,
        ink.mark,
    ]
    found += [blend(ink.water, ink.sea, share) for share in (1.0, 0.72, 0.45)]
    found += [
        blend(ink.edge, other, share)
        for other in (ink.sea, ink.land, ink.paper)
        for share in (0.66, 0.33)
    ]
    found += [blend(ink.cardink, ink.card, share) for share in (0.75, 0.5, 0.25)] + [
        blend(ink.mark, ink.card, 0.5)
    ]
    for look in looks:
        ground = signs.tint(look, ink)
        found.append(signs.strong(look, ink))
        found += [
            look.colour,
            look.ink,
            blend(look.colour, look.ink, 0.5),
            ground,
            signs.line(look, ink),
            signs.homely(look, ink),
        ]
        found += [blend(ink.ink, ground, share) for share in (0.66, 0.33)] + [
            blend(look.colour, ink.card, 0.5)
        ]
    return list(dict.fromkeys(found))


def _counts(cells: Mapping[str, Cell], land: Land) -> bool:
    return land.controller in cells and cells[land.controller].pf > 0


def name_size(text: str, tile: Tile) -> float:
    return min(tile.size, (tile.box[2] - 8) / (0.5 * len(text)))


def fit(
    count: int, room: tuple[float, float, float, float]
) -> Sequence[tuple[float, float, float]]:
    """Return where `count` pieces stand in a box, and how large, as large as there is room."""
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
    found = []
    for place in range(count):
        row, column = divmod(place, columns)
        here = min(columns, count - row * columns)
        across = x + wide / 2 + (column - (here - 1) / 2) * PIECE[0] * scale
        found.append((across, y + high / 2 + (row - (rows - 1) / 2) * PIECE[1] * scale, scale))
    return found
