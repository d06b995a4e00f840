"""Draw the symbols of a board whose areas have states, and list their meanings."""

from __future__ import annotations

from games.rules import Cell
from games.rules.lands import Unit

from . import pieces
from .inks import Theme, blend, num, text_element
from .mosaic import Tile
from .plate import Colors

#: In units of the drawing: the width of a home's band, the width of the rim of an area that is not
#: normalized, and the side of a square of the relations.
BAND, RIM, SIDE = 9.0, 5.0, 26.0


def land_color(theme: Theme) -> str:
    """Return the ground color of an area that nobody controls."""
    return theme.land if theme.name != "print" else "#ffffff"


def _is_dark(look: Colors) -> bool:
    return int(look.color[1:3], 16) + int(look.color[3:5], 16) + int(look.color[5:], 16) < 180


def line_color(look: Colors, theme: Theme) -> str:
    """Return a nation's color for lines; a dark color is lightened on a dark page."""
    return (
        blend(look.color, theme.ink, 0.5) if theme.name == "dark" and _is_dark(look) else look.color
    )


def tint(look: Colors, theme: Theme) -> str:
    """Return the ground color of a controlled area, paler for dark colors to keep names legible."""
    share = {"light": 0.34, "dark": 0.5, "print": 0.16}[theme.name]
    return blend(line_color(look, theme), theme.paper, share * 0.62 if _is_dark(look) else share)


def home_color(look: Colors | None, theme: Theme) -> str:
    """Return the ground color of a power's home."""
    share = {"light": 0.12, "dark": 0.2, "print": 0.0}[theme.name]
    return (
        land_color(theme)
        if look is None
        else blend(line_color(look, theme), land_color(theme), share)
    )


def hatching_pattern(ident: str, look: Colors, theme: Theme) -> str:
    """Return the <pattern> of a controlled area: hatching faint enough for a legible name."""
    return (
        f'<pattern id="{ident}" width="10" height="10" patternUnits="userSpaceOnUse">'
        '<rect width="10" height="10"'
        f' fill="{tint(look, theme)}"/>'
        f"{pieces.hatching(look.pattern, 0, 0, line(look, theme), 1.3)}</pattern>"
    )


def line(look: Colors, theme: Theme) -> str:
    """Return the color of hatching lines."""
    if theme.name == "dark":
        return blend(theme.ink, tint(look, theme), 0.3)
    return blend(look.color, tint(look, theme), 0.5 if theme.name == "light" else 0.6)


def band(tile: Tile, look: Colors, theme: Theme, rim: bool) -> str:
    """Draw a broad band inside the border of a home, or inside its rim if it has one."""
    far = BAND / 2 + (RIM + 1 if rim else 0)
    return (
        f'<path d="{tile.within(far)}" fill="none" stroke="{line_color(look, theme)}"'
        f' stroke-width="{num(BAND - 2 if rim else BAND)}"/>'
    )


def broken_rim(tile: Tile, theme: Theme) -> str:
    """Draw a dashed rim inside the border of an area with hostile forces."""
    line = f'd="{tile.within(RIM / 2 + 0.6)}" fill="none"'
    return (
        f'<path {line} stroke="{theme.card}" stroke-width="{num(RIM + 2)}"/>'
        f'<path {line} stroke="{theme.foe}" stroke-width="{num(RIM)}" stroke-dasharray="13 8"/>'
    )


def standard(look: Colors, theme: Theme, changed: bool = False) -> str:
    """Draw the flag of the nation that controls an area."""
    cloth = "M-25-14h50l-8 14 8 14h-50z"
    mark = (
        f'<path d="{cloth}" fill="none" stroke="{theme.mark}" stroke-width="8"/>' if changed else ""
    )
    size = 18.0 if len(look.letters) < 3 else 15.0
    return (
        f'{mark}<path d="{cloth}" fill="{look.color}" stroke="{theme.card}" stroke-width="3.4"'
        f' paint-order="stroke"/><path d="{cloth}" fill="none" stroke="{theme.cardink}"'
        ' stroke-width="1"/>'
        + text_element(look.letters, -5, size * 0.34, size, look.ink, weight=700)
        + (pieces.star(-24, -14, 8.5, theme.mark, theme.card) if changed else "")
    )


def force(
    look: Colors, cell: Cell, theme: Theme, changed: bool = False, hostile: bool = False
) -> str:
    """Draw a nation's counter, with a cross if hostile and a tag for points out of supply."""
    elements = pieces.counter(0, 0, look, Cell(cell.pf), theme, changed)
    if hostile:
        elements += cross(25, -12, theme)
    if cell.cut_off:
        elements += cut_off_tag(19, 16.5, cell.cut_off, theme)
    return elements


