"""Backup and restore, rehearsed: a backup taken while games are played, the machine lost, the
backup restored elsewhere (docs/operations.md; issue 10)."""

from __future__ import annotations

import itertools
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from games.base import processes
from tests.drills import faults
from tests.drills.breaking.opened import open_games
from tests.support.examples import sample
from tests.support.processes import Service, Sink, eventually, service, text_of
from tests.support.releases import BACKUPS
from tests.support.servers import Postgres, postgres

pytestmark = pytest.mark.processes

GAMES, FAST, MINUTE = 2, 60, 60
NAMES = itertools.count(1)
TOLD = "The service was restored from a backup"


@pytest.fixture(scope="module")
def databases() -> Iterator[Postgres]:
    with postgres() as server:
        yield server


def place(kind: str, databases: Postgres) -> dict[str, str]:
    """Return the environment for an empty database of a kind."""
    if kind == "sqlite":
        return {}
    return {
        "DATABASE_URL": databases.database(f"copy{next(NAMES)}"),
        "PATH": f"{databases.programs}:/usr/bin:/bin",
    }


def resolved(running: Service) -> int:
    return running.count("games_phase WHERE status = 'resolved'")


def play_until(running: Service, clock: faults.FastClock, phases: int) -> None:
    began = time.monotonic()
    while resolved(running) < phases:
        assert time.monotonic() - began < 120, f"the games do not go on:\n{running.tail()}"
        clock.pass_on(running)
        time.sleep(0.05)


def start(running: Service, *names: str) -> None:
    commands = processes.commands(f"127.0.0.1:{running.port}", 2)
    for name in names:
        running.start(name, commands[name])


@pytest.mark.parametrize("kind", sample(["postgresql", "sqlite"], 1))
def test_backup_taken_during_play_is_restored_and_everybody_is_notified(
    kind: str, tmp_path: Path, databases: Postgres
) -> None:
    """No order is lost unannounced, and no letter differs without saying so."""
    old, new, copy = tmp_path / "old", tmp_path / "new", tmp_path / "copy.backup"
    old.mkdir()
    new.mkdir()
    clock = faults.FastClock(FAST)
    with Sink() as sink:
        settings = {"EMAIL_URL": sink.address, "TICK_SECONDS": "0.5", "MAIL_PICTURES": "0"}
        with service(old, with_tables=True, **(settings | place(kind, databases))) as running:
            clock.pass_on(running)
            games = open_games(running, GAMES)
            start(running, "worker")
            play_until(running, clock, 3)
            running.manage("backup", str(copy))
            copied = len(sink.messages)
            play_until(running, clock, resolved(running) + 4)
            enough = copied + 4 * GAMES
            eventually("letters after the copy", lambda: len(sink.messages) >= enough, running)
            for name in list(running.running):
                running.kill(name)  # the machine is lost, after letters went out
            before = dict(running.rows("SELECT key, code FROM games_letter"))
            # The other machine gets the address: letters that go out again have the same links.
            port, settings["SITE_URL"] = running.port, running.environment["SITE_URL"]
        out = {_code(message): message for _, message in sink.messages}
        with service(new, with_tables=False, **(settings | place(kind, databases))) as running:
            running.port = port
            running.set_clock(clock.ahead)
            assert "Every game's record is unchanged" in running.manage("restore", str(copy))
            _nothing_happens(running, clock, sink)
            assert f"Wrote to {GAMES} games" in running.manage("resume", "--yes")
            play_until(running, clock, resolved(running) + 2)
            running.end("worker")
            # What the worker had claimed and not begun is free once the lease runs out.
            clock.ahead += 4 * MINUTE
            clock.pass_on(running)
            running.manage("tick")
            eventually(
                "the last letters",
                lambda: running.count("games_letter WHERE status != 'sent'") == 0,
                running,
            )
            after = {_code(message): message for _, message in sink.messages}
            _check_told_again(running, before, out, after)
            counts = faults.lost_and_doubled(running, sink, games, over=False)
            # Letters sent after the backup are in no table of the new machine; players are told so.
            assert faults.zeros({**counts, "letters that nobody wrote": 0}) == {}


def _nothing_happens(running: Service, clock: faults.FastClock, sink: Sink) -> None:
    """Check that during the hold hours pass, and nothing falls due, goes out or is received."""
    start(running, "web", "worker")
    letters, phases = (
        len(sink.messages),
        running.rows("SELECT id, status, deadline FROM games_phase ORDER BY id"),
    )
    clock.ahead += 60 * MINUTE
    clock.pass_on(running)
    page = eventually("the pages", lambda: _answer(running, "/login/"), running)
    assert page[0] == 200
    assert "STANDSTILL" in page[1]
    refused = _answer(running, "/class/", b"code=1")
    assert refused is not None
    assert refused[0] == 503
    assert "What you just sent was not stored" in refused[1]
    time.sleep(2)
    assert len(sink.messages) == letters
    assert running.rows("SELECT id, status, deadline FROM games_phase ORDER BY id") == phases
    running.manage("tick", code=1)  # it says that the service is held


def _answer(running: Service, path: str, sent: bytes | None = None) -> tuple[int, str] | None:
    try:
        with urllib.request.urlopen(
            f"{running.environment['SITE_URL']}{path}", data=sent, timeout=10
        ) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return None


def _code(message: EmailMessage) -> str:
    """Return the code of a letter, which is in its Message-ID."""
    return str(message["Message-ID"]).partition("@")[0].rpartition("-")[2]


