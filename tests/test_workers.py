"""Real processes that are killed as by a power cut (docs/design.md 1, promises 2 to 4; 5)."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from gamesmaster import processes
from tests.processes import ROOT, Service, Sink, eventually, service

pytestmark = pytest.mark.processes

GAMES = 6
KILLS = 10
PHASES = 12


def worker(number: int) -> list[str]:
    return [*processes.commands("127.0.0.1", 0, 2)["worker"], "--hostname", f"worker-{number}@test"]


def test_workers_killed_at_random_lose_and_double_nothing(tmp_path: Path) -> None:
    """Two workers and two beats play six games to the end while a worker is killed ten times.

    Afterwards each phase is resolved once, each digit drawn once, each letter written once; what was delivered twice, because a
    worker died between the mail server's "250" and its own note of it, has the same Message-ID and the same text.
    """
    with Sink() as sink, service(tmp_path, EMAIL_URL=sink.address, LEASE_SECONDS="120", TICK_SECONDS="0.5") as running:
        running.set_clock(0)
        done = subprocess.run(
            [sys.executable, "-m", "tests.rehearsal", str(GAMES)],
            cwd=ROOT,
            env=running.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        games = [int(line) for line in done.stdout.split()]
        _play_to_the_end(running)
        eventually("the last letters", lambda: _count(running, "games_letter WHERE status != 'sent'") == 0, running)

        assert _count(running, "games_game WHERE status = 'finished'") == GAMES
        assert _count(running, "games_phase WHERE status = 'resolved'") == GAMES * PHASES
        assert _count(running, "games_resolution") == GAMES * PHASES
        _check_digits(running)
        _check_letters(running, sink)
        for game in games[:2]:
            record = tmp_path / f"{game}.json"
            record.write_text(json.dumps(running.record(game)))
            running.manage("verify", str(record))


def _play_to_the_end(running: Service) -> None:
    """Lets the clock run forty times as fast as it should, and kills a worker every now and then."""
    chance = random.Random(1971)
    for folder in ("broker/messages", "broker/control"):
        (running.folder / folder).mkdir(parents=True)
    beat = processes.commands("127.0.0.1", 0, 2)["beat"]
    for number in range(2):
        running.start(f"beat-{number}", beat)
        running.start(f"worker-{number}", worker(number))
    began = time.monotonic()
    next_kill, kills = began + 4, 0
    while _count(running, "games_game WHERE status != 'finished'"):
        assert time.monotonic() - began < 400, f"the games did not end:\n{running.tail()}"
        running.set_clock((time.monotonic() - began) * 40)
        if kills < KILLS and time.monotonic() > next_kill:
            number = kills % 2
            running.kill(f"worker-{number}")
            running.start(f"worker-{number}", worker(number))
            kills += 1
            next_kill = time.monotonic() + chance.uniform(1.0, 3.0)
        time.sleep(0.1)
    assert kills >= 3, "the games ended before the workers had been killed often enough to say anything"


def _count(running: Service, what: str) -> int:
    return int(running.rows(f"SELECT count(*) FROM {what}")[0][0])


def _check_digits(running: Service) -> None:
    draws = running.rows("SELECT phase_id, nation, line, digit FROM games_draw")
    attacks = [
        (phase, event["nation"], event["line"], event["digit"])
        for phase, events in running.rows("SELECT phase_id, events FROM games_resolution")
        for event in json.loads(events)
        if event["kind"] == "attack"
    ]
    assert len(attacks) > GAMES, "too few attacks to say much"
    assert sorted(draws) == sorted(attacks)


def _check_letters(running: Service, sink: Sink) -> None:
    rows = running.rows("SELECT message_id, key, address FROM games_letter")
    assert len({key for _, key, _ in rows}) == len(rows)
    delivered: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for address, message in list(sink.messages):
        headers = (str(message[name]) for name in ("Subject", "Date", "To", "References"))
        parts = (str(part.get_content()) for part in message.walk() if not part.is_multipart())
        delivered[str(message["Message-ID"])].append((address, *headers, *parts))
    assert set(delivered) == {message_id for message_id, _, _ in rows}
    assert all(len(set(texts)) == 1 for texts in delivered.values()), "a letter was sent twice with different content"
    twice = Counter(len(texts) for texts in delivered.values())
    assert sum(count for times, count in twice.items() if times > 1) <= 2 * KILLS * 50, "more doubles than kills explain"
