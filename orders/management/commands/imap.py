from __future__ import annotations

import logging
import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from games.base.commands import ServiceCommand
from orders.inbound.transports import imap

logger = logging.getLogger(__name__)


class Command(ServiceCommand):
    help = (
        "Fetch mail from the mailbox in IMAP_URL and wait for more (docs/mail.md). Press Ctrl-C to"
        " stop; unread mail stays in the mailbox."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="fetch what is there and exit, for cron"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            place = imap.box(settings.IMAP_URL)
        except ValueError as error:
            raise CommandError(str(error)) from None
        stopping = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stopping.set())
        logger.info("Fetching mail from %s of %s at %s.", place.folder, place.user, place.host)
        try:
            imap.watch(stopping, once=options["once"])
        except imap.FAULTS as error:
            raise CommandError(f"Cannot use the mailbox at {place.host}: {error}") from error
