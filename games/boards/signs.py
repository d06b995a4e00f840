"""The signs of a board whose areas have states, and what they mean."""

from __future__ import annotations

from games.rules import Cell
from games.rules.lands import Unit

from . import pieces
from .inks import Theme, blend, num, words
from .mosaic import Tile
from .plate import Colours

#: In units of the drawing: how broad a home's band is, the rim of an area that is not normalised,
# and a square of the relations.
BAND, RIM, SIDE = 9.0, 5.0, 26.0


def plain(theme: Theme) -> str:
    """Nobody's land."""
    return theme.land if theme.name != "print" else "#ffffff"


def _dark(look: Colours) -> bool:
    return int(look.colour[1:3], 16) + int(look.colour[3:5], 16) + int(look.colour[5:], 16) < 180


def strong(look: Colours, theme: Theme) -> str:
    """Return a nation's colour for lines on the page; lighter on a dark page where it is dark."""
    return (
        blend(look.colour, theme.ink, 0.5) if theme.name == "dark" and _dark(look) else look.colour
    )


def tint(look: Colours, theme: Theme) -> str:
    """Return the ground of a controlled area. Dark colours take less, so that names are legible."""
    share = {"light": 0.34, "dark": 0.5, "print": 0.16}[theme.name]
    return blend(strong(look, theme), theme.paper, share * 0.62 if _dark(look) else share)


def homely(look: Colours | None, theme: Theme) -> str:
    """The ground of a power's home."""
    share = {"light": 0.12, "dark": 0.2, "print": 0.0}[theme.name]
    return plain(theme) if look is None else blend(strong(look, theme), plain(theme), share)


def filling(ident: str, look: Colours, theme: Theme) -> str:
    """Return the <pattern> of a controlled area: hatching faint enough to read a name on it."""
    return (
        f'<pattern id="{ident}" width="10" height="10" patternUnits="userSpaceOnUse">'
        '<rect width="10" height="10"'
        f' fill="{tint(look, theme)}"/>'
        f"{pieces.hatching(look.pattern, 0, 0, line(look, theme), 1.3)}</pattern>"
    )


def line(look: Colours, theme: Theme) -> str:
    """The lines of a hatching."""
    if theme.name == "dark":
        return blend(theme.ink, tint(look, theme), 0.3)
    return blend(look.colour, tint(look, theme), 0.5 if theme.name == "light" else 0.6)


def band(tile: Tile, look: Colours, theme: Theme, rim: bool) -> str:
    """A broad band inside the border of a home, or inside its rim where it has one."""
    far = BAND / 2 + (RIM + 1 if rim else 0)
    return (
        f'<path d="{tile.within(far)}" fill="none" stroke="{strong(look, theme)}"'
        f' stroke-width="{num(BAND - 2 if rim else BAND)}"/>'
    )


def broken_rim(tile: Tile, theme: Theme) -> str:
    """A broken rim inside the border of an area in which hostile forces stand."""
    line = f'd="{tile.within(RIM / 2 + 0.6)}" fill="none"'
    return (
        f'<path {line} stroke="{theme.card}" stroke-width="{num(RIM + 2)}"/>'
        f'<path {line} stroke="{theme.mark}" stroke-width="{num(RIM)}" stroke-dasharray="13 8"/>'
    )


def standard(look: Colours, theme: Theme, changed: bool = False) -> str:
    """A flag: who controls an area."""
    cloth = "M-25-14h50l-8 14 8 14h-50z"
    mark = (
        f'<path d="{cloth}" fill="none" stroke="{theme.mark}" stroke-width="8"/>' if changed else ""
    )
    size = 18.0 if len(look.letters) < 3 else 15.0
    return (
        f'{mark}<path d="{cloth}" fill="{look.colour}" stroke="{theme.card}" stroke-width="3.4"'
        f' paint-order="stroke"/><path d="{cloth}" fill="none" stroke="{theme.cardink}"'
        ' stroke-width="1"/>'
        + words(look.letters, -5, size * 0.34, size, look.ink, weight=700)
        + (pieces.star(-24, -14, 8.5, theme.mark, theme.card) if changed else "")
    )


def force(
    look: Colours, cell: Cell, theme: Theme, changed: bool = False, hostile: bool = False
) -> str:
    """Draw a nation's counter, with a cross where hostile and a tag for what is out of supply."""
    drawn = pieces.counter(0, 0, look, Cell(cell.pf), theme, changed)
    if hostile:
        drawn += cross(25, -12, theme)
    if cell.cut_off:
        drawn += cut_off(19, 16.5, cell.cut_off, theme)
    return drawn


