"""Draw the surroundings of a map: neat line with degrees, compass, scale, and cartouche."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from games.rules import Board

from . import pieces
from .inks import Theme, blend, num, text_element
from .plate import Box, Colors, Plate


def border(plate: Plate, ink: Theme) -> list[str]:
    """Draw the neat line with degrees, and paper over everything outside the window."""
    wide, high = plate.size
    x, y, w, h = plate.window
    outside = f"M0 0h{wide}v{high}h-{wide}zM{num(x)} {num(y)}v{num(h)}h{num(w)}v-{num(h)}z"
    lines = [
        (x, y, w, h, 1.4),
        (x - 5, y - 5, w + 10, h + 10, 0.8),
        (x - 18, y - 18, w + 36, h + 36, 2.2),
    ]
    elements = [f'<path d="{outside}" fill="{ink.paper}"/>']
    elements += [
        f'<rect x="{num(a)}" y="{num(b)}" width="{num(c)}" height="{num(d)}" fill="none"'
        f' stroke="{ink.edge}" stroke-width="{num(s)}"/>'
        for a, b, c, d, s in lines
    ]
    bars = []
    for side in ("top", "bottom", "left", "right"):
        along = side in ("top", "bottom")
        start, end = (x, x + w) if along else (y, y + h)
        places = [start, *sorted(place for where, place, _ in plate.degrees if where == side), end]
        fixed = {"top": y - 2.5, "bottom": y + h + 2.5, "left": x - 2.5, "right": x + w + 2.5}[side]
        for a, b in list(pairwise(places))[::2]:
            bars.append(
                f"M{num(a)} {num(fixed)}H{num(b)}" if along else f"M{num(fixed)} {num(a)}V{num(b)}"
            )
    elements.append(
        f'<path d="{"".join(bars)}" stroke="{ink.edge}" stroke-width="3.4" fill="none"/><g'
        ' aria-hidden="true">'
    )
    spot = {
        "top": (0, y - 8.5, 0),
        "bottom": (0, y + h + 14.5, 0),
        "left": (x - 8.5, 0, -90),
        "right": (x + w + 8.5, 0, 90),
    }
    for side, place, text in plate.degrees:
        a, b, turn = spot[side]
        px, py = (place, b) if side in ("top", "bottom") else (a, place)
        margin = min(px - x, x + w - px) if side in ("top", "bottom") else min(py - y, y + h - py)
        if margin > 14:
            elements.append(text_element(text, px, py, 9.5, ink.ink, turn=turn))
    return [*elements, "</g>"]


def furniture(plate: Plate, ink: Theme, nations: Mapping[str, Colors]) -> list[str]:
    """Draw compass, scale and cartouche."""
    elements = ['<g class="cartouche" aria-hidden="true" pointer-events="none">']
    if plate.compass:
        (x, y), radius = plate.compass
        elements.append(_compass(x, y, radius, ink))
    if plate.scale:
        (x, y), km, length = plate.scale
        half = num(length / 2)
        elements.append(
            f'<path d="M{num(x)} {num(y)}h{half}" stroke="{ink.edge}" stroke-width="4"/>'
        )
        elements.append(
            f'<path d="M{num(x)} {num(y - 2)}h{num(length)}v4h-{num(length)}z" fill="none"'
            f' stroke="{ink.edge}" stroke-width="1"/>'
        )
        elements.append(
            text_element(f"{km} km", x + length / 2, y - 6, 10.5, ink.ink, halo=ink.land)
        )
    return [*elements, cartouche(plate.cartouche, nations, ink, plate.signs), "</g>"]


def _compass(x: float, y: float, r: float, ink: Theme) -> str:
    arms = []
    for turn in (45, 135, 225, 315, 0, 90, 180, 270):
        far, near = (r * 0.6, r * 0.16) if turn % 90 else (r, r * 0.2)
        for side, fill in ((-1, ink.ink), (1, ink.card)):
            d = f"M0 0L0-{num(far)} {num(side * near)}-{num(near)}z"
            arms.append(
                f'<path d="{d}" fill="{fill}" stroke="{ink.edge}" stroke-width=".7"'
                f' transform="rotate({turn})"/>'
            )
    rings = f'<circle r="{num(r * 0.72)}" fill="none" stroke="{ink.edge}" stroke-width=".7"/>'
    return f'<g transform="translate({num(x)} {num(y)})">{rings}{"".join(arms)}</g>' + text_element(
        "N", x, y - r - 4, 13, ink.ink, weight=700
    )


def heading(where: Box, subject: str, title: str, ink: Theme) -> str:
    """Draw the text of the cartouche: 2 lines of `title`, or the subject of the plate."""
    ink = ink.of_cartouche
    x, y, w, _ = where
    lines = [line for line in title.splitlines() if line.strip()][:2] or [subject]
    size = min(22, (w - 28) / (0.72 * len(lines[0])))
    elements = text_element(
        lines[0].upper(), x + w / 2, y + 34, size, ink.cardink, weight=700, spacing=size * 0.08
    )
    if len(lines) > 1:
        size = min(15, (w - 28) / (0.46 * len(lines[1])))
        elements += text_element(lines[1], x + w / 2, y + 54, size, ink.cardink, italic=True)
    return f'<g aria-hidden="true" pointer-events="none">{elements}</g>'


def alliances(where: Box, board: Board, nations: Mapping[str, Colors], ink: Theme) -> str:
    """Draw alliances at the foot of the cartouche: for each pair 2 swatches joined by a band."""
    ink = ink.of_cartouche
    if not board.alliances:
        return ""
    x, y, _, h = where
    down = y + h - 17
    elements = text_element("Allied", x + 16, down, 13.5, ink.cardink, anchor="start", italic=True)
    for place, pair in enumerate(board.alliances):
        left = x + 68 + place * 90
        elements += (
            f'<path d="M{num(left + 17)} {num(down - 4.5)}h44" stroke="{ink.cardink}"'
            ' stroke-width="7"/>'
        )
        for k, name in enumerate(pair):
            elements += (
                f'<g transform="translate({num(left + 44 * k)}'
                f' {num(down)})">{_swatch(nations[name], ink)}</g>'
            )
    return f'<g aria-hidden="true" pointer-events="none">{elements}</g>'


def cartouche(where: Box, nations: Mapping[str, Colors], ink: Theme, signs: Sequence[str]) -> str:
    """Draw the frame of the title and the key: nations, then the symbols in `signs`."""
    ink = ink.of_cartouche
    x, y, w, h = where
    middle = x + w / 2
    outer = f'x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}"'
    inner = f'x="{num(x + 5)}" y="{num(y + 5)}" width="{num(w - 10)}" height="{num(h - 10)}"'
    elements = [
        f'<rect {outer} fill="{ink.card}" stroke="{ink.cardink}" stroke-width="2.2"/>',
        f'<rect {inner} fill="none" stroke="{ink.cardink}" stroke-width=".8"/>',
    ]
    rule = y + 64
    elements.append(
        f'<path d="M{num(middle - 50)} {num(rule)}h100M{num(middle - 24)} {num(rule + 3)}h48"'
        f' stroke="{ink.cardink}" stroke-width=".9"/>'
    )
    entries = list(nations.items())[:7]
    count = len(entries) + len(signs)
    rows = -(-count // 2) if len(entries) > 3 else count
    step = min(25.0, (h - 84) / max(rows, 1))
    for place in range(count):
        column, row = divmod(place, rows)
        px, py = x + 16 + column * (w * 0.42), y + 88 + row * step
        if place < len(entries):
            name, look = entries[place]
            elements.append(
                f'<g transform="translate({num(px)} {num(py)})">{_swatch(look, ink)}</g>'
            )
        elif (sign := signs[place - len(entries)]) != "control":
            name = {"understanding": "Understanding", "treaty": "Treaty rights"}[sign]
            elements.append(pieces.seal(px + 17, py - 4.5, 9.2, ink, name[0]))
        else:
            name = "CONTROL"
            elements.append(
                f'<path d="M{num(px + 9)} {num(py + 6)}v-20" stroke="{ink.cardink}"'
                ' stroke-width="2"/>'
            )
            elements.append(
                f'<path d="M{num(px + 9)} {num(py - 13)}h18l-3 5.5 3 5.5h-18z"'
                f' fill="{ink.cardink}"/>'
            )
        room = x + w - 9 - (px + 40) if column else w * 0.42 - 44
        elements.append(
            text_element(
                name, px + 40, py, min(13.5, room / (0.5 * len(name))), ink.cardink, anchor="start"
            )
        )
    return "".join(elements)


def _swatch(look: Colors, ink: Theme) -> str:
    cells = pieces.hatching(look.pattern, 22, -9.5, blend(look.color, look.ink, 0.55), 1.3)
    size = 11 if len(look.letters) < 3 else 22 / len(look.letters)
    return (
        f'<rect x="0" y="-13" width="34" height="17" rx="2.5" fill="{look.color}"'
        f' stroke="{ink.cardink}" stroke-width=".9"/>{cells}'
        + text_element(look.letters, 11, -4.5 + size * 0.33, size, look.ink, weight=700)
    )
