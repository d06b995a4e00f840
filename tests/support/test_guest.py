"""Whether the guest's tests run (CONTRIBUTING.md, “Tests”)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support import guest

GAME = "games/ww2_multiplayer/rules/scoring.py"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository whose branch `main` has a file of the game and another one."""
    monkeypatch.setattr(guest, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    guest.git("init", "--quiet", "--initial-branch", "main")
    commit(tmp_path, GAME)
    commit(tmp_path, "games/timing.py")
    return tmp_path


def commit(repository: Path, name: str) -> None:
    """Change a file and commit it."""
    change(repository, name)
    guest.git("add", "--all")
    guest.git("commit", "--quiet", "--message", f"Change {name}.")


def change(repository: Path, name: str) -> None:
    path = repository / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{path.read_text() if path.exists() else ''}A line.\n")


def test_on_a_branch_changes_since_main_count(repository: Path) -> None:
    guest.git("checkout", "--quiet", "-b", "branch")
    commit(repository, "games/timing.py")
    assert guest.changed() == []
    commit(repository, GAME)
    assert guest.changed() == [GAME]


def test_files_that_are_not_committed_count(repository: Path) -> None:
    guest.git("checkout", "--quiet", "-b", "branch")
    commit(repository, "games/timing.py")
    change(repository, "games/ww2_multiplayer/web/new.py")
    assert guest.changed() == ["games/ww2_multiplayer/web/new.py"]
    change(repository, GAME)
    assert guest.changed() == [GAME, "games/ww2_multiplayer/web/new.py"]


def test_on_main_changes_since_the_last_tag_count(repository: Path) -> None:
    guest.git("tag", "0.1.0")
    commit(repository, "games/timing.py")
    assert guest.changed() == []
    commit(repository, GAME)
    assert guest.changed() == [GAME]


@pytest.mark.parametrize("without", ["a tag", "a repository"])
def test_guest_counts_as_changed_if_git_cannot_say(
    repository: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    without: str,
) -> None:
    if without == "a repository":
        monkeypatch.setattr(guest, "ROOT", tmp_path_factory.mktemp("copy"))
    guest.main()
    printed = capsys.readouterr()
    assert printed.out == "changed\n"
    assert "because git cannot say" in printed.err


def test_guest_that_has_not_changed_is_named_loudly(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guest.git("tag", "0.1.0")
    guest.main()
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("NOT RUN: ")


def test_paths_of_the_guest_exist() -> None:
    """A pattern that matches no file would never say that the guest has changed."""
    for path in guest.PATHS:
        listed = subprocess.run(
            ("git", "ls-files", "--", path), cwd=guest.ROOT, capture_output=True, text=True
        )
        if listed.returncode:
            pytest.skip("this is no clone")
        assert listed.stdout, path
