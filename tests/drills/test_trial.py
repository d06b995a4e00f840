"""Test that a drill counts on a busy machine, and ends with the words of what does not start."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.drills.breaking import counting, league
from tests.drills.breaking.league import League
from tests.drills.breaking.players import Players
from tests.drills.breaking.post import Sink
from tests.drills.breaking.trial import Drill, Trial
from tests.support.children import ChildEndedError
from tests.support.processes import eventually

REFUSES = [sys.executable, "-c", "import sys; sys.exit('No room.')"]
RUNS = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture
def running(tmp_path: Path) -> Any:
    it = League(tmp_path, Sink())
    yield it
    it.stop()


def test_drill_that_takes_too_long_is_counted(
    running: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine once broke a drill off, with nothing counted."""
    sizes = {"games": 3, "phases": 7, "orders": 2, "letters": 5}
    monkeypatch.setattr(
        counting, "count", lambda *_: counting.Found({"phases held": 0}, {}, 0, sizes)
    )
    monkeypatch.setattr(running, "ready", lambda: None)
    # Something is due, and nothing moves.
    monkeypatch.setattr(running, "rows", lambda *_: [(1, 2)])
    monkeypatch.setattr(running, "left", lambda: "one letter")
    monkeypatch.setattr(league, "STANDSTILL", 0.2)
    trial = Trial(Drill(running.folder), running, Players(running, 1), time.monotonic())
    row = trial.row("a fault", lag=0.0)
    assert (row.lost, row.phases) == (1, 7)
    assert "without progress" in str(row.wrong["took too long"])


def test_wait_goes_on_while_anything_moves(
    running: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0])
    monkeypatch.setattr(running, "rows", lambda *_: [(next(left), 0)])
    monkeypatch.setattr(league, "STANDSTILL", 0.0)
    running.calm()


def test_process_that_ends_at_each_start_ends_the_drill(
    running: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "command", lambda name: REFUSES if name == "lmtp" else RUNS)
    running.begin("lmtp", "web")
    with pytest.raises(ChildEndedError, match="lmtp has ended with 1:\nNo room"):
        eventually("the end of the drill", lambda: running.tend() and None)


def test_killed_process_is_started_again_and_again(
    running: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "command", lambda name: RUNS)
    running.begin("web")
    for _ in range(5):
        running.running["web"].kill()
        running.running["web"].wait()
        assert running.tend() == ["web"]


def test_first_start_that_fails_ends_the_drill_at_once(
    running: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "command", lambda name: REFUSES)
    running.begin("web")
    with pytest.raises(ChildEndedError, match="No room"):
        running.ready()
