"""No process loads heavy packages when it starts (docs/operations.md), or looks for garbage when it
ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import ROOT, collected_static_files

#: Packages to be loaded only when a figure is read, a session looked up, a board drawn or printed,
#: or a browser notified.
HEAVY = (
    "pandas",
    "numpy",
    "yfinance",
    "curl_cffi",
    "exchange_calendars",
    "PIL",
    "typst",
    "resvg_py",
    "cryptography",
)
#: Peak memory in megabytes. `ru_maxrss` would be that of the parent process if that was larger.
PEAK = (
    "print(next(int(line.split()[1]) // 1024 for line in open('/proc/self/status') if"
    " line.startswith('VmHWM')))"
)
#: Asked last before the end: what is registered first is called last. `verify` runs without the
#: project.
FROZEN = (
    "import atexit, gc; atexit.register(lambda: print('gamesmaster' not in sys.modules or"
    " gc.get_freeze_count() > 0))"
)
#: What processes have loaded after their start, as code; those that load much the same together.
STARTED = {
    "web": (
        "import gamesmaster.wsgi; from django.urls import get_resolver; get_resolver().url_patterns"
    ),
    "worker and beat": (
        "from gamesmaster.celery import app; app.loader.import_default_modules(); app.finalize();"
        " import celery.apps.worker, celery.apps.beat"
    ),
    "mail in, migrate and backup": (
        "import django; django.setup();"
        " import orders.management.commands.lmtp, orders.management.commands.imap,"
        " django.core.management.commands.migrate, games.management.commands.backup"
    ),
    "verify": "import games.management.commands.verify",
}


@pytest.mark.parametrize("name", STARTED)
def test_process_starts_without_heavy_packages_and_ends_at_once(name: str, tmp_path: Path) -> None:
    """In a fresh interpreter. The limits are several times the measured values."""
    look = f"{FROZEN}; import sys; {STARTED[name]}"
    look += f"; print(sorted(set(sys.modules) & set({HEAVY!r}))); {PEAK}"
    look += "; import threading; print(threading.active_count())"
    environment = {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "gamesmaster.settings",
        "GAMESMASTER_ENV": os.devnull,
        "GAMESMASTER_VAR": str(tmp_path),
        "STATIC_ROOT": collected_static_files(),
        "SECRET_KEY": os.environ["SECRET_KEY"],
        "EMAIL_URL": "smtp://127.0.0.1:1",
        "LMTP_LISTEN": "127.0.0.1:8024",
        "IMAP_URL": "imaps://a:b@example.org/INBOX",
    }
    done = subprocess.run(
        [sys.executable, "-c", look],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    loaded, megabytes, threads, frozen = done.stdout.splitlines()[-4:]
    assert loaded == "[]"
    assert int(megabytes) < 160
    assert threads == "1", "whoever imports a module must not begin what the service does"
    assert frozen == "True"
