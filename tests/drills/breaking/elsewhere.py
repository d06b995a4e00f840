"""Run and count tests in other folders which assert that a fault loses nothing."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

import pytest

from tests.drills.breaking.trial import Drill, Row
from tests.support import children
from tests.support.processes import TookTooLongError

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
    "put back from a copy, letters already out": (
        "tests/operations/test_restore_hold.py",
        "tests/operations/test_backup.py",
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """This module is a plugin of the pytest that `run` starts."""
    parser.addoption("--first", action="store_true", help="run the first test of each file only")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--first"):
        items[:] = {item.path: item for item in reversed(items)}.values()


def run(drill: Drill, fault: str, examples: int = 1) -> Row:
    """Run the tests of a fault. Each test is a round; each failed test counts as a loss, but for
    one that only waited too long.

    The smallest drills share a run of the first test of each: most of it is pytest's start.
    """
    began = time.monotonic()
    if drill.smallest:
        cases, output = _tested(tuple(files[0] for files in RUNS.values()), 1, "--first")
    else:
        cases, output = _tested(RUNS[fault], examples)
    modules = {name.partition(".py")[0].replace("/", ".") for name in RUNS[fault]}
    cases = [case for case in cases if case.get("classname") in modules]
    ended = {
        str(case.get("name")): str(end.get("message"))
        for case in cases
        for end in (*case.findall("failure"), *case.findall("error"))
    }
    late = [name for name, why in ended.items() if TookTooLongError.__name__ in why]
    failed = [name for name in ended if name not in late]
    skipped = sum(case.find("skipped") is not None for case in cases)
    row = Row(fault, len(cases) - skipped, lost=len(failed))
    row.remark = f"tests: {', '.join(RUNS[fault])}" + (f"; {skipped} skipped" if skipped else "")
    row.seconds = round(time.monotonic() - began, 1)
    row.wrong = {"failed": failed, "end": output[-1500:]} if failed else {}
    row.unreached = {"waited for": [f"{name}: {ended[name]}" for name in late]} if late else {}
    if not cases:
        row.lose("no test was found", output[-1500:])
    return row


@functools.cache
def _tested(
    tests: tuple[str, ...], examples: int, *options: str
) -> tuple[list[ElementTree.Element], str]:
    """Return the test cases of a pytest's report, and what it printed."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", *options, *tests]
        command += [f"--junitxml={report.name}", "-p", __name__]
        environment = {**os.environ, "EXAMPLES": str(examples)}
        failing = int(pytest.ExitCode.TESTS_FAILED)
        output = children.run("pytest", command, env=environment, codes=(0, failing))
        return list(ElementTree.parse(report.name).getroot().iter("testcase")), output
