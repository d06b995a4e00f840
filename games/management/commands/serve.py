from __future__ import annotations

import os
import socket
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from gamesmaster import processes
from gamesmaster.starting import SERVE
from gamesmaster.supervisor import Supervisor
from orders.inbound.transports import lmtp


class Command(BaseCommand):
    help = (
        "Runs the whole service in one process tree: pages, Celery worker and beat. Ctrl-C ends it;"
        " nothing is lost by that."
    )
    requires_system_checks: list[
        str
    ] = []  # the checks are run below, after the embedded defaults have been laid out

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to listen on (default: this machine only)"
        )
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--workers", type=int, default=2, help="how many phases and batches of letters at once"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            processes.prepare()
        except OSError as error:
            self._check()  # says it with a hint, where it is the folder
            raise CommandError(f"The secret key cannot be written: {error}") from error
        environment = {"PYTHONUNBUFFERED": "1", "SITE_URL": self._address(options["port"])}
        self._check()
        self._listen(options["host"], options["port"], "Choose another with --port.")
        if settings.LMTP_LISTEN and not lmtp.is_path(settings.LMTP_LISTEN):
            self._listen(
                *lmtp.place(settings.LMTP_LISTEN),
                "Another process takes mail there: end it, or change LMTP_LISTEN.",
            )
        try:
            call_command("migrate", verbosity=0, interactive=False)
        except OperationalError as error:
            raise CommandError(
                f"The database cannot be used: {str(error).strip()}\n\tHINT: Look at DATABASE_URL"
                " and whether it answers."
            ) from error
        self.before_serving(options)
        self.stdout.write(
            f"The service is at {settings.SITE_URL} (listening on"
            f" {options['host']}:{options['port']}). Ctrl-C ends it."
        )
        self.stdout.flush()
        commands = processes.commands(options["host"], options["port"], options["workers"])
        Supervisor(commands, environment).run()
        self.stdout.write("Stopped. Everything due meanwhile is done at the next start.")

    def _address(self, port: int) -> str:
        """Return the address in letters: the one set, else this machine's at the port."""
        if not os.environ.get("SITE_URL"):
            settings.SITE_URL = f"http://127.0.0.1:{port}"
        return str(settings.SITE_URL)

    def _listen(self, host: str, port: int, hint: str) -> None:
        """Makes sure that the port is free, before anything is started that would fail for it."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((host, port))
            except OSError as error:
                raise CommandError(
                    f"{host}:{port} cannot be listened on ({error.strerror}). {hint}"
                ) from error

    def before_serving(self, options: dict[str, Any]) -> None:
        """What is done once the database stands and before anybody is let in."""

    def _check(self) -> None:
        found = checks.run_checks(tags=[SERVE], include_deployment_checks=True)
        if not any(message.is_serious() for message in found):
            found += checks.run_checks()  # these use what the first have found to be right
        for message in found:
            if not message.is_serious():
                self.stderr.write(str(message))
        if serious := [message for message in found if message.is_serious()]:
            for message in serious:
                self.stderr.write(self.style.ERROR(str(message)))
            sys.stderr.flush()
            raise CommandError("The service was not started: see the hints above.")