def cross(x: float, y: float, theme: Theme) -> str:
    """Draw the symbol for hostile forces: a small cross in a circle."""
    a, b = num(x - 3.6), num(y - 3.6)
    return (
        f'<circle cx="{num(x)}" cy="{num(y)}" r="8" fill="{theme.card}" stroke="{theme.cardink}"'
        f' stroke-width="1.3"/><path d="M{a} {b}l7.2 7.2m0-7.2l-7.2 7.2" stroke="{theme.cardink}"'
        ' stroke-width="2.4" stroke-linecap="round"/>'
    )


def cut_off_tag(x: float, y: float, number: int, theme: Theme) -> str:
    """Draw the number of points out of supply: “−2” in a dashed frame."""
    wide = 17 + 6.0 * len(str(number))
    left, top = x - wide / 2, y - 8
    return (
        f'<rect x="{num(left)}" y="{num(top)}" width="{num(wide)}" height="16" rx="2.5"'
        f' fill="{theme.card}" stroke="{theme.cardink}" stroke-width="1.1" stroke-dasharray="3'
        ' 1.6"/>' + text_element(f"−{number}", x, y + 5, 14.5, theme.cardink, weight=700)
    )


def badge(look: Colors | None, theme: Theme) -> str:
    """Draw the badge of the power that moves an area's army: its letters in a ring; “GM” for the
    gamesmaster."""
    letters, ring = (look.letters, line_color(look, theme)) if look else ("GM", theme.cardink)
    size = 13.0 if len(letters) < 3 else 10.5
    return (
        f'<circle r="15" fill="{theme.card}" stroke="{theme.cardink}" stroke-width="1"/>'
        f'<circle r="12.6" fill="{theme.card}" stroke="{ring}" stroke-width="2.8"/>'
        + text_element(letters, 0, size * 0.34, size, theme.cardink, weight=700)
    )


def meanings(look: Colors, theme: Theme, filled: str, unit: Unit) -> tuple[tuple[str, str], ...]:
    """Return every symbol of the key, drawn around 0, 0 in a box of 56 by 32, and its meaning."""
    frame = 'x="-27" y="-14" width="54" height="28" rx="3"'
    edge = f'stroke="{theme.edge}" stroke-width="1.4"'
    free = f'<rect {frame} fill="{land_color(theme)}" {edge}/>'
    inner = 'width="46" height="20" fill="none"'
    home = (
        f'<rect {frame} fill="{home_color(look, theme)}" {edge}/>'
        f'<rect x="-23" y="-10" {inner} stroke="{line_color(look, theme)}" stroke-width="6"/>'
    )
    controlled = f'<rect {frame} fill="url(#{filled})" {edge}/>'
    rim = (
        f'<rect x="-23" y="-10" {inner} stroke="{theme.foe}" stroke-width="{num(RIM)}"'
        ' stroke-dasharray="13 8"/>'
    )
    counter = f'<g transform="scale(.96)">{pieces.counter(0, 0, look, Cell(5), theme)}</g>'
    hostile = f'<g transform="scale(.96)">{force(look, Cell(5), theme, hostile=True)}</g>'
    starved = f'<g transform="scale(.96)">{force(look, Cell(5, cut_off=2), theme)}</g>'
    return (
        (controlled, "controlled: hatching and flag"),
        (home, "home of a power"),
        (free, "nobody’s, normalized"),
        (free + rim, "hostile forces stand there"),
        (counter, f"forces, in {unit.plural}"),
        (hostile, "hostile to that country"),
        (starved, "2 of them out of supply"),
        (badge(look, theme), "who moves its army"),
    )


#: The relations in the squares, and their words in the key.
RELATIONS = (("allied", "allied"), ("odds", "hostile"), ("hand", "same player"))


def relation(x: float, y: float, between: str, theme: Theme) -> str:
    """Draw a relation in a square at x, y: rings for allies, a cross for enemies, = for a pair."""
    side, cx, cy = SIDE, x + SIDE / 2, y + SIDE / 2
    elements = (
        f'<rect x="{num(x)}" y="{num(y)}" width="{num(side)}" height="{num(side)}"'
        f' fill="{theme.card}" stroke="{theme.cardink}" stroke-width=".9"/>'
    )
    if between == "allied":
        elements += "".join(
            f'<circle cx="{num(cx + shift)}" cy="{num(cy)}" r="6" fill="none"'
            f' stroke="{theme.cardink}" stroke-width="2.2"/>'
            for shift in (-4, 4)
        )
    elif between == "odds":
        elements += (
            f'<path d="M{num(cx - 7)} {num(cy - 7)}l14 14m0-14l-14 14" stroke="{theme.cardink}"'
            ' stroke-width="3.2" stroke-linecap="round"/>'
        )
    elif between == "hand":
        elements += (
            f'<path d="M{num(cx - 7)} {num(cy - 4)}h14m-14 8h14" stroke="{theme.cardink}"'
            ' stroke-width="3.2"/>'
        )
    return elements
