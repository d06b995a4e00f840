"""Test that a process that was started is heard, and that its end is noticed."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from tests.drills.breaking import opened, records
from tests.support.children import Child, ChildEndedError, run
from tests.support.processes import Service, eventually, service

REFUSES = [sys.executable, "-c", "import sys; sys.exit('LIMIT_SENT is 1e+06.')"]


def test_child_that_ends_is_noticed_with_its_words(tmp_path: Path) -> None:
    """Benchmarks once waited half an hour for workers that refused to start."""
    running = Service(tmp_path)
    running.start("worker", REFUSES)
    began = time.monotonic()
    with pytest.raises(ChildEndedError, match=r"worker has ended with 1:\nLIMIT_SENT is 1e\+06\."):
        eventually("something that never comes", lambda: None, running)
    assert time.monotonic() - began < 20
    running.stop()
    assert "LIMIT_SENT" in (tmp_path / "log").read_text()


def test_command_that_fails_ends_with_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ChildEndedError, match="psql has ended with 1:\nLIMIT_SENT"):
        run("psql", REFUSES)
    assert "LIMIT_SENT is 1e+06." in capsys.readouterr().err


def test_output_and_errors_of_a_child_are_kept_apart() -> None:
    program = "import sys; print('found'); print('beside', file=sys.stderr)"
    with Child("one", [sys.executable, "-c", program], stdout=-1, shown=False) as child:
        assert child.communicate()[0] == b"found\n"
        assert child.words() == "beside\n"
    assert run("two", [sys.executable, "-c", program], shown=False) == "found\n"


def test_functions_are_called_in_one_process_with_the_environment_of_a_service(
    tmp_path: Path,
) -> None:
    with service(tmp_path) as running:
        (game,) = opened.open_games(running, 1)
        assert running.rows("SELECT id FROM games_game") == [(game.number,)]
        assert running.call(records.refuted, [game.number]) == []
        with pytest.raises(ChildEndedError, match=r"open_here has ended with 1:\n(.*\n)+TypeError"):
            running.call(opened.open_here, "no number", 1)


def test_command_runs_with_the_environment_of_a_service_at_that_time(tmp_path: Path) -> None:
    with service(tmp_path) as running:
        running.manage("tick")
        assert "nothing to resume" in running.complaint("resume")
        running.environment["MAIL_LARGEST"] = "much"
        with pytest.raises(ChildEndedError, match="MAIL_LARGEST"):
            running.manage("tick")