def _check_told_again(
    running: Service,
    before: dict[str, str],
    out: dict[str, EmailMessage],
    after: dict[str, EmailMessage],
) -> None:
    """Check that a letter that went out again is identical or says why it comes."""
    again = running.count("games_letter WHERE kind = 'restored'")
    assert again == GAMES * 3, "to the players and the gamesmaster of each game"
    checked = 0
    for key, identity in running.rows("SELECT key, code FROM games_letter"):
        earlier = out.get(before.get(key, ""))
        if earlier is None:
            continue
        now = after[identity]
        if identity != before[key]:
            assert TOLD in " ".join(text_of(now).split()), key
            checked += 1
        else:
            assert text_of(now) == text_of(earlier), key
    assert checked >= 4, "too few letters had gone out after the copy for this test to say much"


def test_sqlite_backup_is_restored_on_postgresql(tmp_path: Path, databases: Postgres) -> None:
    """Rows that either database takes: the records are unchanged, and new rows get later
    numbers."""
    old, new, copy = tmp_path / "old", tmp_path / "new", tmp_path / "copy.backup"
    old.mkdir()
    new.mkdir()
    with service(old) as running:
        (game,) = open_games(running, 1)
        running.set_clock(70)
        running.manage("tick")
        record = running.record(game.number)
        running.manage("backup", str(copy), "--any-database")
        with service(new, with_tables=False, **place("postgresql", databases)) as moved:
            assert "Every game's record is unchanged" in moved.manage("restore", str(copy))
            assert moved.record(game.number) == record
            assert moved.manage("resume").startswith("The service was restored at")
            moved.manage("resume", "--yes")
            assert [opened.number for opened in open_games(moved, 1)] == [game.number + 1]


def test_backup_is_restored_where_setup_has_made_the_tables(
    tmp_path: Path, databases: Postgres
) -> None:
    """The other machine is installed as the first one was: `make setup` migrates its database."""
    copy = tmp_path / "copy.backup"
    with service(tmp_path, with_tables=True, **place("postgresql", databases)) as running:
        open_games(running, 1)
        running.manage("backup", str(copy))
    (tmp_path / "other").mkdir()
    with service(tmp_path / "other", with_tables=True, **place("postgresql", databases)) as other:
        assert "(pg_dump): 1 games" in other.manage("restore", str(copy))
        assert other.count("games_game") == 1


@pytest.mark.parametrize("rows", sorted(BACKUPS.glob("*.rows.backup")), ids=lambda path: path.name)
def test_rows_of_each_release_are_restored_on_postgresql(
    rows: Path, tmp_path: Path, databases: Postgres
) -> None:
    """They go into the tables of their version, which are then migrated; new rows get later
    numbers, those of many-to-many fields too: a new game had nobody who runs it."""
    with service(tmp_path, with_tables=False, **place("postgresql", databases)) as running:
        told = running.manage("restore", "--another-key", str(rows))
        assert "Every game's record is unchanged" in told
        running.manage("resume", "--yes")
        old = running.count("games_game")
        assert [game.number for game in open_games(running, 1)] == [old + 1]
        run = running.rows("SELECT DISTINCT game_id FROM games_game_gamesmasters")
        assert len(run) == old + 1


def test_backup_writes_rows_if_pg_dump_is_too_old(tmp_path: Path, databases: Postgres) -> None:
    """pg_dump refuses a server newer than itself."""
    (tmp_path / "bin").mkdir()
    old = tmp_path / "bin" / "pg_dump"
    old.write_text("#!/bin/sh\necho pg_dump '(PostgreSQL)' 15.3\n")
    old.chmod(0o755)
    variables = place("postgresql", databases) | {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    with service(tmp_path, with_tables=True, **variables) as running:
        running.manage("backup", str(tmp_path / "copy.backup"))
        assert "(rows)" in running.manage("restore", str(tmp_path / "copy.backup"), "--look")


def test_untrustworthy_backup_is_refused(tmp_path: Path) -> None:
    """With one sentence each, and nothing is changed."""
    with service(tmp_path) as running:
        open_games(running, 1)
        copy = tmp_path / "copy.backup"
        running.manage("backup", str(copy))
        assert copy.stat().st_mode & 0o077 == 0
        assert "already exists" in running.complaint("backup", str(copy))
        assert "already has people or games" in running.complaint("restore", str(copy))
        running.environment["SECRET_KEY"] = "another-key-0123456789-abcdefghijklmnopqrstuvwxyz"
        assert "SECRET_KEY_FALLBACKS" in running.complaint("restore", str(copy))
        damaged = tmp_path / "damaged.backup"
        shutil.copy(copy, damaged)
        with damaged.open("r+b") as file:
            file.seek(2000)
            file.write(b"a cosmic ray" * 9)
        for bad in (damaged, running.clock):
            assert "manage.py backup" in running.complaint("restore", str(bad), "--look")
        assert "nothing to resume" in running.complaint("resume")


def test_backup_keeps_the_newest_copies_in_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "of-somebody-else.backup").write_text("")
    with service(tmp_path) as running:
        for ahead in (0, 60, 120):
            running.set_clock(ahead)
            running.manage("backup", str(folder), "--keep", "2", "--quick")
        assert len(list(folder.glob("gamesmaster-*.backup"))) == 2
        assert (folder / "of-somebody-else.backup").exists()
