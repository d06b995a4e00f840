"""Draw the pieces of maps and diagrams: counters, seals, flags of CONTROL, hatchings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from games.rules import Board, Cell
from games.rules.names import count_of

from .inks import Theme, blend, num, text_element
from .plate import Colors

WIDE, HIGH, TAB, GAP = 52.0, 27.0, 21.0, 4.0
Changed = Collection[tuple[str, str]]

# For each hatching, a cell of 10 by 10 units.
_HATCH = {
    "pale": "M5 0v10",
    "fess": "M0 5h10",
    "bend": "M0 0l10 10",
    "sinister": "M10 0l-10 10",
    "grid": "M5 0v10M0 5h10",
    "saltire": "M0 0l10 10M10 0l-10 10",
}


def hatching(pattern: str, x: float, y: float, ink: str, width: float = 1.5) -> str:
    """Draw one cell of a hatching with its corner at x, y."""
    at = f' transform="translate({num(x)} {num(y)})"' if x or y else ""
    if pattern == "dots":
        return f'<circle cx="{num(x + 5)}" cy="{num(y + 5)}" r="{num(width * 1.3)}" fill="{ink}"/>'
    return f'<path d="{_HATCH[pattern]}" stroke="{ink}" stroke-width="{num(width)}"{at}/>'


def closed_colors(owner: Colors, theme: Theme) -> tuple[str, str]:
    """Return the colors of ground and lines of an area that a nation has closed."""
    return blend(owner.color, theme.paper, 0.3), blend(
        owner.color, theme.ink if theme.name == "dark" else theme.paper, 0.72
    )


def closed_pattern(ident: str, owners: Sequence[Colors], theme: Theme) -> str:
    """Return the <pattern> of an area under CONTROL: the owner's hatching, or bands of several
    owners."""
    band = 30 if len(owners) > 1 else 10
    elements = []
    for place, owner in enumerate(owners):
        tint, ink = closed_colors(owner, theme)
        elements.append(f'<rect x="{place * band}" width="{band}" height="10" fill="{tint}"/>')
        elements += [
            hatching(owner.pattern, place * band + step, 0, ink) for step in range(0, band, 10)
        ]
    wide = band * len(owners)
    return (
        f'<pattern id="{ident}" width="{wide}" height="10"'
        f' patternUnits="userSpaceOnUse">{"".join(elements)}</pattern>'
    )


def star(x: float, y: float, radius: float, fill: str, edge: str) -> str:
    """Draw the mark of a change: a small 4-pointed star."""
    r, s = num(radius), num(radius * 0.28)
    d = f"M0-{r}L{s}-{s} {r} 0 {s} {s} 0 {r}-{s} {s}-{r} 0-{s}-{s}z"
    at = f"translate({num(x)} {num(y)})"
    return (
        f'<path d="{d}" transform="{at}" fill="{fill}" stroke="{edge}" stroke-width="1.5"'
        ' paint-order="stroke"/>'
    )


def seal(x: float, y: float, radius: float, theme: Theme, letter: str = "U") -> str:
    """Draw a round seal: U for an Understanding, T for treaty rights."""
    return (
        f'<circle cx="{num(x)}" cy="{num(y)}" r="{num(radius)}" fill="{theme.card}"'
        f' stroke="{theme.cardink}" stroke-width="1.4"/><circle cx="{num(x)}" cy="{num(y)}"'
        f' r="{num(radius - 2.6)}" fill="none" stroke="{theme.cardink}" stroke-width=".6"/>'
        + text_element(letter, x, y + radius * 0.46, radius * 1.36, theme.cardink, weight=700)
    )


def counter(
    x: float, y: float, colors: Colors, cell: Cell, theme: Theme, changed: bool = False
) -> str:
    """Draw a stack around x, y: letters on a tab, the number, and a ring and seal if it has one."""
    left, top = x - WIDE / 2, y - HIGH / 2
    # The tab has square corners on the right, so it needs its own path.
    parts = []
    if changed:
        parts.append(_rect(left - 4, top - 4, WIDE + 8, HIGH + 8, 7, theme.mark))
    sealed = cell.understanding or cell.treaty
    if sealed:
        parts.append(
            _rect(
                left - 2.6,
                top - 2.6,
                WIDE + 5.2,
                HIGH + 5.2,
                6,
                theme.card,
                f' stroke="{theme.cardink}" stroke-width="1.1"',
            )
        )
    edge = f' stroke="{theme.cardink if theme.name != "dark" else theme.card}" stroke-width="1"'
    parts.append(_rect(left, top, WIDE, HIGH, 3.5, colors.color, edge))
    across, down = num(TAB - 3), num(HIGH - 6)
    tab = (
        f"M{num(left + TAB)} {num(top + 0.5)}h-{across}q-2.5 0-2.5 2.5v{down}q0 2.5 2.5"
        f" 2.5h{across}z"
    )
    parts.append(f'<path d="{tab}" fill="{theme.card}"/>')
    size = 13.5 if len(colors.letters) < 3 else 27 / len(colors.letters)
    parts.append(
        text_element(
            colors.letters, left + TAB / 2 + 0.3, y + size * 0.33, size, theme.cardink, weight=700
        )
    )
    middle = left + TAB + (WIDE - TAB) / 2
    if cell.pf:
        shift = -4.5 if sealed or cell.face_down else 0
        size = 22 if cell.pf < 10 or not (sealed or cell.face_down) else 18.5
        size = size if cell.pf < 100 else 15
        lift = 2.5 if cell.face_down else 0
        parts.append(
            text_element(
                str(cell.pf), middle + shift, y + size * 0.325 - lift, size, colors.ink, weight=700
            )
        )
    if sealed:
        letter = "U" if cell.understanding else "T"
        parts.append(
            seal(left + WIDE - 1.5, top + 5.5, 9.2, theme, letter)
            if cell.pf
            else seal(middle, y, 11, theme, letter)
        )
    if cell.face_down:
        alone = not (cell.pf or cell.understanding)
        parts.append(
            face_down_counters(
                middle if alone else left + WIDE - 1,
                y if alone else top + HIGH - 1.5,
                cell.face_down,
                theme,
            )
        )
    if changed:
        parts.append(star(left - 1, top - 1, 8.5, theme.mark, theme.card))
    return "".join(parts)


def face_down_counters(x: float, y: float, number: int, theme: Theme) -> str:
    """Draw new counters that are face down: a hatched back with their number, “2?”."""
    text = f"{number}?"
    wide, high = 14 + 5.5 * len(str(number)), 15.0
    left, top = x - wide / 2, y - high / 2
    back = "".join(
        f"M{num(left + step)} {num(top + high - 1.5)}l5-{num(high - 3)}"
        for step in range(2, int(wide) - 6, 4)
    )
    return (
        _rect(
            left,
            top,
            wide,
            high,
            2.5,
            theme.card,
            f' stroke="{theme.cardink}" stroke-width="1.1" stroke-dasharray="3 1.6"',
        )
        + f'<path d="{back}" stroke="{theme.cardink}" stroke-width=".7" stroke-opacity=".3"/>'
        + text_element(text, x, y + 4.6, 13.5, theme.cardink, weight=700)
    )


def flag(x: float, y: float, colors: Colors, theme: Theme, changed: bool = False) -> str:
    """Draw a flag of CONTROL with the foot of its pole at x, y."""
    top = y - 42
    parts = []
    if changed:
        parts.append(_rect(x - 5, top - 5, 52, 37, 5, theme.mark))
    parts.append(
        f'<ellipse cx="{num(x)}" cy="{num(y)}" rx="7" ry="2.6" fill="{theme.cardink}"'
        ' fill-opacity=".45"/>'
    )
    parts.append(
        f'<path d="M{num(x)} {num(y)}V{num(top - 3)}" stroke="{theme.card}" stroke-width="5.4"'
        ' stroke-linecap="round"/>'
    )
    cloth = f"M{num(x)} {num(top)}h42l-6 13.5 6 13.5h-42z"
    parts.append(
        f'<path d="{cloth}" fill="{colors.color}" stroke="{theme.card}" stroke-width="3.4"'
        ' paint-order="stroke" stroke-linejoin="round"/>'
    )
    light = blend(colors.color, colors.ink, 0.62)
    parts += [hatching(colors.pattern, x + 28, top + row, light, 1.2) for row in (2.4, 13.6)]
    parts.append(f'<path d="{cloth}" fill="none" stroke="{theme.cardink}" stroke-width="1"/>')
    parts.append(
        f'<path d="M{num(x)} {num(y)}V{num(top - 3)}" stroke="{theme.cardink}" stroke-width="2.4"'
        ' stroke-linecap="round"/>'
    )
    size = 17 if len(colors.letters) < 3 else 30 / len(colors.letters)
    parts.append(
        text_element(
            colors.letters, x + 15.5, top + 13.5 + size * 0.33, size, colors.ink, weight=700
        )
    )
    if changed:
        parts.append(star(x - 1, top - 1, 8.5, theme.mark, theme.card))
    return "".join(parts)


def _rect(
    x: float, y: float, wide: float, high: float, round_: float, fill: str, extra: str = ""
) -> str:
    return (
        f'<rect x="{num(x)}" y="{num(y)}" width="{num(wide)}" height="{num(high)}"'
        f' rx="{num(round_)}" fill="{fill}"{extra}/>'
    )


def block(
    middle: tuple[float, float],
    count: int,
    columns: int,
    lean: float = 0,
    top: bool = False,
    grow: float = 1.0,
) -> list[tuple[float, float]]:
    """Return the positions of `count` counters in rows around a center. With `top`, the first row
    is where it is with 3 rows."""
    columns = max(1, min(columns, count))
    rows = -(-count // columns)
    room = max(rows, 3) if top else rows
    places = []
    for place in range(count):
        row, column = divmod(place, columns)
        row_length = min(columns, count - row * columns)
        across = (column - (row_length - 1) / 2) * (WIDE + 2 * GAP) * grow
        down = (row - (room - 1) / 2) * (HIGH + GAP + 1.5) * grow
        places.append((middle[0] + across + (row - (rows - 1) / 2) * lean, middle[1] + down))
    return places


def control_and_stacks(
    cells: Mapping[str, Cell], nations: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the nations with CONTROL of an area, and those with PFs or an Understanding, in
    scenario order."""
    control = [name for name in nations if name in cells and cells[name].control]
    stacks = [
        name
        for name in nations
        if name in cells and not cells[name].control and _has_pieces(cells[name])
    ]
    return control, stacks


