"""Run benchmarks (`make bench`); each compares costs with something measured in the same run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tests.support.children import ChildEndedError

from . import (
    acknowledge,
    alone,
    drawings,
    figures,
    growth,
    memory,
    rest,
    starting,
    storm,
    views,
    written,
)


@dataclass(frozen=True)
class Benchmark:
    """A benchmark, and the options with which it only shows that it runs to its end."""

    main: Callable[[list[str]], None]
    smallest: str = ""


#: Each benchmark runs in its own process and, where it needs one, with its own database. What takes
#: longest at its smallest comes first, as tests start them in this order.
BENCHMARKS = {
    "storm": Benchmark(storm.main, "--games 10 --played 2 --only with --bare-seconds 1 --keep"),
    "growth": Benchmark(growth.main, "--past 20 60 --played 1 --times 1 --phases 3 --letters 12"),
    "views": Benchmark(views.main, "--pause 0 --phases 3 --only rules game"),
    "memory": Benchmark(memory.main, "--minutes 0.05 --games 2"),
    "starting": Benchmark(starting.main, "--runs 0 --only migrations-postgresql"),
    "acknowledge": Benchmark(
        acknowledge.main, "--games 3 --played 1 --times 1 --phases 3 --letters 12"
    ),
    "rest": Benchmark(rest.main, "--games 2 5 --played 1 --times 1"),
    "alone": Benchmark(alone.main, "--games 1 --runs 1"),
    "drawings": Benchmark(drawings.main),
    "write": Benchmark(written.main, "--dry"),
}
#: What `make bench` runs, at sizes that take some minutes; docs/performance.md lists the commands
#: for full size.
USUAL = (
    "alone",
    "drawings",
    "starting",
    "views",
    "acknowledge --games 25 500",
    "acknowledge --database postgresql --games 25 500",
    "growth --past 1000 5000",
    "growth --database postgresql --past 1000 5000",
    "rest --games 200 2000",
    "rest --database postgresql --games 200 2000",
    "storm --games 500",
)


def main(words: list[str]) -> None:
    if not words:
        for command in USUAL:
            print(f"\n{command}", flush=True)
            done = subprocess.run(
                [*figures.COMMAND, *command.split()],
                check=False,
                env=os.environ | {"BENCH_KEPT": "var/bench"},
            )
            if done.returncode:
                sys.exit(f"“{command}” has ended with {done.returncode}.")
    elif words[0] in BENCHMARKS:
        try:
            BENCHMARKS[words[0]].main(words[1:])
        except ChildEndedError as error:
            sys.exit(str(error))
    else:
        sys.exit(f"“{words[0]}” is no benchmark; there are {', '.join(BENCHMARKS)}.")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
    main(sys.argv[1:])
