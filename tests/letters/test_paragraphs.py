"""A letter's text in blocks, for pages as narrow as a telephone (issue 7, point 5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.letters import paragraphs, rendering

LETTERS = sorted((Path(__file__).parent / "snapshots").glob("*.txt"))


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.stem)
def test_pieces_keep_every_word_and_fold_back_to_the_text(letter: Path) -> None:
    text = letter.read_text(encoding="utf-8").partition("\n\n")[2]
    pieces = paragraphs.pieces(text)
    assert " ".join(piece.text for piece in pieces).split() == text.split()
    plain = [piece.text for piece in pieces if not piece.table]
    blocks = [
        block for block in text.strip("\n").split("\n\n") if not paragraphs.COLUMNS.search(block)
    ]
    for prose, block in zip(plain, blocks, strict=True):
        again = [line.strip() for line in rendering.fold(prose).strip("\n").split("\n")]
        assert again == [line.strip() for line in block.split("\n")]


def test_board_stays_a_table_and_folded_lines_are_joined() -> None:
    text = (
        "Dear Gustav,\n\n"
        + rendering.fold("word " * 40)
        + "\nTHE BOARD\n\n"
        + "Poland     2      .\nRumania    .     10\n"
    )
    first, prose, heading, board = paragraphs.pieces(text)
    assert (first.text, first.table) == ("Dear Gustav,", False)
    assert prose.text == ("word " * 40).strip()
    assert heading == ("THE BOARD", False)
    assert board == ("Poland     2      .\nRumania    .     10", True)


def test_list_keeps_its_lines() -> None:
    text = rendering.fold("- " + "first " * 20 + "\n- second\n10. tenth")
    (piece,) = paragraphs.pieces(text)
    assert piece.text == "- " + ("first " * 20).strip() + "\n- second\n10. tenth"
