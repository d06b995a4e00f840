from __future__ import annotations

import errno
import logging
import os
import re
import socket
import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from games.base import processes
from games.base.starting import SERVE
from gamesmaster.supervisor import Supervisor
from orders.inbound.transports import lmtp

logger = logging.getLogger(__name__)


def _port(written: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", written) or not 1 <= int(written) <= 65535:
        raise ArgumentTypeError(f"“{written}” is not a port. Write a number from 1 to 65535.")
    return int(written)


class Command(BaseCommand):
    help = (
        "Run the whole service in one process tree: pages, Celery worker and beat. Press Ctrl-C to"
        " stop; no work is lost."
    )
    requires_system_checks: list[str] = []  # run in `handle`, after the secret key is created

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to listen on (default: this machine only)"
        )
        parser.add_argument("--port", type=_port, default=8000)
        parser.add_argument(
            "--workers",
            type=int,
            default=2,
            help="how many phases and batches of letters to process at once",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            processes.prepare()
            call_command("collectstatic", verbosity=0, interactive=False)
        except OSError as error:
            self._check()  # reports the error with a hint, if the folder is the problem
            raise CommandError(
                f"The secret key and static files cannot be written: {error}"
            ) from error
        environment = {"PYTHONUNBUFFERED": "1", "SITE_URL": self._address(options["port"])}
        self._check()
        pages = self._listener(
            "--host", options["host"], options["port"], "Choose another port with --port."
        )
        if settings.LMTP_LISTEN and not lmtp.is_path(settings.LMTP_LISTEN):
            self._listener(
                "LMTP_LISTEN",
                *lmtp.place(settings.LMTP_LISTEN),
                "Another process receives mail there. Stop it, or change LMTP_LISTEN.",
            ).close()
        try:
            call_command("migrate", verbosity=0, interactive=False)
        except OperationalError as error:
            raise CommandError(
                f"The database cannot be used: {str(error).strip()}\n\tHINT: Check DATABASE_URL"
                " and that the database server is running."
            ) from error
        self.before_serving(options)
        # A reader who comes while gunicorn starts waits, and is not refused.
        pages.listen()
        self._say(
            f"The service is at {settings.SITE_URL} (listening on"
            f" {options['host']}:{options['port']}). Press Ctrl-C to stop."
        )
        commands = processes.commands(f"fd://{pages.fileno()}", options["workers"])
        with pages:
            Supervisor(commands, environment, [pages.fileno()]).run()
        self._say("Stopped. The next start catches up on everything that is due by then.")

    def _say(self, words: str, level: int = logging.INFO) -> None:
        """Tell a person at the terminal, or the log if programs read it."""
        if settings.LOG_FORMAT == "json":
            logger.log(level, "%s", words)
        else:
            terminal = self.stdout if level == logging.INFO else self.stderr
            terminal.write(words)
            terminal.flush()

    def _address(self, port: int) -> str:
        """Return the address for letters: SITE_URL if set, else this machine's at the port."""
        if not os.environ.get("SITE_URL"):
            settings.SITE_URL = f"http://127.0.0.1:{port}"
        return str(settings.SITE_URL)

    def _listener(self, setting: str, host: str, port: int, hint: str) -> socket.socket:
        """Return a socket that is bound to the port. Raise `CommandError` if the port is not free,
        before processes start that need it.

        `setting` names the host, `hint` says what to do if another process has the port.
        """
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            listener.close()
            if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
                raise CommandError(
                    f"{setting} names “{host}”, which is not an address of this machine. Write"
                    " 127.0.0.1, or 0.0.0.0 for all addresses of this machine."
                ) from error
            raise CommandError(
                f"{host}:{port} is not available ({error.strerror}). {hint}"
            ) from error
        return listener

    def before_serving(self, options: dict[str, Any]) -> None:
        """Prepare the service after the database is migrated and before pages are served."""

    def _check(self) -> None:
        reports = checks.run_checks(tags=[SERVE], include_deployment_checks=True)
        if not any(message.is_serious() for message in reports):
            reports += checks.run_checks()  # these rely on what the first ones have checked
        for message in reports:
            if not message.is_serious():
                self._say(str(message), logging.WARNING)
        if serious := [message for message in reports if message.is_serious()]:
            for message in serious:
                self.stderr.write(self.style.ERROR(str(message)))
            sys.stderr.flush()
            raise CommandError("The service did not start: see the hints above.")
