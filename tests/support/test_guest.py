"""Whether the guest's tests run (CONTRIBUTING.md, “Tests”)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import guest

GAME = "games/ww2_multiplayer/rules/scoring.py"
TEST = "tests/ww2_multiplayer/rules/test_scoring.py"
CONTRACT = "games/rules/contract.py"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a file of the game, a test, the contract and another, all noted."""
    monkeypatch.setattr(guest, "ROOT", tmp_path)
    for name in (GAME, TEST, CONTRACT, "games/timing.py"):
        change(tmp_path, name)
    guest.main(["passed"])
    return tmp_path


def change(tree: Path, name: str) -> None:
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{path.read_text() if path.exists() else ''}A line.\n")


@pytest.mark.parametrize(
    "name", [GAME, TEST, CONTRACT, "games/ww2_multiplayer/web/new.py", "static/referee.css"]
)
def test_changed_and_new_files_of_the_game_count(tree: Path, name: str) -> None:
    assert not guest.changed()
    change(tree, name)
    assert guest.changed()


@pytest.mark.parametrize(
    "name", ["games/timing.py", "games/ww2_multiplayer/__pycache__/scoring.pyc"]
)
def test_other_files_and_compiled_ones_do_not_count(tree: Path, name: str) -> None:
    change(tree, name)
    assert not guest.changed()


def test_moved_and_removed_files_of_the_game_count(tree: Path) -> None:
    (tree / GAME).rename((tree / GAME).with_name("points.py"))
    assert guest.changed()
    guest.main(["passed"])
    (tree / TEST).unlink()
    assert guest.changed()


def test_guest_of_which_nothing_is_noted_has_changed(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / guest.NOTED).unlink()
    guest.main([])
    assert capsys.readouterr().out == "changed\n"


def test_guest_that_has_not_changed_is_named_loudly(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guest.main([])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("NOT RUN: ")


def test_parts_of_the_guest_exist() -> None:
    """A part that no path has would never say that the guest has changed."""
    names = list(guest.files())
    for part in guest.PARTS:
        assert any(part in name for name in names), part
