"""What each process takes to start and to stand, beside a Python that loads Django alone.

python -m tests.bench starting"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from typing import Any

from tests.gamesmaster.test_startup import STARTED
from tests.support.children import run
from tests.support.processes import collected_static_files

from . import figures

BARE = "Python that loads Django"
#: Each prints when it has started: seconds of processor time, megabytes and loaded modules.
TELL = """
import json, resource, sys
used = resource.getrusage(resource.RUSAGE_SELF)
status = open("/proc/self/status")
memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
print(json.dumps([used.ru_utime + used.ru_stime, memory, len(sys.modules)]))
"""
RUNS = 7


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench starting")
    parser.add_argument("--runs", type=int, default=RUNS)
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="gamesmaster-bench-") as folder:
        environment = {
            "PATH": os.environ["PATH"],
            **figures.ENVIRONMENT,
            "GAMESMASTER_ENV": os.devnull,
            "GAMESMASTER_VAR": folder,
            "STATIC_ROOT": collected_static_files(),
            "EMAIL_URL": "smtp://127.0.0.1:1",
            "LMTP_LISTEN": "127.0.0.1:8024",
            "IMAP_URL": "imaps://a:b@example.org/INBOX",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        codes = {BARE: "import django.core.handlers.wsgi, django.db, django.template", **STARTED}
        taken: dict[str, list[list[float]]] = {name: [] for name in codes}
        # In turns; the first run of each reads files that are not cached yet, and does not count.
        for _ in range(arguments.runs + 1):
            for name, code in codes.items():
                output = run(name, [sys.executable, "-c", code + TELL], env=environment)
                taken[name].append(json.loads(output.splitlines()[-1]))
    results: dict[str, Any] = {}
    for name, runs in taken.items():
        seconds, memory, modules = (
            statistics.median(column) for column in zip(*(runs[1:] or runs), strict=True)
        )
        results[name] = {
            "seconds": round(seconds, 3),
            "megabytes": round(memory, 1),
            "modules": int(modules),
        }
        results[name]["times Django alone"] = round(seconds / results[BARE]["seconds"], 2)
        figures.say(name, list(results[name].items()))
    figures.keep("starting", results)
