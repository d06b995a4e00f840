"""Draw what a map shows without a board: sea, coasts, rivers, and names that are no areas."""

from __future__ import annotations

from collections.abc import Sequence

from .inks import Theme, blend, num, text_element
from .plate import Area, Name, Plate


def ground(plate: Plate, ink: Theme, rings: int = 3) -> list[str]:
    """Draw paper, sea with its lines, graticule, and land outside the areas."""
    wide, high = plate.size
    x, y, w, h = plate.window
    others = "".join(plate.others)
    return [
        f'<rect width="{wide}" height="{high}" fill="{ink.paper}"/>',
        f'<rect x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}" fill="{ink.sea}"/>',
        f'<path d="{plate.graticule}" fill="none" stroke="{ink.grid}" stroke-width=".7"/>',
        *(_water(plate.water[:rings], ink)),
        (
            f'<path d="{others}" fill="{ink.land}" fill-rule="evenodd" stroke="{ink.soft}"'
            ' stroke-width=".8" stroke-linejoin="round"/>'
        ),
    ]


def _water(rings: Sequence[str], ink: Theme) -> list[str]:
    shades = [blend(ink.water, ink.sea, share) for share in (1.0, 0.72, 0.45)]
    return [
        f'<path d="{d}" fill="none" stroke="{shade}" stroke-width=".8"/>'
        for d, shade in zip(rings, shades, strict=False)
    ]


def inset_ground(plate: Plate, area: Area, ink: Theme) -> str:
    """Draw the sea, the land around and the frame of an area that is shown in an inset."""
    inset = plate.insets[area.name]
    x, y, w, h = inset.box
    around = f'x="{num(x - 4)}" y="{num(y - 4)}" width="{num(w + 8)}" height="{num(h + 8)}"'
    edge = f'x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}"'
    return (
        f'<rect {edge} fill="{ink.sea}"/>{"".join(_water(inset.water, ink))}<path'
        f' d="{inset.others}" fill="{ink.land}" fill-rule="evenodd" stroke="{ink.soft}"'
        f' stroke-width=".8"/><rect {edge} fill="none" stroke="{ink.edge}"'
        f' stroke-width="2.6"/><rect {around} fill="none" stroke="{ink.edge}" stroke-width=".8"/>'
    )


def shore(plate: Plate, ink: Theme) -> str:
    """Draw coasts and rivers, over the areas."""
    return (
        f'<path d="{plate.coast}" fill="none" stroke="{ink.edge}" stroke-width="1"'
        f' stroke-linejoin="round" pointer-events="none"/><path d="{plate.rivers}" fill="none"'
        f' stroke="{ink.river}" stroke-width="1.2" stroke-linecap="round" pointer-events="none"/>'
    )


def names(plate: Plate, ink: Theme, busy: set[str], yielding: bool | None) -> list[str]:
    """Draw the names of neutrals and seas; with `yielding` False only those that never give way to
    pieces."""
    visible_names = [
        name
        for name in plate.names
        if name.yields not in busy and not (yielding is False and name.yields)
    ]
    return [
        '<g aria-hidden="true" pointer-events="none">',
        *(name(one, ink) for one in visible_names),
        "</g>",
    ]


def name(name: Name, ink: Theme) -> str:
    """Draw the name of a neutral or a sea."""
    color, halo = (ink.seaink, ink.sea) if name.sea else (ink.soft, ink.land)
    spacing = name.size * (0.28 if name.text.isupper() else 0.05)
    return text_element(
        name.text,
        *name.at,
        name.size,
        color,
        halo=halo,
        italic=True,
        spacing=spacing,
        turn=name.turn,
    )
