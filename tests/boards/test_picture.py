"""Boards as PNG (issue 6, 2): the same bytes every time, small enough for a letter."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from games import boards
from games.boards import picture, plate
from games.rules import Board

from .boards import CARD, CROWDED, EMPTY, GAME, LATE, NATIONS

ROOT = Path(__file__).resolve().parents[2]
TITLE = "Origins of World War II\nTurn 3, after the attacks"


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("board", [EMPTY, LATE, CROWDED], ids=["empty", "late", "crowded"])
def test_a_picture_is_small_and_the_same_every_time(board: Board, theme: str) -> None:
    """issue 6, 2: under 150 kB."""
    once = boards.board_png(GAME, CARD, board, title=TITLE, theme=theme)
    assert once == boards.board_png(GAME, CARD, board, title=TITLE, theme=theme)
    assert len(once) < 150_000
    assert Image.open(io.BytesIO(once)).size == (1200, 1056)


def test_a_picture_does_not_depend_on_what_was_drawn_before_it() -> None:
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


def test_laid_together_or_drawn_at_once_a_board_looks_the_same() -> None:
    """The quick way leaves nothing out: pixels differ at edges only."""
    it = plate.load(GAME)
    whole = picture.draw_picture(boards.board_svg(GAME, CARD, LATE, title=TITLE), 1200)
    laid = boards.board_png(GAME, CARD, LATE, title=TITLE)
    assert it.areas
    one, other = (
        Image.open(io.BytesIO(data)).convert("L").resize((150, 132)) for data in (whole, laid)
    )
    worst = [abs(a - b) for a, b in zip(one.tobytes(), other.tobytes(), strict=True)]
    assert sum(step > 40 for step in worst) < len(worst) * 0.004


def test_every_nations_colour_is_in_the_picture() -> None:
    seen = {
        colour
        for _, colour in (
            Image.open(io.BytesIO(boards.board_png(GAME, CARD, CROWDED)))
            .convert("RGB")
            .getcolors(1 << 20)
            or []
        )
    }
    for name in NATIONS:
        colour = plate.load(GAME).nations[name]["colour"]
        assert tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5)) in seen, name


def test_text_is_written_with_the_fonts_that_come_with_the_service() -> None:
    """resvg leaves text out without a word where it has no font for it."""
    assert sum(path.stat().st_size for path in picture.FONTS.iterdir()) < 300_000
    assert (picture.FONTS / "LICENSE").exists()
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" font-family="serif"><text'
        ' x="2" y="16" font-size="16">12</text></svg>'
    )
    assert (
        max(Image.open(io.BytesIO(picture.draw_picture(svg, 40))).getchannel("A").tobytes()) > 200
    )


def test_a_card_without_a_plate_has_a_picture_too() -> None:
    board = Board(("Rome", "Carthage"), ("Romans", "Punes"), {})
    once = boards.board_png(GAME, {"areas": ["Rome", "Carthage"]}, board, title=TITLE)
    assert once == boards.board_png(GAME, {"areas": ["Rome", "Carthage"]}, board, title=TITLE)
    assert len(once) < 150_000


def test_what_is_no_drawing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\w"):
        picture.png("no drawing", 100)


def test_nothing_heavy_is_loaded_before_a_picture_is_made() -> None:
    code = (
        "import games.boards, sys; sys.exit('PIL' in sys.modules or 'resvg_py' in sys.modules or"
        " 'shapely' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("weight", ["500", "700"])
def test_letters_of_the_peoples_of_europe_can_be_written(weight: str) -> None:
    """A title may say Łódź: no letter is drawn as the box of a missing one."""

    def written(letter: str) -> bytes:
        inner = f'<text x="2" y="20" font-size="20" font-weight="{weight}">{letter}</text>'
        return picture.draw_picture(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30"'
            f' font-family="serif">{inner}</svg>',
            30,
        )

    missing = written("\u4e00")
    assert all(written(letter) != missing for letter in "ČŁŹșțéßğžØ")
