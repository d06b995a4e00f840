"""Draw a board as a diagram with a box for each area, for scenarios that no map covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.rules import Board

from . import frame, pieces
from .area_drawer import labeled_area
from .draw import title_for_readers
from .inks import SERIF, THEMES, Theme, blend, esc, num, text_element
from .pieces import Changed
from .plate import SIGNS, Box, Colors, colors

COLUMNS, EDGE, WIDE, ROW = 4, 24, 238.0, 36.0


def svg(
    known: Mapping[str, Mapping[str, str]],
    board: Board,
    *,
    width: int = 900,
    changed: Changed = (),
    title: str = "",
    theme: str = "light",
    signs: Sequence[str] = SIGNS,
) -> str:
    """Draw the board in boxes, in scenario order, like `draw.svg`. `known`: colors of nations."""
    ink = THEMES[theme]
    nations = colors(board.nations, known)
    marked = frozenset(changed)
    (_, tall), boxes = places(board)
    elements, patterns = [], {}
    for area, (left, y, _, high) in boxes.items():
        x = left - 6
        owners = pieces.control_and_stacks(board.cells.get(area, {}), board.nations)[0]
        numbers = "-".join(str(board.nations.index(name)) for name in owners)
        ident = f"schematic-{ink.name}-{numbers}"
        if owners:
            patterns[ident] = pieces.closed_pattern(ident, [nations[name] for name in owners], ink)
        fill = f"url(#{ident})" if owners else ink.land
        shape = (
            f'<rect x="{num(x + 6)}" y="{num(y)}" width="{num(WIDE - 12)}" height="{num(high)}"'
            f' rx="4" fill="{fill}" stroke="{ink.edge}"/>'
        )
        halo = blend(nations[owners[0]].color, ink.paper, 0.18) if owners else ""
        size = min(17.0, (WIDE - 40) / (0.74 * len(area)))
        shape += text_element(
            area.upper(), x + WIDE / 2, y + 26, size, ink.ink, weight=700, spacing=1, halo=halo
        )
        shape += _pieces(board, area, nations, ink, x + WIDE / 2, y + 34 + (high - 36) / 2, marked)
        elements.append(labeled_area(area, pieces.describe_area(board, area, marked), shape))
    spoken_label = title_for_readers(title)
    where = (373.0, tall - 194.0, 254.0, 170.0)
    key = frame.cartouche(where, nations, ink, signs) + frame.heading(
        where, "THE BOARD", title, ink
    )
    key += frame.alliances(where, board, nations, ink)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="atlas schematic {ink.name}" viewBox="0 0'
        f' 1000 {tall}" width="{width}" '
        f'height="{round(width * tall / 1000)}" role="group" aria-label="{spoken_label}"'
        f' font-family="{SERIF}"><title>{spoken_label}</title>'
        "<desc>A board of boxes. Each area says what stands in"
        f" it.{esc(pieces.alliance_sentences(board))}</desc>"
        f"<defs>{''.join(patterns[ident] for ident in sorted(patterns))}</defs>"
        f'<rect width="1000" height="{tall}" fill="{ink.paper}"/>'
        f'<rect x="7" y="7" width="986" height="{tall - 14}" fill="none" stroke="{ink.edge}"'
        ' stroke-width="2.2"/>'
        f'{"".join(elements)}<g aria-hidden="true">{key}</g></svg>'
    )


def places(board: Board) -> tuple[tuple[int, int], dict[str, Box]]:
    """Return the size of a board's diagram, and the box of each area in it."""
    most = max((len(board.cells.get(area, {})) for area in board.areas), default=1)
    high, head = 44 + ROW * max(2, -(-most // 3)) + 8, 26.0
    boxes = {
        area: (
            EDGE + (place % COLUMNS) * WIDE + 6,
            head + (place // COLUMNS) * (high + 12),
            WIDE - 12,
            high,
        )
        for place, area in enumerate(board.areas)
    }
    rows = -(-len(board.areas) // COLUMNS)
    return (1000, round(head + rows * (high + 12) + 200)), boxes


def _pieces(
    board: Board,
    area: str,
    nations: Mapping[str, Colors],
    ink: Theme,
    x: float,
    y: float,
    marked: frozenset[tuple[str, str]],
) -> str:
    cells = board.cells.get(area, {})
    control, stacks = pieces.control_and_stacks(cells, board.nations)
    elements = [
        pieces.flag(
            x - 24 + (place - (len(control) - 1) / 2) * 60,
            y + 20,
            nations[name],
            ink,
            (area, name) in marked,
        )
        for place, name in enumerate(control)
    ]
    places = pieces.block((x, y), len(stacks), 3)
    elements += [
        pieces.counter(px, py, nations[name], cells[name], ink, (area, name) in marked)
        for name, (px, py) in zip(stacks, places, strict=True)
    ]
    return "".join(elements)
