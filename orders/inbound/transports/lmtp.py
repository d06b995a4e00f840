"""The LMTP server (RFC 2033) to which a mail server delivers messages.

One reply for each recipient, and 250 only once the message is stored. The event loop only talks to
the network. Everything that uses the database runs in threads, each with its own connection, which
is closed when the message is done.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import Envelope, Session
from django.conf import settings
from django.db import close_old_connections, connections

from games.base import clock
from games.models.service import ServiceHeld
from orders.inbound import handle, queue
from orders.models import Mail

logger = logging.getLogger(__name__)

#: How many messages are stored and handled at once, and how many seconds a client may be silent.
AT_ONCE = 4
SILENCE = 120
MOST_RECIPIENTS = 50

KEPT = "250 2.0.0 Kept"
TOO_LARGE = "552 5.3.4 This message is too large"
LATER = "451 4.3.0 The service cannot keep this message just now; try again"


class Handler:
    """The callbacks of the protocol: whether a recipient is ours, and the result for a message."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self.threads = threads

    async def handle_RCPT(  # noqa: N802 (aiosmtpd calls it so)
        self, server: Any, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients at once; send the rest in another transaction"
        if not queue.is_ours(address):
            return "550 5.1.1 No such address here"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: Any, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Return one reply line for each recipient, in their order."""
        # The message is complete now, however long it waits for a thread.
        raw, received = (
            envelope.original_content or b"",
            clock.now(),
        )
        loop = asyncio.get_running_loop()
        answers = []
        for recipient in envelope.rcpt_tos:
            answers.append(
                await loop.run_in_executor(
                    self.threads, deliver, raw, envelope.mail_from or "", recipient, received
                )
            )
        return "\r\n".join(answers)


def deliver(raw: bytes, sender: str, recipient: str, received: datetime) -> str:
    """Store and handle a message for one recipient, and return the reply line."""
    close_old_connections()
    try:
        handle.take_in(
            raw, way=Mail.Way.LMTP, envelope_from=sender, envelope_to=[recipient], now=received
        )
    except queue.TooLarge as error:
        return f"552 5.3.4 {error}"
    except ServiceHeld:
        logger.warning(
            "a message for %s was refused for now: the service is held after a restore; run"
            " `manage.py resume --yes`",
            recipient,
        )
        return LATER
    except Exception:
        logger.exception("a message for %s could not be kept", recipient)
        return LATER
    finally:
        connections.close_all()
    return KEPT


class Server(LMTP):
    """LMTP as in RFC 2033: every reply after the message is sent once for each recipient.

    The size of the message is its only limit. Mail servers hand on lines longer than the 998
    bytes of RFC 5322, 2.1.1, and a refusal would return the message to its sender.
    """

    def __init__(self, handler: Handler, *, largest: int) -> None:
        self.line_length_limit = largest
        super().__init__(
            handler,
            data_size_limit=largest,
            hostname=settings.SITE_HOST,
            ident="Gamesmaster",
            timeout=SILENCE,
            enable_SMTPUTF8=True,
        )

    async def push(self, status: Any) -> None:
        # A line that is too long makes the message too large.
        if isinstance(status, str) and status.startswith(
            ("552 Error: Too much", "500 Line too long")
        ):
            recipients = len(self.envelope.rcpt_tos) if self.envelope else 1
            status = "\r\n".join([TOO_LARGE] * recipients)
        await super().push(status)


async def serve(listen: str, ready: Callable[[asyncio.AbstractServer], None] | None = None) -> None:
    """Listen on `host:port`, `[v6]:port` or a socket's path until cancelled. Raise `OSError`."""
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="lmtp") as threads:
        handler = Handler(threads)

        def protocol() -> Server:
            return Server(handler, largest=settings.MAIL_LARGEST)

        loop = asyncio.get_running_loop()
        if is_path(listen):
            _sweep(listen)
            server = await loop.create_unix_server(protocol, path=listen)
            # The mail server's group may write; the folder determines that group.
            os.chmod(listen, 0o660)
        else:
            host, port = place(listen)
            server = await loop.create_server(protocol, host, port)
        if ready is not None:
            ready(server)
        async with server:
            await server.serve_forever()


def is_path(listen: str) -> bool:
    return "/" in listen


def place(listen: str) -> tuple[str, int]:
    """Return host and port of `127.0.0.1:8024` or `[::1]:8024`. Raise `ValueError`."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 <= int(port) <= 65535:
        raise ValueError(
            f"“{listen}” is no place to listen on. Write an address such as 127.0.0.1:8024, or the"
            " path of a socket."
        )
    return host.strip("[]"), int(port)


def _sweep(path: str) -> None:
    """Remove a socket left behind by an earlier run; leave any other file with that name alone."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(os.stat(path).st_mode):
            os.unlink(path)
