"""No process of the service starts with a missing or dangerous setting, or without its tables
(issue 26, 3; gamesmaster.md D3)."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import servers
from tests.support.examples import WHOLE, sample
from tests.support.processes import ROOT, collected_static_files, free_port, service
from tests.support.releases import RECORDS, version

pytestmark = pytest.mark.processes

KEY = "a-key-that-lasts-0123456789-abcdefghijklmnopqrstuvwxyz"
PROCESSES = {
    name: shlex.split(command)[1:]
    for name, command in (
        line.split(": ", 1) for line in (ROOT / "deploy" / "Procfile").read_text().splitlines()
    )
}
COMMANDS = {name: ["manage.py", name] for name in ("tick", "receivemail", "resume", "serve")}


def started(words: list[str], folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """Run a process as documented, with these settings and no others, until it ends."""
    environment = {
        "PATH": os.environ["PATH"],
        "GAMESMASTER_ENV": os.devnull,
        "GAMESMASTER_VAR": str(folder),
        "SITE_URL": "https://games.example.org",
        "EMAIL_URL": "smtp://127.0.0.1:1",
        "BROKER_URL": f"redis://127.0.0.1:{free_port()}/0",
        "LMTP_LISTEN": f"127.0.0.1:{free_port()}",
        "IMAP_URL": "imaps://a:b@127.0.0.1:1/INBOX",
        **given,
    }
    own = [word.replace("127.0.0.1:8000", f"127.0.0.1:{free_port()}") for word in words]
    return subprocess.run(
        [sys.executable, *own],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, id=name)
        for name, words in (*PROCESSES.items(), *sample(list(COMMANDS.items()), 2))
    ],
)
def test_no_process_starts_with_a_dangerous_setting(words: list[str], tmp_path: Path) -> None:
    """Processes of deploy/Procfile and commands that do what is due alike. All errors are named at
    once, each with its fix."""
    ended = started(words, tmp_path, SECRET_KEY="swordfish", ALLOWED_HOSTS="*")
    output = ended.stdout + ended.stderr
    assert ended.returncode != 0, output
    assert "SECRET_KEY has only 9 characters" in output
    hint = "Write only the further names"
    assert f"ALLOWED_HOSTS allows any host. {hint}" in output.replace("\n\tHINT:", "")


def test_gunicorn_does_not_start_without_a_permanent_key(tmp_path: Path) -> None:
    """D3: each process chose its own key, and /readyz was green."""
    ended = started(PROCESSES["web"], tmp_path)
    assert ended.returncode != 0
    assert "There is no permanent secret key. Set SECRET_KEY to 50" in ended.stderr


def test_gunicorn_does_not_start_without_collected_static_files(tmp_path: Path) -> None:
    """Otherwise every page would be an error."""
    with service(tmp_path):
        ended = started(PROCESSES["web"], tmp_path, SECRET_KEY=KEY)
    assert ended.returncode != 0
    assert f"static files in {tmp_path / 'static'}. Run: manage.py collectstatic" in ended.stderr


def test_piped_mail_is_deferred_with_a_dangerous_setting(tmp_path: Path) -> None:
    """Exit status 75 asks the mail server to try again; any other would return the message."""
    assert started(COMMANDS["receivemail"], tmp_path).returncode == os.EX_TEMPFAIL


def test_stand_alone_commands_need_no_settings(tmp_path: Path) -> None:
    """`verify` and `adjudicate` run anywhere."""
    record = tmp_path / "record.json"
    record.write_bytes(gzip.decompress((RECORDS / f"{version()}.json.gz").read_bytes()))
    ended = started(["manage.py", "verify", str(record)], tmp_path, EMAIL_URL="filemail:///tmp")
    assert ended.returncode == 0, ended.stderr


LACKS = re.compile(
    r"The database lacks \d+ migrations of this version\. Run `manage\.py migrate`\."
)
#: Commands of `manage.py` that ask tables, besides those that do what is due.
ASK = {
    "exportgame": ["manage.py", "exportgame", "1"],
    "makeadmin": ["manage.py", "makeadmin", "root@example.org"],
}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def empty_database(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Yield the settings of a database without tables."""
    if request.param == "sqlite":
        yield {}
        return
    with servers.postgres() as server:
        yield {"DATABASE_URL": server.database("nothing")}


NEED_TABLES = {
    name: words
    for name, words in (PROCESSES | COMMANDS | ASK).items()
    if name not in ("receivemail", "serve")
}
#: One of each place that asks: gunicorn.conf.py, gamesmaster/celery.py, games/base/commands.py and
#: manage.py.
ASKING = ("web", "worker", "tick", "makeadmin")


@pytest.mark.parametrize(
    ("empty_database", "words"),
    [
        pytest.param(database, NEED_TABLES[name], id=f"{database}-{name}")
        for database, names in {"sqlite": ASKING, "postgresql": ASKING[-1:]}.items()
        for name in (NEED_TABLES if WHOLE else names)
    ],
    indirect=["empty_database"],
    scope="module",
)
def test_process_without_its_tables_ends_with_one_sentence(
    words: list[str], empty_database: dict[str, str], tmp_path: Path
) -> None:
    """On either database, and not with a traceback. Each day one of each place that asks, and on
    PostgreSQL the one without a check before."""
    ended = started(words, tmp_path, SECRET_KEY=KEY, **empty_database)
    assert ended.returncode != 0, ended.stderr
    assert len(LACKS.findall(ended.stderr)) == 1, ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr


def test_piped_mail_is_deferred_without_tables(
    empty_database: dict[str, str], tmp_path: Path
) -> None:
    ended = started(COMMANDS["receivemail"], tmp_path, SECRET_KEY=KEY, **empty_database)
    assert ended.returncode == os.EX_TEMPFAIL
    assert LACKS.search(ended.stderr), ended.stderr


def test_web_starts_while_the_database_does_not_answer(tmp_path: Path) -> None:
    """It says so on each page, and in /readyz, until the database is back. All pages are loaded
    before workers are made: they share them, and none loads them during its first answer."""
    address = f"postgres://nobody@127.0.0.1:{free_port()}/nothing"
    asked = "import runpy; runpy.run_path('gunicorn.conf.py')['on_starting'](None)"
    code = f"{asked}; import sys; print('games.urls' in sys.modules); import gamesmaster.wsgi"
    given = {"SECRET_KEY": KEY, "STATIC_ROOT": collected_static_files(), "DATABASE_URL": address}
    ended = started(["-c", code], tmp_path, **given)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "True\n"
