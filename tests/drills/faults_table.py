"""The table of faults: everything broken at full size, each with the count of what was lost or
doubled (issue 10, “Must show”).

    python -m tests.drills.faults_table                                  all of them, some hours
    python -m tests.drills.faults_table kills --rounds 500 --games 200 --seed 1971
    python -m tests.drills.faults_table redis postgresql --rounds 30
    python -m tests.drills.faults_table --table        writes the table of docs/faults.md again from
      docs/faults/*.json, and runs nothing

Each fault keeps what it came to in docs/faults/NAME.json as soon as it is done, so that the rest
may be run another day; docs/faults.md is written after each. `--small` runs all in the size of
tests/drills/test_faults.py, `--smallest` one case of each. Ends with 1 where anything was lost or
doubled; else with 75 where a busy machine did not reach the end of a drill, and says what it waited
for.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

os.environ.setdefault("SECRET_KEY", "broken-0123456789-abcdefghijklmnopqrstuvwxyz-broken")

from tests.bench import figures
from tests.drills.breaking import clocks, disks, elsewhere, kills, mail_servers, servers
from tests.drills.breaking.databases import Databases
from tests.drills.breaking.trial import Drill, Row, Shared, rows_of
from tests.support.children import ChildEndedError
from tests.support.servers import Redis, redis

ROOT = Path(__file__).resolve().parents[2]
FOLDER, PAGE = ROOT / "docs" / "faults", ROOT / "docs" / "faults.md"


#: About the size of tests/drills/test_faults.py.
SMALL = Drill(Path(), rounds=4, games=3)
SMALLEST = Drill(Path(), rounds=1, games=3, smallest=True)


@dataclasses.dataclass
class Place:
    """Where faults happen: a folder, and servers that start on first use."""

    stack: ExitStack
    folder: Path

    @cached_property
    def databases(self) -> Databases:
        databases = Databases()
        self.stack.callback(databases.stop)
        return databases

    @cached_property
    def shared(self) -> Shared:
        shared = Shared()
        self.stack.push(shared.stack)
        return shared

    @cached_property
    def broker(self) -> Redis:
        return self.stack.enter_context(redis(self.folder))

    def drill(self, fault: Fault, size: Drill) -> Drill:
        """Return a drill of that size in a fresh folder, with servers if the fault needs them."""
        folder = Path(tempfile.mkdtemp(prefix="fault-", dir=self.folder))
        if not fault.servers:
            return dataclasses.replace(size, folder=folder)
        self.broker.ask("FLUSHALL")
        return dataclasses.replace(
            size,
            folder=folder,
            databases=self.databases,
            broker=self.broker,
            shared=self.shared if size.smallest else None,
        )


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault and its full size. Faults without rounds of their own ignore the number.

    At the smallest size, drills with the same `shares` run on the same servers, and in one league
    if it has the same settings, or in one run of tests; "" runs alone. They stand together in
    `FAULTS`.
    """

    run: Callable[[Drill], Row | list[Row]]
    rounds: int = 1
    games: int = 1
    shares: str = "league"
    servers: bool = True


def _elsewhere(fault: str, examples: int = 1) -> Fault:
    return Fault(lambda drill: elsewhere.run(drill, fault, examples), shares="tests", servers=False)


def _disks(drill: Drill) -> list[Row]:
    return [
        disks.full(dataclasses.replace(drill, folder=drill.folder / kind), kind)
        for kind in list(disks.KIND)[: 1 if drill.smallest else None]
    ]


def _moods(drill: Drill) -> Row | list[Row]:
    """Run a league for each mood; at small size one league for all moods, or for one."""
    if drill.games > SMALL.games:
        return mail_servers.moody(drill)
    return mail_servers.in_turn(drill, mail_servers.ALL[: 1 if drill.smallest else None])


FAULTS = {
    "kills": Fault(kills.killed, 500, 200),
    "kills-storms": Fault(kills.killed_in_storms, 120, 200),
    "redis": Fault(servers.redis_breaks, 30, 20),
    "postgresql": Fault(servers.postgresql_restarts, 30, 20),
    "mail": Fault(_moods, 1, 10),
    "deploy": Fault(servers.deployed, 10, 20),
    "often": Fault(servers.delivered_often, 20, 20),
    "clock": Fault(clocks.jumped, 2, 10, shares="outages"),
    "asleep": Fault(clocks.asleep, 10, 10, shares="outages"),
    "kills-sqlite": Fault(kills.killed, 60, 20, shares="sqlite", servers=False),
    "disk": Fault(_disks, 6, 10, shares="", servers=False),
    "market": _elsewhere("the market in all failing modes", 10),
    "clock-set-right": _elsewhere("the clock ahead and set right, an outage"),
    "clock-changes": _elsewhere(
        "both clock changes, deadlines in the missing and the doubled hour"
    ),
    "restored": _elsewhere("put back from a copy, letters already out"),
}


