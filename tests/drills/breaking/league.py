"""A league to break: database, broker, processes of deploy/Procfile, games, and a clock.

The clock jumps only while no process holds a lease. A clock that ran many times as fast would take
leases away from busy workers, as no real clock does.
"""

from __future__ import annotations

import bisect
import contextlib
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil

from tests.drills.breaking import records, tables
from tests.drills.breaking.databases import Databases
from tests.drills.breaking.opened import open_games
from tests.drills.breaking.players import Game
from tests.drills.breaking.post import Copy, Sink
from tests.support.processes import (
    UNLIMITED,
    Service,
    TookTooLongError,
    eventually,
    free_port,
    make_tables,
    production,
)
from tests.support.servers import Redis

HOUR = 3600
#: How long nothing must be due when counting begins, because it reads many tables in turn.
COUNTING = timedelta(minutes=1)
#: Seconds without any progress after which waiting is given up. A busy machine makes progress.
STANDSTILL = 180.0
#: How often in succession a process may end by itself within `SOON` seconds of its start, as by
#: systemd's StartLimitBurst.
STARTS, SOON = 3, 10.0
#: A condition on phases whose reminders are due.
REMINDING = "status = 'open' AND remind_at <= ? AND deadline > ?"
WEB, LMTP, WORKERS, BEAT = "web", "lmtp", ("worker-0", "worker-1"), "beat"


class Clock:
    """The service's clock: seconds ahead of the machine's (`ahead`), and its past jumps."""

    def __init__(self, running: Service) -> None:
        self.running, self.ahead = running, 0.0
        # The service's time after each jump, in seconds, and CLOCK_MONOTONIC.
        self.jumps: list[tuple[float, float]] = []
        self.jump(0.0)

    def jump(self, seconds: float) -> None:
        self.ahead += seconds
        self.running.set_clock(self.ahead)
        self.jumps.append((time.time() + self.ahead, time.monotonic()))

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(time.time() + self.ahead, UTC)

    def machine(self, instant: datetime) -> float:
        """Return when the service's clock reached an instant, by CLOCK_MONOTONIC.

        Assume that the clock was never set back.
        """
        at = instant.timestamp()
        after = bisect.bisect_right(self.jumps, (at, float("inf")))
        passed = self.jumps[after - 1] if after else self.jumps[0]
        running_on = passed[1] + max(0.0, at - passed[0])
        return min(running_on, self.jumps[after][1]) if after < len(self.jumps) else running_on


