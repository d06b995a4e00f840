"""The commands with which docs/operations.md upgrades, goes back, backs up, restores, erases and
changes the key, executed as written.

The installation is a clone of a repository with this version and a later one, and the game of
0.1.0. `sudo` and `systemctl` are stand-ins: there is one user, and no process runs.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.gamesmaster.test_documented_commands import PAGES, blocks
from tests.support.examples import WHOLE
from tests.support.processes import ROOT, installed_packages
from tests.support.releases import BACKUPS

pytestmark = [pytest.mark.processes, pytest.mark.long]
#: The later version has one more migration.
MIGRATION = """
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("games", "{newest}")]
    operations = [migrations.RunSQL("CREATE TABLE later (number int)", "DROP TABLE later")]
"""
STAND_INS = {
    "sudo": '[ "$1" = -u ] && shift 2\nexec "$@"',
    "systemctl": 'echo "$@" >> "$STARTS"',
}


class Installation:
    """A service installed as the book says, in folders of a test."""

    def __init__(self, folder: Path) -> None:
        self.code, self.data = folder / "gamesmaster", folder / "data"
        self.starts = folder / "starts"
        stand_ins = folder / "bin"
        for place in (self.data, stand_ins):
            place.mkdir()
        for name, text in STAND_INS.items():
            (stand_ins / name).write_text(f"#!/bin/sh\n{text}\n")
            (stand_ins / name).chmod(0o755)
        self.environment = {
            "PATH": f"{stand_ins}:{os.environ['PATH']}",
            "HOME": str(folder),
            "STARTS": str(self.starts),
            "GAMESMASTER_CLOCK": str(folder / "clock"),
            # What the Makefile does in /srv/gamesmaster.
            "AS_USER": "sudo -u gamesmaster",
            "BACKUPS": str(self.data / "backups"),
        }
        #: What stands for the words in capitals.
        self.words = {"/srv/gamesmaster": str(self.code), "/var/lib/gamesmaster": str(self.data)}

    def run(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-ec", command],
            cwd=self.code,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def do(self, with_line: str) -> str:
        """Execute the block of the book that has such a line; return its output."""
        (block,) = (
            block
            for block in blocks(PAGES[1])
            if block[0].startswith("sudo") and any(re.search(with_line, line) for line in block)
        )
        text = "\n".join(block)
        for word, value in self.words.items():
            text = re.sub(rf"{re.escape(word)}\b", value, text)
        return self.run(text)

    def manage(self, *words: str) -> str:
        return self.run(f".venv/bin/python manage.py {' '.join(words)}")

    def rows(self, query: str) -> list[tuple]:
        with closing(sqlite3.connect(self.data / "gamesmaster.sqlite3")) as database:
            return database.execute(query).fetchall()

    def tables(self) -> set[str]:
        return {name for (name,) in self.rows("SELECT name FROM sqlite_master")}


def git(folder: Path, *words: str) -> str:
    author = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    return subprocess.run(
        ["git", *author, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    for program in ("git", "make"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not on this machine")
    folder = tmp_path_factory.mktemp("installation")
    installed, origin = Installation(folder), folder / "origin"
    for name in git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines():
        if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
            (origin / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, origin / name, follow_symlinks=False)
    git(origin, "init", "--quiet", "--initial-branch=main")
    git(origin, "add", "--all", "--force")
    git(origin, "commit", "--quiet", "--message=The older version")
    git(origin, "tag", "older")
    git(folder, "clone", "--quiet", str(origin), str(installed.code))
    migrations = origin / "games" / "migrations"
    newest = max(path.stem for path in migrations.glob("0*.py"))
    (migrations / "0999_later.py").write_text(MIGRATION.format(newest=newest))
    git(origin, "add", "--all", "--force")
    git(origin, "commit", "--quiet", "--message=The newer version")
    packages = installed_packages(installed.code / ".venv")
    os.utime(packages / "installed", (time.time() + 86400,) * 2)
    environment = (installed.code / "deploy" / "env.example").read_text()
    environment = re.sub("^SITE_URL=.*", "SITE_URL=http://127.0.0.1:8000", environment, flags=re.M)
    environment = re.sub("^BEHIND_TLS_PROXY=.*", "", environment, flags=re.M)
    environment = re.sub("^EMAIL_URL=.*", "EMAIL_URL=smtp://127.0.0.1:1", environment, flags=re.M)
    (installed.code / ".env").write_text(f"{environment}\nGAMESMASTER_VAR={installed.data}\n")
    (installed.data / "secret-key").write_text(
        "An-old-key&of&this-service-0123456789-abcdefghijklm"
    )
    clock = (folder / "clock").write_text
    begun = 1794852000  # 16 November 2026, 18:00 UTC, when the game of 0.1.0 was backed up
    clock(str(begun - time.time()))
    installed.manage("restore", "--another-key", str(BACKUPS / "0.1.0.backup"))
    installed.manage("resume", "--yes")
    return installed


def test_book_upgrades_and_goes_back(installation: Installation) -> None:
    """“Upgrading”, “Going back”: with `make upgrade`, and backwards; in a soak also by hand, as a
    version without `make upgrade` is left."""
    told = installation.do(r"make upgrade")
    assert told.count("“Still running”") == 2, "the next deadlines, before and after"
    assert "later" in installation.tables()
    (backup,) = (installation.data / "backups").iterdir()
    assert backup.stat().st_mode & 0o077 == 0
    (title,) = installation.rows("SELECT title FROM games_game WHERE id = 2")
    games, orders = (
        max(path.stem for path in (installation.code / app / "migrations").glob("0[0-8]*.py"))
        for app in ("games", "orders")
    )
    installation.words |= {"FILE": backup.name, "GAMES": games, "ORDERS": orders}
    installation.words["VERSION"] = "older"
    look = installation.do(r"git checkout VERSION")
    assert f"Its tables: games {games}, orders {orders}." in look
    assert "later" not in installation.tables()
    assert installation.rows("SELECT title FROM games_game WHERE id = 2") == [title]
    installation.manage("tick")
    if WHOLE:
        installation.run("git checkout --quiet main")
        installation.do(r"git pull")
        assert "later" in installation.tables()
        assert len(list((installation.data / "backups").iterdir())) == 2
    times = 3 if WHOLE else 2
    assert installation.starts.read_text().split() == ["stop", SERVICE, "start", SERVICE] * times


SERVICE = "gamesmaster-serve.service"


def test_book_backs_up_erases_restores_and_changes_the_key(installation: Installation) -> None:
    """“Backup and restore”, “People and their data”, and the paragraph on `SECRET_KEY`."""
    shutil.rmtree(installation.data / "backups", ignore_errors=True)
    (installation.data / "backups").mkdir()
    installation.do(r"backup /var/lib/gamesmaster/backups --keep 14")
    (backup,) = (installation.data / "backups").iterdir()
    query = "SELECT id FROM games_person WHERE email = 'gustav@example.org'"
    assert installation.rows(query)
    installation.words |= {"FILE": backup.name, "ADDRESS": "gustav@example.org"}
    installation.do(r"erase_person ADDRESS")
    assert installation.rows(query) == []
    assert (installation.data / "person.zip").stat().st_mode & 0o077 == 0
    told = installation.do(r"mkdir broken")
    assert "Every game's record is unchanged" in told
    assert installation.rows(query), "the book says: erase again"
    assert (installation.data / "broken" / "gamesmaster.sqlite3").exists()
    link = re.search(r"/login/\S+", installation.manage("makeadmin", "root@example.org"))
    assert link is not None
    for _ in range(2):  # the second change must keep the key before the first
        installation.do(r"SECRET_KEY_FALLBACKS")
    installation.manage("collectstatic", "--no-input")  # as `serve` does when it starts
    page = (
        "from django.test import Client;"
        f" print(Client(headers={{'host': '127.0.0.1'}}).get('{link[0]}').status_code)"
    )
    assert installation.manage("shell", "-v", "0", "-c", f'"{page}"').strip() == "200"
    environment = (installation.code / ".env").read_text()
    assert len(re.findall("^SECRET_KEY=.{60,}$", environment, re.MULTILINE)) == 1
    (earlier,) = re.findall("^SECRET_KEY_FALLBACKS=(.*)$", environment, re.MULTILINE)
    assert len(earlier.strip(",").split(",")) == 2
    assert "An-old-key&of&this-service-0123456789-abcdefghijklm" in earlier
