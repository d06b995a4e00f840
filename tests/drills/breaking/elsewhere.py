"""Run and count tests in other folders which assert that a fault loses nothing."""

from __future__ import annotations

import os
import sys
import time
import xml.etree.ElementTree as ElementTree

import pytest

from tests.drills.breaking.trial import Drill, Row
from tests.support import children

#: Test files by the fault's name in the table; `::` names one test, as in pytest.
RUNS: dict[str, tuple[str, ...]] = {
    "the market in all failing modes": (
        "tests/market/test_market_faults.py",
        "tests/market/test_tiingo.py",
    ),
    "both clock changes, deadlines in the missing and the doubled hour": (
        "tests/desk/test_clock_changes.py",
    ),
    "the clock ahead and set right, an outage": (
        "tests/desk/test_setback.py",
        "tests/desk/test_outage.py",
    ),
    "a deploy in the midst of a deadline": (
        "tests/gamesmaster/test_redis.py::test_a_deploy_in_the_midst_of_deadlines_loses_nothing",
    ),
    "put back from a copy, letters already out": (
        "tests/operations/test_backup.py",
        "tests/operations/test_restore_hold.py",
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """This module is a plugin of the pytest that `run` starts."""
    parser.addoption("--at-most", type=int, default=0, help="how many tests to run; 0 is all")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    del items[config.getoption("--at-most") or len(items) :]


def run(drill: Drill, fault: str, examples: int = 1) -> Row:
    """Run the tests of a fault. Each test is a round; each failed test counts as a loss."""
    drill.folder.mkdir(parents=True, exist_ok=True)
    report, began = drill.folder / "tests.xml", time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", f"--junitxml={report}"]
    command += ["-p", __name__, "--at-most", str(int(drill.smallest)), *RUNS[fault]]
    environment = {**os.environ, "EXAMPLES": str(examples)}
    failing = int(pytest.ExitCode.TESTS_FAILED)
    output = children.run(f"pytest, {fault}", command, env=environment, codes=(0, failing))
    cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    failed = [
        str(case.get("name"))
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]
    skipped = sum(case.find("skipped") is not None for case in cases)
    words = f"tests: {', '.join(RUNS[fault])}" + (f"; {skipped} skipped" if skipped else "")
    wrong = {"failed": failed, "end": output[-1500:]} if failed else {}
    seconds = round(time.monotonic() - began, 1)
    return Row(
        fault, len(cases) - skipped, lost=len(failed), seconds=seconds, remark=words, wrong=wrong
    )
