"""One file of settings, read by every process (issue 26, 2; gamesmaster.md D1, D2, D4)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured

from gamesmaster import settings as ours
from tests.support.processes import ROOT

TEMPLATE = ROOT / "deploy" / "env.example"
#: A value that bash, Compose, systemd and django-environ read alike: plain, or in double quotes
#: without a character that one of them would interpret.
PLAIN = re.compile(r"""[A-Z][A-Z0-9_]*=([\w.,:/@+%-]*|"[^"$`\\]*")""", re.ASCII)


def settings_in(text: str) -> list[str]:
    """Return the lines of a template that set something, including those commented out."""
    lines = re.findall(r"^#?([A-Z][A-Z0-9_]*=.*)$", text, re.MULTILINE)
    assert len(lines) > 50
    return lines


def everything(folder: Path) -> Path:
    """Write the template with every line active and every value filled in; return the file."""
    lines = [
        line + "1" if line.endswith("=") else line for line in settings_in(TEMPLATE.read_text())
    ]
    file = folder / ".env"
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize("line", settings_in(TEMPLATE.read_text()))
def test_template_line_is_read_alike_by_all_programs(line: str) -> None:
    """D1: MAIL_FROM=Gamesmaster <...> ended `. ./.env` with a syntax error."""
    assert PLAIN.fullmatch(line)


def test_bash_and_the_settings_read_equal_values_from_the_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D1: the file can be sourced, and every setting in it is set."""
    file = everything(tmp_path)
    script = f"set -a; . {file}; env -0"
    clean = {"PATH": os.environ["PATH"]}
    done = subprocess.run(["bash", "-ec", script], env=clean, capture_output=True, check=True)
    assert done.stderr == b""
    sourced = dict(
        entry.split("=", 1) for entry in done.stdout.decode().split("\0") if "=" in entry
    )
    read: dict[str, str] = {}
    monkeypatch.setattr(ours.Environment, "ENVIRON", read)
    ours.Environment.read_env(file)
    assert len(read) > 50
    assert read["MAIL_FROM"] == "Gamesmaster <gamesmaster@games.example.org>"
    assert {name: sourced.get(name) for name in read} == read


def told_by(code: str, file: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh Python that has only this file for its settings."""
    clean = {"PATH": os.environ["PATH"], "GAMESMASTER_ENV": str(file), **environment}
    return python(code, clean)


def python(code: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "start",
    ["import gamesmaster.celery", "import django; django.setup()"],
)
def test_every_process_reads_the_file_and_the_environment_wins(start: str, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(f'GAMESMASTER_VAR={tmp_path}\nMAIL_FROM="A B <a@b.org>"\nMAIL_DOMAIN=b.org\n')
    look = "from django.conf import settings as s; print(s.DEFAULT_FROM_EMAIL, s.MAIL_DOMAIN)"
    variables = {"DJANGO_SETTINGS_MODULE": "gamesmaster.settings", "MAIL_DOMAIN": "c.org"}
    done = told_by(f"{start}; {look}", file, **variables)
    assert done.stdout.strip() == "A B <a@b.org> c.org", done.stderr


def test_settings_file_is_env_beside_manage_py(tmp_path: Path) -> None:
    code = "from gamesmaster import settings as s; print(s.ENV_FILE)"
    clean = {"PATH": os.environ["PATH"], "GAMESMASTER_VAR": str(tmp_path)}
    done = python(code, clean)
    assert Path(done.stdout.strip()) == ROOT / ".env"


def test_unreadable_settings_file_is_an_error(tmp_path: Path) -> None:
    """Otherwise a user without permission would run the service with other settings."""
    (tmp_path / ".env").write_bytes(b"SECRET_KEY=\xff\xfe\n")
    done = told_by("import gamesmaster.settings", tmp_path / ".env", GAMESMASTER_VAR=str(tmp_path))
    assert ImproperlyConfigured.__name__ in done.stderr
    assert "cannot be read" in done.stderr


MISTYPED = [
    ("DEBUG", "of", "“of” is neither yes nor no"),
    ("MAIL_PICTURES", "nope", "“nope” is neither yes nor no"),
    ("ADMIN_SECOND_FACTOR", "2", "“2” is neither yes nor no"),
    ("MARKET_AGREEMENT_HOURS", "2h", "“2h” is not a number"),
    ("MARKET_GIVE_UP_HOURS", "7,2", "“7,2” is not a number"),
    ("TICK_SECONDS", "nan", "“nan” is not a number"),
    ("LEASE_SECONDS", "2 minutes", "“2 minutes” is not a whole number"),
    ("GAMESMASTER_ENV", "/nowhere/.env", "“/nowhere/.env”, which does not exist"),
    ("ADMINS", "root@example.org,Root", "“Root”, which is not an address"),
    ("ADMINS", "root", "“root”, which is not an address"),
    ("LOG_LEVEL", "chatty", "“CHATTY”. Write DEBUG"),
    ("DATABASE_URL", "", "“”. Write postgres://"),
    ("DATABASE_URL", "postgres:u:swordfish@h/games", "“postgres:…@h/games”"),
    ("DATABASE_URL", "postgres://u:swordfish@h:port/games", "“postgres://…@h:port/games”"),
    ("DATABASE_URL", "mysql://u:swordfish@h/games", "“mysql://…@h/games”"),
    ("DATABASE_URL", "postgres://u:sword/fish@h/games", "“postgres://…@h/games”"),
    ("DATABASE_URL", "postgres://localhost", "“postgres://localhost”"),
    ("EMAIL_URL", "", "“”. Write smtp+tls://"),
    ("EMAIL_URL", "mail.example.org", "“mail.example.org”. Write smtp+tls://"),
    ("EMAIL_URL", "smpt://u:swordfish@h", "“smpt://…@h”"),
    ("EMAIL_URL", "smtp://u:swordfish@h:port", "“smtp://…@h:port”"),
    ("EMAIL_URL", "smtp:mail.example.org", "“smtp:mail.example.org”"),
]


def test_mistyped_setting_is_named_with_its_value(tmp_path: Path) -> None:
    """django-environ reads an unknown word as no, and drops the letters in a number."""
    code = (
        "import json, os, runpy, sys\n"
        "for name, value in json.load(sys.stdin):\n"
        "    kept = dict(os.environ)\n"
        "    os.environ[name] = value\n"
        "    try:\n"
        "        runpy.run_module('gamesmaster.settings')\n"
        "        print('accepted')\n"
        "    except Exception as error:\n"
        "        print(type(error).__name__, error)\n"
        "    os.environ.clear()\n"
        "    os.environ.update(kept)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "GAMESMASTER_ENV": os.devnull,
            "GAMESMASTER_VAR": str(tmp_path),
        },
        input=json.dumps([(name, value) for name, value, _ in MISTYPED]),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(MISTYPED), done.stdout
    for (name, value, quoted), line in zip(MISTYPED, lines, strict=True):
        assert line.startswith(f"ImproperlyConfigured {name} "), (name, value, line)
        assert quoted in line
        assert "fish" not in line


@pytest.mark.parametrize(
    ("written", "cast", "expected"),
    [
        ("Yes", bool, True),
        ("on", bool, True),
        ("0", bool, False),
        ("off", bool, False),
        ("", bool, True),
        (" 2.5", float, 2.5),
        ("-1", float, -1.0),
        ("72", float, 72.0),
        ("120 ", int, 120),
        ("a.org, b.org ,", list, ["a.org", "b.org"]),
    ],
)
def test_setting_is_read(
    written: str, cast: Any, expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty switch counts as left out, like one in the template."""
    monkeypatch.setattr(ours.Environment, "ENVIRON", {"A": written})
    assert ours.Environment().get_value("A", cast, default=True) == expected


def test_further_names_leave_those_of_the_service_and_of_health_checks(tmp_path: Path) -> None:
    """The probes of deploy/ ask as localhost: with ALLOWED_HOSTS as in the template they failed."""
    code = (
        "import gamesmaster.settings as s; print(*s.ALLOWED_HOSTS); print(*s.CSRF_TRUSTED_ORIGINS)"
    )
    done = told_by(
        code,
        Path(os.devnull),
        GAMESMASTER_VAR=str(tmp_path),
        SITE_URL="https://games.example.org",
        ALLOWED_HOSTS="www.example.org",
        CSRF_TRUSTED_ORIGINS="https://www.example.org",
    )
    assert done.stdout.splitlines() == [
        "games.example.org 127.0.0.1 localhost www.example.org",
        "https://games.example.org https://www.example.org",
    ]


@pytest.mark.parametrize(("demonstration", "pauses"), [("1", "False"), ("0", "True")])
def test_games_of_a_demonstration_alone_never_pause_by_themselves(
    demonstration: str, pauses: str, tmp_path: Path
) -> None:
    """Its gamesmaster is the service, so nobody could resume them (games.turns.pauses)."""
    done = told_by(
        "import gamesmaster.settings as s; print(s.PAUSE_UNATTENDED)",
        Path(os.devnull),
        GAMESMASTER_VAR=str(tmp_path),
        GAMESMASTER_DEMONSTRATION=demonstration,
    )
    assert done.stdout.split() == [pauses]


def test_log_level_may_be_in_lower_case(tmp_path: Path) -> None:
    code = "import gamesmaster.settings as s; print(s.LOGGING['root']['level'])"
    done = told_by(code, Path(os.devnull), GAMESMASTER_VAR=str(tmp_path), LOG_LEVEL="debug")
    assert done.stdout.strip() == "DEBUG", done.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not on this machine")
def test_git_ignores_the_settings_file() -> None:
    """D2: it contains SECRET_KEY and the password of the mail server."""
    command = ["git", "check-ignore", "--quiet", "--no-index", ".env"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("name", [".containerignore", ".dockerignore"])
def test_container_build_ignores_the_settings_file(name: str) -> None:
    """D2."""
    assert ".env" in (ROOT / name).read_text().split()


def test_compose_needs_only_variables_of_the_template() -> None:
    """D4: `up` stopped with "set DATABASE_PASSWORD", which no file named."""
    text = (ROOT / "deploy" / "compose.yaml").read_text()
    variables = set(re.findall(r"\$\{(\w+)", text))
    named = {line.partition("=")[0] for line in settings_in(TEMPLATE.read_text())}
    assert {"DATABASE_PASSWORD"} <= variables <= named
    assert yaml.safe_load(text)["x-service"]["env_file"] == "../.env"
    caddy = re.findall(r"\{\$(\w+)", (ROOT / "deploy" / "Caddyfile").read_text())
    assert sorted(caddy) == sorted(yaml.safe_load(text)["services"]["proxy"]["environment"])
    assert "--env-file .env" in text


def test_systemd_units_read_the_same_file_and_write_only_to_state_folders() -> None:
    """D6: the unit of the backup ended with 226/NAMESPACE if nobody had created its folder."""
    for path in (ROOT / "deploy" / "systemd").glob("*.service"):
        unit = path.read_text()
        assert "EnvironmentFile" not in unit
        assert "GAMESMASTER_VAR" not in unit
        assert "ReadWritePaths" not in unit
        assert "WorkingDirectory=/srv/gamesmaster\n" in unit
        made = {f"/var/lib/{name}" for name in re.findall(r"\bgamesmaster\S*", _state(unit))}
        assert set(re.findall(r"/var/\S+", unit)) <= made
        assert "/var/lib/gamesmaster" in made


def _state(unit: str) -> str:
    (line,) = re.findall(r"^StateDirectory=(.*)$", unit, re.MULTILINE)
    return str(line)
