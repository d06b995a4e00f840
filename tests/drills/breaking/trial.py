"""One fault tried out: where, the league meanwhile, and its line of the table."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.drills.breaking import counting
from tests.drills.breaking.league import Databases, League, league
from tests.drills.breaking.players import Players
from tests.support.servers import Redis


@dataclass(frozen=True)
class Drill:
    """Where a fault happens, how often and among how much. Without servers: a club's."""

    folder: Path
    databases: Databases | None = None
    broker: Redis | None = None
    rounds: int = 1
    games: int = 2
    seed: int = 1971


@dataclass
class Row:
    """One fault, and what was lost or doubled by it: nothing, or it says what."""

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
    measured: dict[str, Any] = field(default_factory=dict)

    def lose(self, what: str, how: object) -> None:
        """Count one thing more that was lost."""
        self.lost += 1
        self.wrong[what] = how


@dataclass
class Trial:
    """A league at work, and people who order; they begin with the context `players`."""

    drill: Drill
    running: League
    players: Players
    began: float

    def calm(self) -> None:
        """Wait, while nobody sends anything, until nothing is due."""
        with self.players.at_rest():
            self.running.calm()

    def rounds(self) -> Iterator[int]:
        """Each of them begins when everything is calm."""
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

    def stand_up(self) -> None:
        """Start what has died, and wait until pages and mail are taken."""
        self.running.tend()
        self.running.ready()

    def row(
        self, fault: str, remark: str = "", *, rounds: int | None = None, lag: float | None = 0.0
    ) -> Row:
        """Play on until everything is calm, and count. `lag` is measured where it is None."""
        running, sent = self.running, self.players.sent
        running.finish()
        found = counting.found(running, sent)
        row = Row(
            fault,
            self.drill.rounds if rounds is None else rounds,
            **found.sizes,
            lost=sum(found.lost.values()),
            doubled=sum(found.doubled.values()),
            known=found.known,
            lag=round(running.longest_lag() if lag is None else lag, 2),
            seconds=round(time.monotonic() - self.began, 1),
            seed=self.drill.seed,
            remark=remark,
            wrong=found.told(),
            measured={
                "tries without an answer": sent.unanswered,
                "tries refused with a sentence": len(sent.refused),
                "longest wait for an acknowledgement": round(sent.waited, 2),
                "what was counted": {**found.lost, **found.doubled},
            },
        )
        if sent.spoiled:
            row.lost += len(sent.spoiled)
            lines = Path(running.log.name).read_text(errors="replace").splitlines()
            row.wrong["answers without a sentence"] = sent.spoiled[:3]
            row.wrong["log"] = [line for line in lines if "Error" in line][-12:]
        return row


@contextlib.contextmanager
def trial(drill: Drill, *, pause: float = 0.05, **given: Any) -> Iterator[Trial]:
    """A league whose processes have begun. `pause`: between orders; `given`: for `league`."""
    with league(drill.folder, drill.databases, drill.broker, games=drill.games, **given) as running:
        began = time.monotonic()
        running.begin()
        running.ready()
        yield Trial(drill, running, Players(running, drill.seed, pause), began)
