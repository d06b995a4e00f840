"""Every benchmark and every drill runs to its end at its smallest size, with real processes.

The names come from the programs themselves, so that no new benchmark or drill is left out.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.bench import figures
from tests.bench.__main__ import BENCHMARKS
from tests.drills import faults_table
from tests.drills.breaking import disks
from tests.support import browser, children
from tests.support.processes import collected_static_files

pytestmark = pytest.mark.processes


def environment(**more: str) -> dict[str, str]:
    """Return what a person's shell gives to the commands, without the settings of these tests; and
    the static files, which each of them would collect again."""
    given = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    return {**given, "STATIC_ROOT": collected_static_files(), **more}


#: Drills that share something, one after the other; the others run by the command that people use.
TOGETHER = [
    list(names)
    for shares, names in groupby(faults_table.FAULTS, lambda name: faults_table.FAULTS[name].shares)
    if shares
]
TOGETHER.sort(key=len, reverse=True)
ALONE = [name for name, fault in faults_table.FAULTS.items() if not fault.shares]


# Longest first, and before the benchmarks: else one core would wait for the other at the end.
@pytest.mark.long
@pytest.mark.parametrize("names", TOGETHER, ids=", ".join)
def test_drills_run_to_their_end_and_lose_nothing(names: list[str]) -> None:
    """design 5: whatever breaks, nothing accepted is lost, and nothing is done twice."""
    with faults_table.place() as where:
        for name in names:
            rows = faults_table.run(name, where, faults_table.SMALLEST)
            assert rows
            assert [row.wrong for row in rows if row.lost or row.doubled] == []
            assert [row.unreached for row in rows if row.unreached] == []


@pytest.mark.long
@pytest.mark.parametrize("name", ALONE)
def test_drill_runs_to_its_end_by_its_command(name: str) -> None:
    if name == "disk" and not disks.possible():
        pytest.skip("this machine lets no user make a file system of his own in memory")
    command = [sys.executable, "-m", "tests.drills.faults_table", name, "--smallest", "--dry"]
    output = children.run("drills", command, env=environment())
    assert "lost 0, doubled 0" in output


@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmark_runs_to_its_end(name: str, tmp_path: Path) -> None:
    """W1, W3: each act is checked while it is measured; once refused orders were measured."""
    if name == "views" and browser.CHROMIUM is None:
        pytest.skip(browser.MISSING)
    command = [*figures.COMMAND, name, *BENCHMARKS[name].smallest.split()]
    output = children.run(name, command, env=environment(BENCH_KEPT=str(tmp_path)))
    assert output
    kept = [json.loads(file.read_text())["found"] for file in tmp_path.iterdir()]
    assert len(kept) == (name != "write"), output
    for found in kept:
        assert found
        costs = found.get("costs", {})
        assert all(cost["ms"] > 0 for at_size in costs.values() for cost in at_size.values())
        assert all(sum(row.values()) > 0 for row in found.get("table", {}).values())
    if name == "storm":
        assert kept[0]["runs"][0]["letters"] >= 10 * 5