def _has_pieces(cell: Cell) -> bool:
    return bool(cell.pf or cell.understanding or cell.face_down)


def describe_area(board: Board, area: str, changed: Changed = ()) -> str:
    """Return the contents of an area: “Poland: Germany has 5 PFs and an Understanding.”"""
    if area in board.lands:
        return _state_sentence(board, area, changed)
    control, stacks = control_and_stacks(board.cells.get(area, {}), board.nations)
    sentences = (
        [
            f"{' and '.join(control)} {'has' if len(control) == 1 else 'share'} CONTROL; the area"
            " is closed."
        ]
        if control
        else []
    )
    for name in stacks:
        cell = board.cells[area][name]
        contents = [board.unit.amount(cell.pf)] if cell.pf else []
        contents += ["an Understanding"] if cell.understanding else []
        contents += ["treaty rights"] if cell.treaty else []
        contents += [f"{count_of(cell.face_down, 'counter')} face down"] if cell.face_down else []
        sentences.append(f"{name} has {' and '.join(contents)}.")
    new = [name for name in board.nations if (area, name) in set(changed)]
    sentences += [f"Changed: {', '.join(new)}."] if new else []
    return f"{area}: {' '.join(sentences) or 'nobody is there.'}"


def _state_sentence(board: Board, area: str, changed: Changed) -> str:
    """Return an area's state and contents: “Poland: Germany controls it. … Germany has 9 SPs, …”"""
    cells = board.cells.get(area, {})
    sentences = list(board.lands[area].sentences())
    for name in board.nations:
        if name in cells and cells[name].pf:
            cut = f", {cells[name].cut_off} of them out of supply" if cells[name].cut_off else ""
            sentences.append(f"{name} has {board.unit.amount(cells[name].pf)}{cut}.")
    new = [name for name in board.nations if (area, name) in set(changed)]
    sentences += [f"Changed: {', '.join(new)}."] if new else []
    return f"{area}: {' '.join(sentences)}"


def alliance_sentences(board: Board) -> str:
    """Return sentences about allies, enemies and nations of one player, each after a space."""
    sentences = [f" {nation} and {other} are allied." for nation, other in board.alliances]
    sentences += [
        f" {nation} and {other} are hostile to each other." for nation, other in board.at_odds
    ]
    sentences += [f" {nation} and {other} have the same player." for nation, other in board.hands]
    return "".join(sentences)