class League(Service):
    """The service as processes that may be killed, with notes of what each did."""

    shown = True

    def __init__(
        self,
        folder: Path,
        sink: Sink,
        *,
        several: bool = True,
        notes: Path | None = None,
        log: Path | None = None,
        **environment: str,
    ) -> None:
        self.notes = notes or folder / "notes"
        self.notes.mkdir()
        self.web_port, self.lmtp_port, self.sink = free_port(), free_port(), sink
        #: Whether there are two workers and two web processes, or one of each.
        self.several = several
        variables = {
            "DJANGO_SETTINGS_MODULE": "tests.drills.breaking.settings",
            "BREAKING": str(self.notes),
            "EMAIL_URL": sink.address,
            "MAIL_PICTURES": "0",
            "MAIL_DOMAIN": "games.example.org",
            "LMTP_LISTEN": f"127.0.0.1:{self.lmtp_port}",
            "LEASE_SECONDS": "4",
            "TICK_SECONDS": "0.5",
            "LOG_LEVEL": "WARNING",
            **UNLIMITED,
            **environment,
        }
        super().__init__(folder, **variables)
        if log is not None:
            self.log.close()
            self.log = log.open("ab")
        self.games: list[Game] = []
        #: Processes that were killed from outside, with the instant (CLOCK_MONOTONIC); then spans
        # in which the database accepted no writes.
        self.killed: dict[int, float] = {}
        self.was_ready = False
        #: When each process was started, and how often in succession it has ended soon.
        self.started: dict[str, float] = {}
        self.failed: Counter[str] = Counter()
        self.away: list[tuple[float, float]] = []
        # Spans of clock jumps past the end of all leases, which no process could have renewed.
        self.leapt: list[tuple[float, float]] = []
        self.reminded: dict[int, datetime] = {}
        self.time = Clock(self)

    @property
    def broker(self) -> str:
        return self.environment.get("BROKER_URL", "")

    @property
    def now(self) -> datetime:
        """The service's time."""
        return self.time.now

    @property
    def copies(self) -> list[Copy]:
        return list(self.sink.copies)

    def refuted(self) -> list[str]:
        """Return a sentence for each game whose record the checker refutes."""
        sentences: list[str] = self.call(records.refuted, [game.number for game in self.games])
        return sentences

    # --- processes ---

    @property
    def workers(self) -> tuple[str, ...]:
        return WORKERS if self.several else WORKERS[:1]

    @property
    def usual(self) -> tuple[str, ...]:
        """The names of the processes that a league runs."""
        return (WEB, LMTP, *self.workers, *([BEAT] if self.broker else []))

    def command(self, name: str) -> list[str]:
        kind = name.partition("-")[0]
        words = production(kind, {"127.0.0.1:8000": f"127.0.0.1:{self.web_port}"})
        if kind == "web":
            several = self.several and not self.on_sqlite
            words[words.index("--workers") + 1] = "2" if several else "1"
        if kind == "worker":
            words += ["--hostname", f"{name}@test"]
            if not self.broker:
                words[words.index("prefork")] = "threads"
        return [*words, "--loglevel", "ERROR"] if kind in ("worker", "beat") else words

    def begin(self, *names: str) -> None:
        for name in names:
            self.environment["ROLE"] = name.partition("-")[0]
            self.start(name, self.command(name))
            self.started[name] = time.monotonic()
        self.environment.pop("ROLE", None)  # else functions were called in a new process

    def exchange(self, *names: str, **environment: str) -> None:
        """End processes as a deploy does, and start them again with these settings."""
        self.end(*names)
        self.environment |= environment
        self.begin(*names)

    def must_run(self) -> None:
        """Raise `ChildEndedError` if a process ends before all were ready for the first time.

        Later processes may die, and `tend` starts them again.
        """
        if not self.was_ready:
            super().must_run()

    def ready(self) -> None:
        """Wait until the web and mail ports accept connections."""
        import socket

        def listening(port: int) -> bool:
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", port), timeout=2),
            ):
                return True
            return False

        eventually(
            "a visitor at the door",
            lambda: listening(self.web_port) and listening(self.lmtp_port),
            self,
            STANDSTILL,
        )
        self.was_ready = True

    def kill(self, name: str) -> None:
        for pid in members(self.running[name].pid):
            self.killed[pid] = time.monotonic()
        super().kill(name)

    def halt(self) -> None:
        """Kill all processes, so that nothing more is written."""
        for name in list(self.running):
            self.kill(name)

    def tend(self) -> list[str]:
        """Restart processes that have died, as systemd does. Return their names.

        Raise `ChildEndedError` for one that ends by itself soon after each start.
        """
        dead = [name for name, process in self.running.items() if process.poll() is not None]
        for name in dead:
            process = self.running.pop(name)
            process.signal_group(signal.SIGKILL)  # the rest of its process group
            soon = time.monotonic() - self.started[name] < SOON
            self.failed[name] = self.failed[name] + 1 if process.returncode > 0 and soon else 0
            if self.failed[name] >= STARTS:
                raise process.ended()
            self.begin(name)
        return dead

    def ask_to_die(self, role: str, point: str) -> Path:
        """Let the next process of a role die at a point; the returned file exists until then."""
        request = self.notes / f"{role}.{point}"
        request.touch()
        return request

    # --- the end ---

    def calm(self) -> None:
        """Wait until nothing is due and no lease is held, not even by killed processes.

        Raise `TookTooLongError` after `STANDSTILL` seconds without progress.
        """
        seen: list[Any] = []
        since = time.monotonic()
        while True:
            self.tend()
            left = self.due(self.stored(self.time.now))
            if not any(number for number, _ in left):
                self._note_reminders()
                return
            if left != seen:
                seen, since = left, time.monotonic()
            elif time.monotonic() - since > STANDSTILL:
                raise TookTooLongError(
                    f"{STANDSTILL:.0f} s without progress\n{self.tail()}\n{self.left()}"
                )
            time.sleep(0.05)

    def due(self, now: Any) -> list[tuple[Any, ...]]:
        """Return how much is due in each table, and how often that was tried."""
        due = "due_at IS NOT NULL AND (due_at <= ? OR claim != '')"
        left = [
            self.rows(f"SELECT count(*), sum(attempts) FROM {table} WHERE {due}", now)[0]
            for table in ("games_phase", "games_letter", "orders_handling")
        ]
        return [*left, (self.count(f"games_phase WHERE {REMINDING}", now, now), 0)]

    def _note_reminders(self) -> None:
        """Note the phases of which the service has sent the reminders: for those that are open,
        it says when the next are due, if any.
        """
        now = self.time.now
        for (phase,) in self.rows(
            "SELECT id FROM games_phase WHERE status = 'open' AND deadline > ?"
            " AND (remind_at IS NULL OR remind_at > deadline)",
            self.stored(now),
        ):
            self.reminded[phase] = now

    def jump_on(self, share: float = 1.0) -> None:
        """Jump the clock to the instant at which this share of the games is due."""
        stored = (
            self.instant(at)
            for (at,) in self.rows("SELECT due_at FROM games_phase WHERE due_at IS NOT NULL")
        )
        due = sorted(at for at in stored if at is not None)
        if due:
            at = due[min(len(due) - 1, int(len(due) * share))]
            self.time.jump(max(0.0, (at - self.time.now).total_seconds() + 0.1))

    def finish(self) -> None:
        """Wait until every letter is sent or has failed and no deadline has been missed."""
        for _ in range(20):
            self.calm()
            waiting = self.rows("SELECT max(due_at) FROM games_letter WHERE due_at IS NOT NULL")
            waiting += self.rows(
                "SELECT max(due_at) FROM orders_handling WHERE due_at IS NOT NULL AND status ="
                " 'waiting'"
            )
            # Phases to be retried after a failure, and those that would be due during the count.
            waiting += self.rows(
                "SELECT max(due_at) FROM games_phase WHERE due_at <= ? OR"
                " (status IN ('open', 'locked') AND deadline <= ? AND due_at IS NOT NULL)",
                self.stored(self.time.now + COUNTING),
                self.stored(self.time.now),
            )
            later = max(
                (at for (stored,) in waiting if (at := self.instant(stored)) is not None),
                default=None,
            )
            if later is None:
                return
            self.time.jump((later - self.time.now).total_seconds() + 1)
        raise TookTooLongError(f"something is put off again and again\n{self.left()}")

    def left(self) -> str:
        """Return what is still due, for the message of a failed wait."""
        lines = []
        for table in ("games_phase", "games_letter", "orders_handling"):
            columns = "status, attempts, claim, claimed_until, due_at, fault"
            lines.append(
                f"{table} at {self.time.now}:"
                f" {self.rows(f'SELECT {columns} FROM {table} WHERE due_at IS NOT NULL')[:6]}"
            )
        return "\n".join(lines)

    def instant(self, stored: Any) -> datetime | None:
        return None if stored is None else tables.instant(stored)

    def longest_lag(self) -> float:
        """Return the longest time from a deadline to the lock, in seconds of the machine."""
        rows = self.rows("SELECT deadline, locked_at FROM games_phase WHERE locked_at IS NOT NULL")
        return max((self._lag(*row) for row in rows), default=0.0)

    def _lag(self, deadline: Any, locked: Any) -> float:
        due, done = self.instant(deadline), self.instant(locked)
        assert due is not None
        assert done is not None
        return (
            self.time.machine(done) - self.time.machine(due)
            if done > due + timedelta(seconds=1)
            else 0.0
        )


def members(group: int) -> list[int]:
    """Return the ids of the processes of a group."""
    pids = []
    for pid in psutil.pids():
        with contextlib.suppress(OSError):
            if os.getpgid(pid) == group:
                pids.append(pid)
    return pids


@contextlib.contextmanager
def league(
    folder: Path,
    databases: Databases | None,
    broker: Redis | None,
    *,
    sink: Sink | None = None,
    games: int = 2,
    spread: int = 0,
    **given: Any,
) -> Iterator[League]:
    """Yield a league with games and no started processes; SQLite and files without servers."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        sink = sink or stack.enter_context(Sink())
        places = {"DATABASE_URL": databases.fresh(folder)} if databases else {}
        places |= {"BROKER_URL": broker.url} if broker else {}
        running = League(folder, sink, **{**places, **given})
        stack.callback(running.stop)
        if databases is None:
            make_tables(running)
        running.games = open_games(running, games, minutes=60, spread=spread)
        yield running
