"""Play games with real processes while things break, and count what was lost."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.drills.breaking import entries, expected, outbox, records
from tests.drills.breaking.faults_found import Faults
from tests.drills.breaking.opened import open_games
from tests.drills.breaking.players import Game
from tests.support.processes import (
    Service,
    Sink,
    TookTooLongError,
    eventually,
    production,
    service,
)
from tests.support.servers import postgres, redis

PHASES = 12
WORKERS = ("worker-0", "worker-1")
#: Seconds without any progress after which waiting is given up.
STANDSTILL = 180.0
#: How many times as fast as the machine's clock the service's clock runs.
FAST = 90
#: How long a deadline may wait for a worker, by the service's clock, before the clock runs slowly.
PATIENCE = timedelta(minutes=1)
#: The most seconds of the machine that pass in one step.
A_STEP = 0.5


@contextlib.contextmanager
def deployed(folder: Path, games: int) -> Iterator[tuple[Service, Sink, list[Game]]]:
    """Yield a service with PostgreSQL and Redis and no started processes, its mail server, and that
    many games."""
    with (
        postgres() as server,
        redis(folder) as broker,
        Sink() as sink,
        service(
            folder,
            EMAIL_URL=sink.address,
            MAIL_PICTURES="0",
            DATABASE_URL=server.database("deployed"),
            BROKER_URL=broker.url,
            TICK_SECONDS="0.5",
            LEASE_SECONDS="3600",
        ) as running,
    ):
        running.set_clock(0)
        yield running, sink, open_games(running, games)


def start(running: Service, *names: str) -> None:
    """Start two workers and one beat, or those named, with the commands of deploy/Procfile."""
    for name in names or (*WORKERS, "beat"):
        host = ["--hostname", f"{name}@test"] if name in WORKERS else []
        running.start(name, [*production(name.partition("-")[0]), *host, "--loglevel", "WARNING"])


class FastClock:
    """The service's clock, `fast` times the machine's. No restart of the service sets it back.

    It runs like the machine's while a deadline waits that no worker has claimed, and makes no leap
    after a pause: else locks would be minutes late by it, and time would have to be given back for
    that, which these services do not do (tests.support.leaping).
    """

    def __init__(self, fast: float) -> None:
        self.fast, self.ahead, self.looked = fast, 0.0, time.monotonic()

    def pass_on(self, running: Service) -> None:
        """Set the clock of a service. Call it several times a second."""
        before, self.looked = self.looked, time.monotonic()
        now = datetime.now(UTC) + timedelta(seconds=self.ahead)
        waits = "status = 'open' AND claim = '' AND due_at < ?"
        if not running.count(f"games_phase WHERE {waits}", running.stored(now - PATIENCE)):
            self.ahead += min(self.looked - before, A_STEP) * (self.fast - 1)
        running.set_clock(self.ahead)


def play(
    running: Service, games: Sequence[Game], breaks: Mapping[int, Sequence[Callable[[], object]]]
) -> None:
    """Run the clock fast until all games end.

    `breaks` maps numbers of resolved phases to the functions to call then. Raise
    `TookTooLongError` if no phase is resolved for `STANDSTILL` seconds.
    """
    clock, left = FastClock(FAST), dict(breaks)
    resolved, since = -1, time.monotonic()
    while running.count("games_game WHERE status != 'finished'"):
        clock.pass_on(running)
        before, resolved = resolved, running.count("games_phase WHERE status = 'resolved'")
        if resolved != before:
            since = time.monotonic()
        elif time.monotonic() - since > STANDSTILL:
            raise TookTooLongError(f"waited {STANDSTILL:.0f} s for a result\n{running.tail()}")
        for due in [after for after in left if resolved >= after]:
            for act in left.pop(due):
                act()
        time.sleep(0.1)
    assert not left, f"the games were over before everything was broken: {left}"
    eventually(
        "the last letters",
        lambda: running.count("games_letter WHERE status != 'sent'") == 0,
        running,
        STANDSTILL,
    )


def lost_and_doubled(
    running: Service, sink: Sink, games: Sequence[Game], *, over: bool = True
) -> Mapping[str, int | list[str]]:
    """Return what must never happen, once all letters are sent. `over`: all games are finished."""
    letters = {row[0]: row[1] for row in running.rows("SELECT code, address FROM games_letter")}
    delivered: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for address, message in list(sink.messages):
        parts = (str(part.get_content()) for part in message.walk() if not part.is_multipart())
        code = str(message["Message-ID"]).partition("@")[0].rpartition("-")[2]
        delivered[code].append((address, str(message["Subject"]), *parts))
    faults = Faults()
    if over:  # a restored service tells of it in letters that a league does not cause
        outbox.compare(expected.letters(running, {}), outbox.written(running), faults)
    entries.drawn(running, faults)
    assert not over or running.count("games_draw") >= len(games), "too few attacks to say much"
    resolved = running.count("games_phase WHERE status = 'resolved'")
    ends = {
        "games not over": len(games) - running.count("games_game WHERE status = 'finished'"),
        "phases not resolved": len(games) * PHASES - resolved,
    }
    return {
        **(ends if over else {}),
        **faults.lost,
        **faults.doubled,
        "phases resolved twice": running.count("games_resolution WHERE version > 1"),
        "letters lost": len(set(letters) - set(delivered)),
        "letters that nobody wrote": len(set(delivered) - set(letters)),
        "letters with two contents": sum(len(set(copies)) > 1 for copies in delivered.values()),
        "records that do not follow": running.call(
            records.refuted, [game.number for game in games]
        ),
    }


def doubled_deliveries(sink: Sink) -> int:
    """Return how many deliveries repeated a Message-ID."""
    times: dict[str, int] = defaultdict(int)
    for _, message in list(sink.messages):
        times[str(message["Message-ID"])] += 1
    return sum(count - 1 for count in times.values())


def zeros(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts that are not zero; empty if nothing was lost or doubled."""
    return {name: times for name, times in found.items() if times}
