"""The downloadable checker reaches the same verdicts (issue 3.7; design.md 1)."""

from __future__ import annotations

import copy
import datetime
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from games.evidence import export
from games.records import standalone
from games.rules.markets import MARKETS
from games.rules.registry import GUESTS
from games.rules.sessions import session_after
from tests.records.test_verify import TAMPERED
from tests.support.examples import sample

Tree = dict[str, Any]
pytestmark = pytest.mark.django_db  # for the one game

LATE = datetime.datetime(2035, 12, 20, tzinfo=datetime.UTC)
#: Tampering that the issue wants detected, and the case in TAMPERED that tries it.
TEN = {
    "readings": "a reading",
    "session": "a session that was open before the lock",
    "reserve list": "the reserve list in the options too",
    "digest": "the digest",
    "submission chain": "a submission removed",
    "deadline": "the deadline",
    "salt": "a salt",
    "winners": "the winners",
    "events": "an event left out",
    "board": "the board",
    "figures": "a volume",
    "digits": "a digit",
    "scores": "the scores",
}


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file as downloaded, in a directory far from the repository."""
    path = tmp_path_factory.mktemp("stranger") / standalone.NAME
    path.write_bytes(standalone.build_archive())
    return path


def run(checker: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run with `python -I`, without environment and user site, so that no project file is found."""
    command = [sys.executable, "-I", "-S", str(checker), *arguments]
    environment = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        command,
        cwd=checker.parent,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
    )


def written(checker: Path, tree: Tree) -> str:
    path = checker.parent / "record.json"
    path.write_text(export.text(tree), encoding="utf-8")
    return path.name


def test_checker_verifies_a_whole_game(checker: Path, whole: Tree) -> None:
    completed = run(checker, written(checker, whole))
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout.startswith(
        "All 4 phases follow: 11 submissions, 2 digits and 4 results checked."
    )
    assert run(checker, "-", given=json.dumps(whole)).stdout == completed.stdout


@pytest.mark.parametrize("kind", sample(list(TEN), 4))
def test_checker_detects_tampering(checker: Path, whole: Tree, kind: str) -> None:
    """Must show: ten kinds of tampering and more, each reported in one sentence."""
    change, sentence = TAMPERED[TEN[kind]]
    tree = copy.deepcopy(whole)
    change(tree)
    completed = run(checker, written(checker, tree))
    assert (completed.returncode, completed.stderr) == (1, "")
    assert completed.stdout.startswith(sentence)
    assert completed.stdout.endswith(".\n")
    assert completed.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("{", "- is not a JSON document"),
        ("[]", "no record of a game"),
        ('{"format": "gamesmaster-record", "version": 99}', "version 99"),
    ],
)
def test_checker_refuses_other_documents_in_one_sentence(
    checker: Path, given: str, sentence: str
) -> None:
    completed = run(checker, "-", given=given)
    assert (completed.returncode, completed.stdout) == (2, "")
    assert sentence in completed.stderr
    assert "Traceback" not in completed.stderr


def test_checker_without_arguments_lists_them(checker: Path) -> None:
    for arguments in ((), ("a", "b")):
        completed = run(checker, *arguments)
        assert completed.returncode == 2
        assert "record" in completed.stderr
    assert "nowhere.json cannot be read" in run(checker, "nowhere.json").stderr


def test_checker_build_is_reproducible() -> None:
    """Its fingerprint can be compared: no times, no file system order, no zlib."""
    standalone.build_archive.cache_clear()
    first = standalone.build_archive()
    standalone.build_archive.cache_clear()
    assert standalone.build_archive() == first
    with zipfile.ZipFile(io.BytesIO(first)) as packed:
        entries = packed.infolist()
        assert packed.testzip() is None
    names = [entry.filename for entry in entries]
    assert names == sorted(names)
    assert {entry.date_time for entry in entries} == {standalone.THE_SAME_TIME}
    assert {entry.compress_type for entry in entries} == {zipfile.ZIP_STORED}
    assert "__main__.py" in names
    assert {name.partition("/")[0] for name in names} == {"__main__.py", "games"}


def _sources(rules: Path) -> list[Path]:
    return [
        *rules.rglob("*.py"),
        *rules.rglob("options.toml"),
        *rules.rglob("verbs.toml"),
        *rules.glob("settings.toml"),
        *rules.glob("plain/*.toml"),
    ]


def test_checker_contains_only_the_rules() -> None:
    with zipfile.ZipFile(io.BytesIO(standalone.build_archive())) as packed:
        games = standalone.ROOT / "games"
        guests = [standalone.ROOT / name.replace(".", "/") for name in GUESTS.values()]
        ours = [
            games / "__init__.py",
            *(guest / "__init__.py" for guest in guests),
            *(path for place in (games, *guests) for path in _sources(place / "rules")),
            games / "rules" / "calendars" / "sessions.txt",
        ]
        for path in ours:
            name = path.relative_to(standalone.ROOT).as_posix()
            assert packed.read(name) == path.read_bytes()
        assert len(packed.namelist()) == 1 + len(ours)


def test_checker_contains_the_trading_calendars(checker: Path) -> None:
    """The hours of every exchange until 2035 are in the file, to choose the session again."""
    program = (
        f"import sys; sys.path.insert(0, {checker.name!r})\n"
        f"import datetime; LATE = {LATE!r}\n"
        "from games.rules.markets import MARKETS\n"
        "from games.rules.sessions import session_after\n"
        "print([session_after(market, LATE).label for market in MARKETS.values()])"
    )
    completed = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        cwd=checker.parent,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    assert (
        completed.stdout
        == f"{[session_after(market, LATE).label for market in MARKETS.values()]}\n"
    )
