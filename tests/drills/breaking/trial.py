"""Try one fault: where it happens, the league meanwhile, and its row of the table."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.drills.breaking import counting
from tests.drills.breaking.databases import Databases
from tests.drills.breaking.league import League, league
from tests.drills.breaking.opened import open_games
from tests.drills.breaking.players import Players, Sent
from tests.support.processes import TookTooLongError
from tests.support.servers import Redis

#: Errors of waits on a busy machine.
TOO_LONG = (TookTooLongError, subprocess.TimeoutExpired)
#: Seconds between orders in the smallest drill.
SELDOM = 0.5


@dataclass
class Shared:
    """A running league that the next drill goes on with if it needs the same settings: with its
    games too, so the count is of all drills so far.

    The smallest drills mostly wait for processes to start.
    """

    stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    running: League | None = None
    sent: Sent = field(default_factory=Sent)
    given: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Drill:
    """Where a fault happens, in how many rounds and games. Without servers: a club's machine."""

    folder: Path
    databases: Databases | None = None
    broker: Redis | None = None
    rounds: int = 1
    games: int = 2
    seed: int = 1971
    #: One case of each kind, to see that everything starts and is counted.
    smallest: bool = False
    shared: Shared | None = None


@dataclass
class Row:
    """A row of the table: one fault, and what it lost or doubled, with details in `wrong`."""

    fault: str
    rounds: int
    games: int = 0
    phases: int = 0
    orders: int = 0
    letters: int = 0
    lost: int = 0
    doubled: int = 0
    known: int = 0
    lag: float = 0.0
    seconds: float = 0.0
    seed: int | None = None
    remark: str = ""
    wrong: dict[str, Any] = field(default_factory=dict)  # what was lost or doubled, by name
    #: What a busy machine did not reach, and how much was left to do: no fault. The counts are of
    #: what came before.
    unreached: dict[str, Any] = field(default_factory=dict)
    measured: dict[str, Any] = field(default_factory=dict)

    def lose(self, what: str, how: object) -> None:
        """Count one more loss."""
        self.lost += 1
        self.wrong[what] = how


def rows_of(fault: str, run: Callable[[], Row | list[Row]]) -> list[Row]:
    """Return the rows of a fault. If its preparations took too long, they are one row that says
    what was not reached."""
    try:
        result = run()
    except TOO_LONG as error:
        return [Row(fault, 0, unreached={"waited for": [str(error)]})]
    return result if isinstance(result, list) else [result]


@dataclass
class Trial:
    """A running league and people who order; they start in the context `players`."""

    drill: Drill
    running: League
    players: Players
    began: float
    #: What took too long; the drill ends with the first of it, and counts.
    overdue: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def playing(self) -> Iterator[None]:
        """Let people order within the context, until its end or until something takes too long."""
        with self._in_time(), self.players:
            yield

    @contextlib.contextmanager
    def _in_time(self) -> Iterator[None]:
        try:
            yield
        except TOO_LONG as error:
            self.overdue.append(str(error))

    def calm(self) -> None:
        """Pause the players and wait until nothing is due."""
        with self.players.at_rest():
            self.running.calm()

    def rounds(self) -> Iterator[int]:
        """Yield the number of each round, after waiting until nothing is due."""
        for number in range(1, self.drill.rounds + 1):
            self.calm()
            yield number
            self.progress(number)

    def progress(self, number: int) -> None:
        resolved = self.running.count("games_phase WHERE status = 'resolved'")
        unsent = self.running.count("games_letter WHERE due_at IS NOT NULL")
        print(
            f"  round {number} of {self.drill.rounds}: {resolved} phases judged,"
            f" {unsent} letters to send",
            file=sys.stderr,
            flush=True,
        )

    def finish(self) -> None:
        """Restart what has died, and play on until nothing is due.

        After a wait that took too long nothing more is waited for: stop all processes, so that
        nothing is written during the count.
        """
        if not self.overdue:
            with self._in_time():
                self.running.tend()
                self.running.ready()
                self.running.finish()
        if self.overdue:
            self.running.halt()

    def row(
        self, fault: str, remark: str = "", *, rounds: int | None = None, lag: float | None = 0.0
    ) -> Row:
        """Play on until nothing is due, and count. If `lag` is None, measure it."""
        running, sent = self.running, self.players.sent
        self.finish()
        found = counting.count(running, sent)
        faults = found.faults
        row = Row(
            fault,
            self.drill.rounds if rounds is None else rounds,
            **found.sizes,
            lost=sum(faults.lost.values()),
            doubled=sum(faults.doubled.values()),
            known=found.known,
            lag=round(running.longest_lag() if lag is None else lag, 2),
            seconds=round(time.monotonic() - self.began, 1),
            seed=self.drill.seed,
            remark=remark,
            wrong=found.told(ended=not self.overdue),
            measured={
                "tries without an answer": sent.unanswered,
                "tries refused with a sentence": len(sent.refused),
                "longest wait for an acknowledgement": round(sent.waited, 2),
                "what was counted": {**faults.lost, **faults.doubled, **faults.undone},
            },
        )
        if self.overdue:
            left = {name: times for name, times in faults.undone.items() if times}
            row.unreached = {"waited for": self.overdue, **left}
        else:
            row.lost += sum(faults.undone.values())
        if sent.spoiled:
            row.lost += len(sent.spoiled)
            lines = Path(running.log.name).read_text(errors="replace").splitlines()
            row.wrong["answers without a sentence"] = sent.spoiled[:3]
            row.wrong["log"] = [line for line in lines if "Error" in line][-12:]
        return row


@contextlib.contextmanager
def trial(drill: Drill, *, pause: float = 0.05, spread: int = 0, **given: Any) -> Iterator[Trial]:
    """Yield a trial whose processes have started.

    `pause` is the time between orders, in seconds. `given` is passed on to `league`.
    """
    with contextlib.ExitStack() as stack:
        shared = drill.shared
        if shared is not None and shared.running is not None and shared.given == given:
            running, sent = shared.running, shared.sent
            if running.count("games_game WHERE status = 'running'") < len(running.games):
                running.games = open_games(running, drill.games, minutes=60, spread=spread)
        else:
            sent = Sent()
            if shared is not None:
                shared.stack.close()
                stack = shared.stack
            wanted = {"games": drill.games, "spread": spread, **given}
            wanted["several"] = not drill.smallest
            running = stack.enter_context(
                league(drill.folder, drill.databases, drill.broker, **wanted)
            )
        # All of a new league, and those that the drill before has ended or killed.
        running.tend()
        running.begin(*(name for name in running.usual if name not in running.running))
        began = time.monotonic()
        running.ready()
        if shared is not None:
            shared.running, shared.sent, shared.given = running, sent, given
        # Where only one case is tried, a few orders say as much as hundreds.
        players = Players(running, drill.seed, SELDOM if drill.smallest else pause, sent)
        yield Trial(drill, running, players, began)
