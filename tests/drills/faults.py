"""Rehearsals with real processes while things break, and the count of what was lost."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.drills.breaking import counting
from tests.drills.breaking.players import Game
from tests.support.processes import Service, Sink, eventually, production

PHASES = 12
WORKERS = ("worker-0", "worker-1")
#: How much faster than the machine's the clock of the service runs.
FAST = 90


def start(running: Service, *names: str) -> None:
    """Two workers and one beat, or those named, by the command lines of deploy/Procfile."""
    for name in names or (*WORKERS, "beat"):
        host = ["--hostname", f"{name}@test"] if name in WORKERS else []
        running.start(name, [*production(name.partition("-")[0]), *host, "--loglevel", "WARNING"])


def play(
    running: Service, games: Sequence[Game], breaks: Mapping[int, Sequence[Callable[[], object]]]
) -> None:
    """Lets the clock run fast to the end; `breaks`: what is done after so many phases."""
    began, left = time.monotonic(), dict(breaks)
    while running.count("games_game WHERE status != 'finished'"):
        assert time.monotonic() - began < 240, f"the games did not end:\n{running.tail()}"
        running.set_clock((time.monotonic() - began) * FAST)
        resolved = running.count("games_phase WHERE status = 'resolved'")
        for due in [after for after in left if resolved >= after]:
            for act in left.pop(due):
                act()
        time.sleep(0.1)
    assert not left, f"the games were over before everything was broken: {left}"
    eventually(
        "the last letters",
        lambda: running.count("games_letter WHERE status != 'sent'") == 0,
        running,
    )


def lost_and_doubled(
    running: Service, sink: Sink, games: Sequence[Game], *, over: bool = True
) -> Mapping[str, int]:
    """What may never happen, with how often it did, once all letters are out."""
    letters = {
        row[0]: row[1] for row in running.rows("SELECT message_id, address FROM games_letter")
    }
    delivered: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for address, message in list(sink.messages):
        parts = (str(part.get_content()) for part in message.walk() if not part.is_multipart())
        delivered[str(message["Message-ID"])].append((address, str(message["Subject"]), *parts))
    digits = counting.drawn(running)
    assert not over or running.count("games_draw") >= len(games), "too few attacks to say much"
    resolved = running.count("games_phase WHERE status = 'resolved'")
    ends = {
        "games not over": len(games) - running.count("games_game WHERE status = 'finished'"),
        "phases not resolved": len(games) * PHASES - resolved,
    }
    return {
        **(ends if over else {}),
        **digits["lost"],
        **digits["doubled"],
        "phases resolved twice": running.count("games_resolution WHERE version > 1"),
        "letters lost": len(set(letters) - set(delivered)),
        "letters that nobody wrote": len(set(delivered) - set(letters)),
        "letters with two contents": sum(len(set(copies)) > 1 for copies in delivered.values()),
        "records that do not follow": sum(
            not counting.follows(running, game.number, defaultdict(list)) for game in games[:2]
        ),
    }


def doubled_deliveries(sink: Sink) -> int:
    """How many letters went out again under the same Message-ID."""
    times: dict[str, int] = defaultdict(int)
    for _, message in list(sink.messages):
        times[str(message["Message-ID"])] += 1
    return sum(more - 1 for more in times.values())


def zeros(found: Mapping[str, Any]) -> dict[str, Any]:
    """What is not zero: nothing, where nothing was lost and nothing doubled."""
    return {name: times for name, times in found.items() if times}