def cross(x: float, y: float, theme: Theme) -> str:
    """A little cross in a circle: hostile."""
    a, b = num(x - 3.6), num(y - 3.6)
    return (
        f'<circle cx="{num(x)}" cy="{num(y)}" r="8" fill="{theme.card}" stroke="{theme.cardink}"'
        f' stroke-width="1.3"/><path d="M{a} {b}l7.2 7.2m0-7.2l-7.2 7.2" stroke="{theme.cardink}"'
        ' stroke-width="2.4" stroke-linecap="round"/>'
    )


def cut_off(x: float, y: float, number: int, theme: Theme) -> str:
    """How many of the points are out of supply: “−2” in a broken frame."""
    wide = 17 + 6.0 * len(str(number))
    left, top = x - wide / 2, y - 8
    return (
        f'<rect x="{num(left)}" y="{num(top)}" width="{num(wide)}" height="16" rx="2.5"'
        f' fill="{theme.card}" stroke="{theme.cardink}" stroke-width="1.1" stroke-dasharray="3'
        ' 1.6"/>' + words(f"−{number}", x, y + 5, 14.5, theme.cardink, weight=700)
    )


def badge(look: Colours | None, theme: Theme) -> str:
    """Who moves the army of an area: letters in a ring; “GM” where the gamesmaster does."""
    letters, ring = (look.letters, strong(look, theme)) if look else ("GM", theme.cardink)
    size = 13.0 if len(letters) < 3 else 10.5
    return (
        f'<circle r="15" fill="{theme.card}" stroke="{theme.cardink}" stroke-width="1"/>'
        f'<circle r="12.6" fill="{theme.card}" stroke="{ring}" stroke-width="2.8"/>'
        + words(letters, 0, size * 0.34, size, theme.cardink, weight=700)
    )


def meanings(look: Colours, theme: Theme, filled: str, unit: Unit) -> tuple[tuple[str, str], ...]:
    """Every sign of the key, drawn about 0, 0 in a box of 56 by 32, with what it means."""
    frame = 'x="-27" y="-14" width="54" height="28" rx="3"'
    edge = f'stroke="{theme.edge}" stroke-width="1.4"'
    free = f'<rect {frame} fill="{plain(theme)}" {edge}/>'
    inner = 'width="46" height="20" fill="none"'
    home = (
        f'<rect {frame} fill="{homely(look, theme)}" {edge}/>'
        f'<rect x="-23" y="-10" {inner} stroke="{strong(look, theme)}" stroke-width="6"/>'
    )
    held = f'<rect {frame} fill="url(#{filled})" {edge}/>'
    rim = (
        f'<rect x="-23" y="-10" {inner} stroke="{theme.mark}" stroke-width="{num(RIM)}"'
        ' stroke-dasharray="13 8"/>'
    )
    counter = f'<g transform="scale(.96)">{pieces.counter(0, 0, look, Cell(5), theme)}</g>'
    hostile = f'<g transform="scale(.96)">{force(look, Cell(5), theme, hostile=True)}</g>'
    starved = f'<g transform="scale(.96)">{force(look, Cell(5, cut_off=2), theme)}</g>'
    return (
        (held, "controlled: hatching and flag"),
        (home, "home of a power"),
        (free, "nobody’s, and normalised"),
        (free + rim, "hostile forces stand there"),
        (counter, f"forces, in {unit.many}"),
        (hostile, "hostile to that country"),
        (starved, "2 of them out of supply"),
        (badge(look, theme), "who moves its army"),
    )


#: What the squares of the relations say.
RELATIONS = (("allied", "allied"), ("odds", "hostile"), ("hand", "same player"))


def relation(x: float, y: float, between: str, theme: Theme) -> str:
    """Draw a relation in a square at x, y: rings for allies, a cross for enemies, = for a pair."""
    side, cx, cy = SIDE, x + SIDE / 2, y + SIDE / 2
    drawn = (
        f'<rect x="{num(x)}" y="{num(y)}" width="{num(side)}" height="{num(side)}"'
        f' fill="{theme.card}" stroke="{theme.cardink}" stroke-width=".9"/>'
    )
    if between == "allied":
        drawn += "".join(
            f'<circle cx="{num(cx + shift)}" cy="{num(cy)}" r="6" fill="none"'
            f' stroke="{theme.cardink}" stroke-width="2.2"/>'
            for shift in (-4, 4)
        )
    elif between == "odds":
        drawn += (
            f'<path d="M{num(cx - 7)} {num(cy - 7)}l14 14m0-14l-14 14" stroke="{theme.cardink}"'
            ' stroke-width="3.2" stroke-linecap="round"/>'
        )
    elif between == "hand":
        drawn += (
            f'<path d="M{num(cx - 7)} {num(cy - 4)}h14m-14 8h14" stroke="{theme.cardink}"'
            ' stroke-width="3.2"/>'
        )
    return drawn
