"""Rehearsals with real processes while things break, and afterwards the count of what was lost or
doubled."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.support.processes import ROOT, Service, Sink, eventually

PHASES = 12
WORKERS = ("worker-0", "worker-1")
#: How much faster than the machine's the clock of the service runs.
FAST = 90


def open_games(running: Service, number: int) -> list[int]:
    """Opens games with a deadline every minute, one person and four players of the service's in
    each."""
    command = [sys.executable, "-m", "tests.drills.rehearsal", str(number)]
    done = subprocess.run(
        command, cwd=ROOT, env=running.environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [int(line) for line in done.stdout.split()]


def production(name: str, places: Mapping[str, str] | None = None) -> list[str]:
    """The command line of a process as deploy/Procfile has it, with this Python; `places` replace
    words of it."""
    lines = dict(
        line.split(": ", 1)
        for line in (ROOT / "deploy" / "Procfile").read_text().splitlines()
        if line and line[0] != "#"
    )
    words = shlex.split(lines[name])
    assert words[0] == ".venv/bin/python"
    return [sys.executable, *((places or {}).get(word, word) for word in words[1:])]


def start(running: Service, *names: str) -> None:
    """Two workers and one beat, or those of them that are named, by the command lines of
    deploy/Procfile."""
    for name in names or (*WORKERS, "beat"):
        host = ["--hostname", f"{name}@test"] if name in WORKERS else []
        running.start(name, [*production(name.partition("-")[0]), *host, "--loglevel", "WARNING"])


def play(
    running: Service, games: Sequence[int], breaks: Mapping[int, Sequence[Callable[[], object]]]
) -> None:
    """Lets the clock run fast until the games are over. `breaks` says what is done once so many
    phases are resolved."""
    began, left = time.monotonic(), dict(breaks)
    while count(running, "games_game WHERE status != 'finished'"):
        assert time.monotonic() - began < 240, f"the games did not end:\n{running.tail()}"
        running.set_clock((time.monotonic() - began) * FAST)
        resolved = count(running, "games_phase WHERE status = 'resolved'")
        for due in [after for after in left if resolved >= after]:
            for act in left.pop(due):
                act()
        time.sleep(0.1)
    assert not left, f"the games were over before everything was broken: {left}"
    eventually(
        "the last letters",
        lambda: count(running, "games_letter WHERE status != 'sent'") == 0,
        running,
    )


def count(running: Service, what: str) -> int:
    return int(running.rows(f"SELECT count(*) FROM {what}")[0][0])


def lost_and_doubled(
    running: Service, sink: Sink, games: Sequence[int], *, over: bool = True
) -> Mapping[str, int]:
    """What may never happen, with how often it did, once all letters are out; and all games over,
    where it is not said otherwise."""
    draws = running.rows("SELECT phase_id, nation, line, digit FROM games_draw")
    attacks = [
        (phase, event["nation"], event["line"], event["digit"])
        for phase, events in running.rows("SELECT phase_id, events FROM games_resolution")
        for event in (json.loads(events) if isinstance(events, str) else events)
        if event["kind"] == "attack"
    ]
    assert not over or len(attacks) >= len(games), "too few attacks to say much"
    letters = {
        row[0]: row[1] for row in running.rows("SELECT message_id, address FROM games_letter")
    }
    delivered: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for address, message in list(sink.messages):
        parts = (str(part.get_content()) for part in message.walk() if not part.is_multipart())
        delivered[str(message["Message-ID"])].append((address, str(message["Subject"]), *parts))
    return {
        "games not over": len(games) - count(running, "games_game WHERE status = 'finished'")
        if over
        else 0,
        "phases not resolved": len(games) * PHASES
        - count(running, "games_phase WHERE status = 'resolved'")
        if over
        else 0,
        "phases resolved twice": count(running, "games_resolution WHERE version > 1"),
        "digits lost": len(set(attacks) - set(draws)),
        "digits drawn twice": len(draws) - len(set(draws)),
        "digits without an attack": len(set(draws) - set(attacks)),
        "letters lost": len(set(letters) - set(delivered)),
        "letters that nobody wrote": len(set(delivered) - set(letters)),
        "letters with two contents": sum(len(set(copies)) > 1 for copies in delivered.values()),
        "records that do not follow": sum(not _follows(running, game) for game in games[:2]),
    }


def doubled_deliveries(sink: Sink) -> int:
    """How many letters went out more than once, under the same Message-ID and with the same
    content."""
    times: dict[str, int] = defaultdict(int)
    for _, message in list(sink.messages):
        times[str(message["Message-ID"])] += 1
    return sum(more - 1 for more in times.values())


def _follows(running: Service, game: int) -> bool:
    record = running.folder / f"record-{game}.json"
    record.write_text(json.dumps(running.record(game)))
    with contextlib.suppress(AssertionError):
        running.manage("verify", str(record))
        return True
    return False


def zeros(found: Mapping[str, Any]) -> dict[str, Any]:
    """What is not zero: nothing, where nothing was lost and nothing doubled."""
    return {name: times for name, times in found.items() if times}