@contextmanager
def place() -> Iterator[Place]:
    with ExitStack() as stack:
        yield Place(
            stack,
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gamesmaster-faults-"))),
        )


def keep(name: str, rows: list[Row]) -> None:
    document = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": figures.machine() | {"load": [round(average, 1) for average in os.getloadavg()]},
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    text = json.dumps(document, indent=1, ensure_ascii=False, default=str)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.json").write_text(text + "\n")


def table(head: str) -> str:
    """Return docs/faults.md: this text, then the rows of all faults that have been run."""
    lines, tail = [], []
    for name in FAULTS:
        file = FOLDER / f"{name}.json"
        if not file.exists():
            tail.append(f"Not run yet: {name}.")
            continue
        document = json.loads(file.read_text())
        for row in document["rows"]:
            cells = [
                row[key] or ("–" if key in ("games", "phases", "orders", "letters") else 0)
                for key in COLUMNS
            ]
            lag = f"{row['lag']:.1f}" if row["lag"] else "–"
            lines.append(
                "| "
                + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells)
                + f" | {lag} | {row['remark']}{_unreached(row)} |"
            )
        where, load = document["machine"], document["machine"]["load"][0]
        seconds = sum(row["seconds"] for row in document["rows"])
        seeds = sorted({str(row["seed"]) for row in document["rows"] if row["seed"] is not None})
        seed = f", seed {', '.join(seeds)}" if seeds else ""
        tail.append(
            f"- {name}: {document['at']}, {seconds:,.0f} s{seed}; {where['cores']} cores"
            f" ({where['processor']}), load {load} at its end"
        )
    return head + "\n".join(lines) + "\n\n## When and where\n\n" + "\n".join(tail) + "\n"


def _unreached(row: dict[str, Any]) -> str:
    """Return what a row says of its drill if a busy machine did not reach its end."""
    waited = row.get("unreached", {}).get("waited for", [])
    return f" NOT REACHED: {waited[0].splitlines()[0]}" if waited else ""


RULE = "| --- " * 11 + "|\n"
COLUMNS = ("fault", "rounds", "games", "phases", "orders", "letters", "lost", "doubled", "known")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.drills.faults_table",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "faults", nargs="*", metavar="FAULT", help=f"of {', '.join(FAULTS)}; else all"
    )
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--games", type=int)
    parser.add_argument("--seed", type=int, default=SMALL.seed)
    parser.add_argument("--small", dest="size", action="store_const", const=SMALL)
    parser.add_argument("--smallest", dest="size", action="store_const", const=SMALLEST)
    parser.add_argument("--missing", action="store_true", help="those only that have no JSON yet")
    parser.add_argument("--dry", action="store_true", help="keeps nothing")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args(words)
    if unknown := [name for name in arguments.faults if name not in FAULTS]:
        parser.error(f"“{unknown[0]}” is none of the faults; there are {', '.join(FAULTS)}.")
    # Exit through `finally` blocks, so that started processes end too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    wrong = unreached = 0
    if not arguments.table:
        chosen = [
            name
            for name in arguments.faults or FAULTS
            if not (arguments.missing and (FOLDER / f"{name}.json").exists())
        ]
        with place() as where:
            for name in chosen:
                size = _size(FAULTS[name], arguments)
                rows = run(name, where, size)
                if not arguments.dry:
                    keep(name, rows)
                wrong += sum(row.lost + row.doubled for row in rows)
                unreached += sum(bool(row.unreached) for row in rows)
    if not arguments.dry:
        head, rule, _ = PAGE.read_text().partition(RULE)
        PAGE.write_text(table(head + rule))
    return 1 if wrong else os.EX_TEMPFAIL if unreached else 0


def _size(fault: Fault, wanted: argparse.Namespace) -> Drill:
    full = wanted.size or fault
    return dataclasses.replace(
        wanted.size or SMALL,
        rounds=wanted.rounds or full.rounds,
        games=wanted.games or full.games,
        seed=wanted.seed,
    )


def run(name: str, where: Place, size: Drill) -> list[Row]:
    """Run one fault, print and return its rows."""
    fault = FAULTS[name]
    print(f"{name}: {size.rounds} rounds, {size.games} games, seed {size.seed}", flush=True)
    began = time.monotonic()
    rows = rows_of(name, lambda: fault.run(where.drill(fault, size)))
    for row in rows:
        print(
            f"  {row.fault}: lost {row.lost}, doubled {row.doubled}, known {row.known};"
            f" {row.remark}",
            flush=True,
        )
        if row.wrong:
            print(f"    {row.wrong}", flush=True)
        if row.unreached:
            print(f"    NOT REACHED: {row.unreached}", flush=True)
    print(f"  {time.monotonic() - began:.0f} s", flush=True)
    return rows


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ChildEndedError as error:
        sys.exit(str(error))
