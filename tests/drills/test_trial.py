"""Test that a drill counts on a busy machine, and ends with the words of what does not start."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.drills import faults_table
from tests.drills.breaking import counting, league
from tests.drills.breaking.faults_found import Faults
from tests.drills.breaking.league import League
from tests.drills.breaking.players import Players
from tests.drills.breaking.post import Sink
from tests.drills.breaking.trial import Drill, Row, Trial, rows_of
from tests.support.children import ChildEndedError
from tests.support.processes import TookTooLongError, eventually

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
    faults = Faults({"phases held": 0}, {}, {"letters not sent": 1})
    monkeypatch.setattr(counting, "count", lambda *_: counting.Found(faults, 0, sizes))
    monkeypatch.setattr(running, "ready", lambda: None)
    # Something is due, and nothing moves.
    monkeypatch.setattr(running, "due", lambda _: [(1, 2)])
    monkeypatch.setattr(running, "left", lambda: "one letter")
    monkeypatch.setattr(league, "STANDSTILL", 0.2)
    trial = Trial(Drill(running.folder), running, Players(running, 1), time.monotonic())
    row = trial.row("a fault", lag=0.0)
    assert (row.lost, row.doubled, row.wrong, row.phases) == (0, 0, {}, 7)
    assert "without progress" in str(row.unreached["waited for"])
    assert row.unreached["letters not sent"] == 1


def test_drill_that_cannot_even_begin_in_time_says_so() -> None:
    def prepare() -> Row:
        raise TookTooLongError("waited 180 s for a visitor at the door")

    (row,) = rows_of("a fault", prepare)
    assert (row.fault, row.lost, row.doubled, row.wrong) == ("a fault", 0, 0, {})
    assert row.unreached == {"waited for": ["waited 180 s for a visitor at the door"]}


def test_drills_that_were_not_reached_end_differently_from_faults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def end_with(*rows: Row) -> int:
        monkeypatch.setattr(faults_table, "run", lambda *_: list(rows))
        return faults_table.main(["redis", "--dry"])

    fine, late, wrong = Row("fine", 1), Row("late", 1), Row("wrong", 1, lost=1)
    late.unreached = {"waited for": ["180 s without progress"]}
    assert end_with(fine) == 0
    assert end_with(fine, late) == os.EX_TEMPFAIL
    assert end_with(late, wrong) == 1


def test_wait_goes_on_while_anything_moves(
    running: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    monkeypatch.setattr(running, "due", lambda _: [(next(left), 0)])
    monkeypatch.setattr(running, "rows", lambda *_: [])
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
