"""The table of faults: everything broken at full size, each with the count of what was lost or
doubled (issue 10, “Must show”).

    python -m tests.drills.faults_table                                  all of them, some hours
    python -m tests.drills.faults_table kills --rounds 500 --games 200 --seed 1971
    python -m tests.drills.faults_table redis postgresql --rounds 30
    python -m tests.drills.faults_table --table                          writes docs/faults.md anew
      from
      docs/faults/*.json, and runs nothing
    python -m tests.drills.faults_table --list

Each fault keeps what it came to in docs/faults/NAME.json as soon as it is done, so that the rest
may be run another day; docs/faults.md is written after each. `--small` runs all in the size of
tests/drills/test_faults.py. Ends with 1 where anything was lost or doubled.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("SECRET_KEY", "broken-0123456789-abcdefghijklmnopqrstuvwxyz-broken")

from tests.drills.breaking import clocks, disks, elsewhere, kills, mail_servers, servers
from tests.drills.breaking.league import Databases
from tests.drills.breaking.report import Row
from tests.support.servers import Redis, redis

ROOT = Path(__file__).resolve().parents[2]
FOLDER, PAGE = ROOT / "docs" / "faults", ROOT / "docs" / "faults.md"


@dataclasses.dataclass(frozen=True)
class Size:
    rounds: int
    games: int
    seed: int


#: The size of tests/drills/test_faults.py, more or less.
SMALL = Size(rounds=4, games=3, seed=1971)


@dataclasses.dataclass
class Place:
    """Where a fault happens: a folder of its own, and servers that are started when the first fault
    asks for them."""

    stack: ExitStack
    folder: Path
    _databases: Databases | None = None
    _broker: Redis | None = None

    @property
    def databases(self) -> Databases:
        if self._databases is None:
            self._databases = Databases()
            self.stack.callback(self._databases.stop)
        return self._databases

    @property
    def broker(self) -> Redis:
        if self._broker is None:
            self._broker = self.stack.enter_context(redis(self.folder))
        else:
            self._broker.ask("FLUSHALL")
        return self._broker

    def fresh(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="fault-", dir=self.folder))


Run = Callable[[Place, Size], "Row | list[Row]"]


def _elsewhere(fault: str, examples: int = 1) -> Run:
    return lambda place, size: elsewhere.run(place.fresh(), fault, examples=examples)


def _disks(place: Place, size: Size) -> list[Row]:
    return [
        disks.full(place.fresh(), kind, rounds=size.rounds, games=size.games, seed=size.seed)
        for kind in disks.KIND
    ]


def _moods(place: Place, size: Size) -> list[Row]:
    """A league for each mood; in small one for all of them."""
    if size.games > SMALL.games:
        return mail_servers.moody(
            place.fresh(), place.databases, place.broker, games=size.games, seed=size.seed
        )
    moods = (*mail_servers.MOODS, mail_servers.SHUT, mail_servers.TLS, mail_servers.BOUNCES)
    return [
        mail_servers.in_turn(
            place.fresh(), place.databases, place.broker, moods, games=size.games, seed=size.seed
        )
    ]


#: Each fault with its full size: rounds, games. Of those without rounds of their own the number
# says nothing.
FAULTS: dict[str, tuple[Run, int, int]] = {
    "kills": (
        lambda place, size: kills.killed(
            place.fresh(),
            place.databases,
            place.broker,
            rounds=size.rounds,
            games=size.games,
            seed=size.seed,
        ),
        500,
        200,
    ),
    "kills-sqlite": (
        lambda place, size: kills.killed(
            place.fresh(), None, None, rounds=size.rounds, games=size.games, seed=size.seed
        ),
        60,
        20,
    ),
    "redis": (
        lambda place, size: servers.redis_breaks(
            place.fresh(),
            place.databases,
            place.broker,
            rounds=size.rounds,
            games=size.games,
            seed=size.seed,
        ),
        30,
        20,
    ),
    "postgresql": (
        lambda place, size: servers.postgresql_restarts(
            place.fresh(),
            place.databases,
            place.broker,
            rounds=size.rounds,
            games=size.games,
            seed=size.seed,
        ),
        30,
        20,
    ),
    "disk": (_disks, 6, 10),
    "mail": (_moods, 1, 10),
    "market": (_elsewhere("the market in all failing modes", 10), 1, 1),
    "clock": (
        lambda place, size: clocks.jumped(
            place.fresh(), place.databases, place.broker, games=size.games, seed=size.seed
        ),
        2,
        10,
    ),
    "clock-set-right": (_elsewhere("the clock ahead and set right, an outage"), 1, 1),
    "clock-changes": (
        _elsewhere("both clock changes, deadlines in the missing and the doubled hour"),
        1,
        1,
    ),
    "asleep": (
        lambda place, size: clocks.asleep(
            place.fresh(),
            place.databases,
            place.broker,
            rounds=size.rounds,
            games=size.games,
            seed=size.seed,
        ),
        10,
        10,
    ),
    "often": (
        lambda place, size: servers.delivered_often(
            place.fresh(),
            place.databases,
            place.broker,
            rounds=size.rounds,
            games=size.games,
            seed=size.seed,
        ),
        20,
        20,
    ),
    "deploy": (_elsewhere("a deploy in the midst of a deadline"), 1, 1),
    "restored": (_elsewhere("put back from a copy, letters already out"), 1, 1),
}


@contextmanager
def place() -> Iterator[Place]:
    with ExitStack() as stack:
        yield Place(
            stack,
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gamesmaster-faults-"))),
        )


def machine() -> dict[str, Any]:
    """What the figures were made on."""
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        "",
    )
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
    }


def keep(name: str, rows: list[Row]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    told = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine() | {"load": [round(one, 1) for one in os.getloadavg()]},
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    (FOLDER / f"{name}.json").write_text(
        json.dumps(told, indent=1, ensure_ascii=False, default=str) + "\n"
    )


HEAD = """# Faults

