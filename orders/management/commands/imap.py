from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from gamesmaster.commands import ServiceCommand
from orders.inbound.transports import imap


class Command(ServiceCommand):
    help = (
        "Fetches letters from the mailbox in IMAP_URL and waits for new ones (docs/mail.md). Ctrl-C"
        " ends it; unread letters stay there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="fetch what is there and end, for cron"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            place = imap.box(settings.IMAP_URL)
        except ValueError as error:
            raise CommandError(str(error)) from None
        stopping = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stopping.set())
        self.stdout.write(
            f"Letters are fetched from {place.folder} of {place.user} at {place.host}."
        )
        self.stdout.flush()
        try:
            imap.watch(stopping, once=options["once"])
        except imap.FAULTS as error:
            raise CommandError(f"The mailbox at {place.host} cannot be used: {error}") from error
