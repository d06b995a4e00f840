"""Benchmarks run to their end: each act that they measure is checked while it is measured."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.bench import figures

pytestmark = pytest.mark.processes


@pytest.mark.parametrize(
    "words",
    [
        ("acknowledge", "--games", "25", "--times", "1"),
        ("growth", "--phases", "20", "60", "--times", "1"),
    ],
    ids=["acknowledge", "growth"],
)
def test_benchmark_measures_orders_that_are_received(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """W1, W3: for a while orders by mail were measured that the service refused."""
    run = subprocess.run(
        [*figures.COMMAND, *words],
        cwd=figures.ROOT,
        env=os.environ | {"BENCH_KEPT": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    costs = json.loads((tmp_path / f"{words[0]}-sqlite.json").read_text())["found"]["costs"]
    assert all(cost["ms"] > 0 for at_size in costs.values() for cost in at_size.values())
