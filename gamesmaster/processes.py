"""The command lines of the processes: the same for `serve`, `play` and `deploy/`."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping

from django.conf import settings


def commands(host: str, port: int, workers: int) -> Mapping[str, list[str]]:
    """Web, worker and beat, and the ways in for mail that are set. Without a broker there is no
    beat: the worker ticks by itself (gamesmaster.celery).

    The worker runs threads: time limits matter less on one machine than a quick start, and threads
    share the calls that are kept in memory.
    """
    python = sys.executable
    # Its one warning of use here, about running as root, is for whoever writes a service unit and
    # not for whoever tries `make play`.
    celery = [
        python,
        "-W",
        "ignore:You're running the worker",
        "-m",
        "celery",
        "--quiet",
        "--app",
        "gamesmaster",
    ]
    level = ["--loglevel", "WARNING"]
    mail_in = {
        name: [python, "manage.py", name]
        for name, wanted in (("lmtp", settings.LMTP_LISTEN), ("imap", settings.IMAP_URL))
        if wanted
    }
    # Beat has nothing to remember: what is due stands in the database. So it keeps no file that a
    # power cut could spoil.
    beat = [*celery, "beat", "--scheduler", "celery.beat:Scheduler", "--pidfile", "", *level]
    return {
        "web": [
            *(python, "-m", "gunicorn", "gamesmaster.wsgi:application", "--bind", f"{host}:{port}"),
            *(
                "--workers",
                "1",
                "--threads",
                "8",
                "--graceful-timeout",
                "5",
                "--log-level",
                "warning",
            ),
        ],
        "worker": [
            *celery,
            "worker",
            "--pool",
            "threads",
            "--concurrency",
            str(workers),
            "--without-gossip",
            "--without-mingle",
            *level,
        ],
        **({} if settings.IN_MEMORY else {"beat": beat}),
        **mail_in,
    }


def prepare() -> None:
    """Use a secret key below `var/`, made here and for this user alone, where none is set."""
    if not os.environ.get("SECRET_KEY") and not settings.SECRET_KEY_FILE.exists():
        handle = os.open(settings.SECRET_KEY_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(50))
        settings.SECRET_KEY = settings.SECRET_KEY_FILE.read_text()
