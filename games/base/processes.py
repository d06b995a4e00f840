"""The command lines of the processes: the same for `serve`, `play` and `deploy/`."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping

from django.conf import settings


def commands(bind: str, workers: int) -> Mapping[str, list[str]]:
    """Return the commands of web, worker, beat, and the configured ways in for mail. `bind` is
    where gunicorn listens, such as "127.0.0.1:8000".

    Without a broker there is no beat: the worker ticks by itself (gamesmaster.celery). The worker
    runs threads: time limits matter less on one machine than a quick start, and threads share the
    calls that are kept in memory.
    """
    python = sys.executable
    # The warning about running as root is for people who write a service unit, not for those who
    # try `make play`.
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
        for name, configured in (("lmtp", settings.LMTP_LISTEN), ("imap", settings.IMAP_URL))
        if configured
    }
    # Beat has no state: the database says what is due. So it keeps no file that a power cut could
    # damage.
    beat = [*celery, "beat", "--scheduler", "celery.beat:Scheduler", "--pidfile", "", *level]
    return {
        "web": [
            *(python, "-m", "gunicorn", "gamesmaster.wsgi:application", "--bind", bind),
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
    """Create a secret key in `var/`, readable only by this user, if none is set."""
    if not os.environ.get("SECRET_KEY") and not settings.SECRET_KEY_FILE.exists():
        descriptor = os.open(settings.SECRET_KEY_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        settings.SECRET_KEY = settings.SECRET_KEY_FILE.read_text()
