"""Test boards as PNG (issue 6, 2): the same bytes every time, small enough for a letter."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from games import boards
from games.boards import draw, picture, plate
from games.rules import Board

from .boards import CARD, CROWDED, EMPTY, GAME, LATE, NATIONS

ROOT = Path(__file__).resolve().parents[2]
TITLE = "Origins of World War II\nTurn 3, after the attacks"


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("board", [EMPTY, LATE, CROWDED], ids=["empty", "late", "crowded"])
def test_board_png_is_small_and_deterministic(board: Board, theme: str) -> None:
    """issue 6, 2: under 150 kB."""
    once = boards.board_png(GAME, CARD, board, title=TITLE, theme=theme)
    assert once == boards.board_png(GAME, CARD, board, title=TITLE, theme=theme)
    assert len(once) < 150_000
    assert Image.open(io.BytesIO(once)).size == (1200, 1056)


def test_picture_does_not_depend_on_earlier_pictures() -> None:
    """issue 6: byte-identical between runs."""
    boards.board_png(GAME, CARD, CROWDED, width=600)
    here = boards.board_png(GAME, CARD, LATE, width=600, title=TITLE)
    code = (
        "import sys; from games import boards; from tests.boards.boards import CARD, GAME, LATE; "
        f"sys.stdout.buffer.write(boards.board_png(GAME, CARD, LATE, width=600, title={TITLE!r}))"
    )
    there = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True
    ).stdout
    assert here == there


def test_composed_picture_looks_like_the_whole_svg() -> None:
    """The fast path leaves nothing out: pixels differ at edges only."""
    it = plate.load(GAME)
    whole = picture.draw_picture(boards.board_svg(GAME, CARD, LATE, title=TITLE), 1200)
    laid = picture.board_png(it, LATE, title=TITLE)
    assert it.areas
    expected, other = (
        Image.open(io.BytesIO(data)).convert("L").resize((150, 132)) for data in (whole, laid)
    )
    worst = [abs(a - b) for a, b in zip(expected.tobytes(), other.tobytes(), strict=True)]
    assert sum(step > 40 for step in worst) < len(worst) * 0.004


def test_phone_picture_has_larger_counters_unless_crowded() -> None:
    """Issue 22, 6: a phone shows a picture at a third of its width.

    On a full board larger counters would hide each other, so they keep their size.
    """
    large = plate.phone_plate(plate.load(GAME))
    assert large.grow > 1
    assert not draw.is_crowded(large, LATE)
    assert draw.is_crowded(large, CROWDED)
    assert min(label.label.size for label in large.areas.values()) * 370 / large.size[0] > 6
    assert all(name.size * 370 / large.size[0] > 5.5 for name in large.names)
    for board, same in ((LATE, large), (CROWDED, replace(large, grow=1.0))):
        drawn = boards.board_png(GAME, CARD, board, width=600, title=TITLE)
        assert drawn == picture.board_png(same, board, width=600, title=TITLE)


def test_phone_picture_does_not_change_desktop_pictures() -> None:
    """Phones and desktops get separately cached maps, which differ in the names of areas.

    The counters of a crowded board have their usual size on both.
    """
    it = plate.load(GAME)
    before = picture.board_png(it, CROWDED, width=600)
    picture._GROUNDS.clear()
    phones = picture.board_png(replace(plate.phone_plate(it), grow=1.0), CROWDED, width=600)
    assert phones != before
    assert picture.board_png(it, CROWDED, width=600) == before


def test_every_nations_color_is_in_the_picture() -> None:
    seen = {
        color
        for _, color in (
            Image.open(io.BytesIO(boards.board_png(GAME, CARD, CROWDED)))
            .convert("RGB")
            .getcolors(1 << 20)
            or []
        )
    }
    for name in NATIONS:
        color = plate.load(GAME).nations[name]["color"]
        assert tuple(int(color[k : k + 2], 16) for k in (1, 3, 5)) in seen, name


def test_pictures_use_the_bundled_fonts() -> None:
    """resvg silently omits text for which it has no font."""
    assert sum(path.stat().st_size for path in picture.FONTS.iterdir()) < 300_000
    assert (picture.FONTS / "LICENSE").exists()
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" font-family="serif"><text'
        ' x="2" y="16" font-size="16">12</text></svg>'
    )
    assert (
        max(Image.open(io.BytesIO(picture.draw_picture(svg, 40))).getchannel("A").tobytes()) > 200
    )


def test_card_without_a_plate_has_a_picture() -> None:
    board = Board(("Rome", "Carthage"), ("Romans", "Punes"), {})
    once = boards.board_png(GAME, {"areas": ["Rome", "Carthage"]}, board, title=TITLE)
    assert once == boards.board_png(GAME, {"areas": ["Rome", "Carthage"]}, board, title=TITLE)
    assert len(once) < 150_000


def test_picture_of_invalid_svg_raises_value_error() -> None:
    with pytest.raises(ValueError, match=r"\w"):
        picture.png("no drawing", 100)


def test_importing_boards_loads_no_heavy_packages() -> None:
    code = (
        "import games.boards, sys; sys.exit('PIL' in sys.modules or 'resvg_py' in sys.modules or"
        " 'shapely' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("weight", ["500", "700"])
def test_fonts_have_european_letters(weight: str) -> None:
    """A title may say Łódź: no letter is drawn as the box for a missing glyph."""

    def written(letter: str) -> bytes:
        inner = f'<text x="2" y="20" font-size="20" font-weight="{weight}">{letter}</text>'
        return picture.draw_picture(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30"'
            f' font-family="serif">{inner}</svg>',
            30,
        )

    missing = written("\u4e00")
    assert all(written(letter) != missing for letter in "ČŁŹșțéßğžØ")
