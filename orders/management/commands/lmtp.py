from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from games.base.commands import ServiceCommand
from games.turns import ways_in
from orders.inbound.transports import lmtp

logger = logging.getLogger(__name__)


class Command(ServiceCommand):
    help = (
        "Receive mail from a mail server by LMTP (docs/mail.md). Press Ctrl-C to stop; the mail"
        " server sends again what was not stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--listen",
            default="",
            help="address and port, or the path of a socket (default: LMTP_LISTEN)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        listen = options["listen"] or settings.LMTP_LISTEN
        if not listen:
            raise CommandError(
                "No address to listen on. Set LMTP_LISTEN, such as 127.0.0.1:8024, or give"
                " --listen."
            )
        try:
            asyncio.run(self._serve(listen))
        except (OSError, ValueError) as error:
            raise CommandError(
                f"Cannot listen on {listen}: {getattr(error, 'strerror', None) or error}"
            ) from error

    async def _serve(self, listen: str) -> None:
        task = asyncio.ensure_future(lmtp.serve(listen, ready=lambda server: self._ready(listen)))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    def _ready(self, listen: str) -> None:
        ways_in.keep_beating(ways_in.MAIL)
        logger.info("Receiving mail by LMTP at %s.", listen)