What was broken on purpose while games were played by real processes, and what was lost or doubled by it. Made by `make faults`
(`python -m tests.drills.faults_table`); the counts in full are in `docs/faults/*.json`, the code is tests/drills/breaking, and each fault in small is
part of `make test` (tests/drills/test_faults.py). What an operator sees of each, and does: docs/operations.md, “When something breaks”.

**Lost** counts accepted orders that are not in the record or were not judged, phases due and not judged, digits, letters that never came
or were given up with nobody told, and records that `verify` does not reproduce. **Doubled** counts phases judged twice, digits drawn
twice, orders entered twice, and letters that came twice: with two contents, as two letters, or for no reason. **Known** are second copies
of a letter that no sender by SMTP can rule out (RFC 5321, 6.1): the same content under the same Message-ID, after the mail server's answer
was lost, or after a process was killed between that answer and its own note of it, with nothing written in between. **Lag** is the longest
from a deadline to its lock, in seconds of the machine; a worker that was killed holds a phase for a lease, four seconds in these
rehearsals and two minutes in earnest.

| fault | rounds | games | phases | orders | letters | lost | doubled | known | lag, s | remark |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""  # noqa: E501


def table() -> str:
    """docs/faults.md, of whatever has been run."""
    lines, tail = [], []
    for name in FAULTS:
        file = FOLDER / f"{name}.json"
        if not file.exists():
            tail.append(f"Not run yet: {name}.")
            continue
        told = json.loads(file.read_text())
        for one in told["rows"]:
            cells = [
                one[key] or ("–" if key in ("games", "phases", "orders", "letters") else 0)
                for key in COLUMNS
            ]
            lag = f"{one['lag']:.1f}" if one["lag"] else "–"
            lines.append(
                "| "
                + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells)
                + f" | {lag} | {one['remark']} |"
            )
        where, load = told["machine"], told["machine"]["load"][0]
        taken = sum(one["seconds"] for one in told["rows"])
        seeds = sorted({str(one["seed"]) for one in told["rows"] if one["seed"] is not None})
        seed = f", seed {', '.join(seeds)}" if seeds else ""
        tail.append(
            f"- {name}: {told['at']}, {taken:,.0f} s{seed}; {where['cores']} cores"
            f" ({where['processor']}), load {load} at its end"
        )
    return HEAD + "\n".join(lines) + "\n\n## When and where\n\n" + "\n".join(tail) + "\n"


COLUMNS = ("fault", "rounds", "games", "phases", "orders", "letters", "lost", "doubled", "known")


def main(words: list[str]) -> int:
    told = argparse.ArgumentParser(
        prog="python -m tests.drills.faults_table",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    told.add_argument("faults", nargs="*", metavar="FAULT", help="which; else all")
    told.add_argument("--rounds", type=int)
    told.add_argument("--games", type=int)
    told.add_argument("--seed", type=int, default=SMALL.seed)
    told.add_argument("--small", action="store_true")
    told.add_argument("--missing", action="store_true", help="those only that have no JSON yet")
    told.add_argument("--dry", action="store_true", help="keeps nothing")
    told.add_argument("--table", action="store_true")
    told.add_argument("--list", action="store_true")
    wanted = told.parse_args(words)
    if unknown := [name for name in wanted.faults if name not in FAULTS]:
        told.error(f"“{unknown[0]}” is none of the faults; there are {', '.join(FAULTS)}.")
    if wanted.list:
        print(
            "\n".join(
                f"{name}: {rounds} rounds, {games} games"
                for name, (_, rounds, games) in FAULTS.items()
            )
        )
        return 0
    signal.signal(
        signal.SIGTERM, lambda number, frame: sys.exit(128 + number)
    )  # so that whatever was started is ended too
    wrong = 0
    if not wanted.table:
        chosen = [
            name
            for name in wanted.faults or FAULTS
            if not (wanted.missing and (FOLDER / f"{name}.json").exists())
        ]
        with place() as where:
            for name in chosen:
                wrong += _run(name, where, wanted)
    if not wanted.dry:
        PAGE.write_text(table())
    return 1 if wrong else 0


def _run(name: str, where: Place, wanted: argparse.Namespace) -> int:
    """One fault; what it came to is printed and kept. How much was lost or doubled."""
    run, rounds, games = FAULTS[name]
    full = (SMALL.rounds, SMALL.games) if wanted.small else (rounds, games)
    size = Size(wanted.rounds or full[0], wanted.games or full[1], wanted.seed)
    print(f"{name}: {size.rounds} rounds, {size.games} games, seed {size.seed}", flush=True)
    began = time.monotonic()
    found = run(where, size)
    rows = found if isinstance(found, list) else [found]
    for row in rows:
        print(
            f"  {row.fault}: lost {row.lost}, doubled {row.doubled}, known {row.known};"
            f" {row.remark}",
            flush=True,
        )
        if row.wrong:
            print(f"    {row.wrong}", flush=True)
    print(f"  {time.monotonic() - began:.0f} s", flush=True)
    if not wanted.dry:
        keep(name, rows)
    return sum(row.lost + row.doubled for row in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
