"""Run benchmarks (`make bench`); each compares costs with something measured in the same run."""

from __future__ import annotations

import os
import subprocess
import sys

from . import acknowledge, alone, drawings, figures, growth, memory, starting, storm, written

#: Each benchmark runs in its own process and, where it needs one, with its own database.
BENCHMARKS = {
    "alone": alone.main,
    "drawings": drawings.main,
    "starting": starting.main,
    "acknowledge": acknowledge.main,
    "growth": growth.main,
    "storm": storm.main,
    "memory": memory.main,
    "write": written.main,
}
#: What `make bench` runs, at sizes that take some minutes; docs/performance.md lists the commands
#: for full size.
USUAL = (
    "alone",
    "drawings",
    "starting",
    "acknowledge --games 5 50 500",
    "acknowledge --database postgresql --games 5 50 500",
    "growth --phases 1000 5000",
    "growth --database postgresql --phases 1000 5000",
    "storm --games 500",
)


def main(words: list[str]) -> None:
    if not words:
        for command in USUAL:
            print(f"\n{command}", flush=True)
            subprocess.run(
                [*figures.COMMAND, *command.split()],
                check=True,
                env=os.environ | {"BENCH_KEPT": "var/bench"},
            )
    elif words[0] in BENCHMARKS:
        BENCHMARKS[words[0]](words[1:])
    else:
        sys.exit(f"“{words[0]}” is no benchmark; there are {', '.join(BENCHMARKS)}.")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
    main(sys.argv[1:])
