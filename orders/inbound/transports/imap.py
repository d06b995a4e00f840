"""Fetch mail from a mailbox by IMAP, for operators without a mail server.

It waits there if the server supports it (IDLE), otherwise it checks every `POLL_SECONDS`.

A message is marked as read, and moved if a folder for that is set, only after it is stored. One
that is lost in between is fetched again and recognized by its fingerprint.
"""

from __future__ import annotations

import imaplib
import logging
import re
import threading
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.db import close_old_connections, connections
from imap_tools import AND, BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError

from games.base import clock
from games.turns import ways_in
from orders.inbound import handle, queue
from orders.models import Mail

logger = logging.getLogger(__name__)

#: Seconds of one IDLE wait, in case the server's notice of new mail is lost; and seconds between
#: checks without IDLE.
IDLE_SECONDS = 30
POLL_SECONDS = 60
#: Looks at the mailbox are so far apart at most, or it was away.
SILENT = timedelta(seconds=3 * POLL_SECONDS)
#: How many headers of messages already read are fetched in one request.
HEADERS_AT_ONCE = 200
#: Seconds between attempts to reach the server, doubling.
SHORTEST_WAIT, LONGEST_WAIT = 2.0, 300.0
TIMEOUT = 60
FAULTS = (imaplib.IMAP4.error, ImapToolsError, OSError)


@dataclass(frozen=True)
class Box:
    """The mailbox to fetch from: `imaps://user:password@host:993/INBOX`.

    imap+tls starts unencrypted and upgrades; imap stays unencrypted.
    """

    scheme: str
    user: str
    password: str
    host: str
    port: int
    folder: str


def box(url: str) -> Box:
    """Parse IMAP_URL. Raise `ValueError` with one sentence that never shows the password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(
            "IMAP_URL cannot be read. Write imaps://user:password@host/INBOX, with signs such as @"
            " written as %40."
        ) from None
    if (
        parts.scheme not in ("imap", "imaps", "imap+tls")
        or not parts.hostname
        or not parts.username
    ):
        raise ValueError("IMAP_URL names no mailbox. Write imaps://user:password@host/INBOX.")
    return Box(
        parts.scheme,
        unquote(parts.username),
        unquote(parts.password or ""),
        parts.hostname,
        port or (993 if parts.scheme == "imaps" else 143),
        unquote(parts.path.strip("/")) or "INBOX",
    )


def connect(place: Box) -> BaseMailBox:
    """Return a mailbox that is logged in, with its folder selected."""
    mailbox: BaseMailBox
    if place.scheme == "imaps":
        mailbox = MailBox(place.host, place.port, timeout=TIMEOUT)
    elif place.scheme == "imap+tls":
        mailbox = MailBoxStartTls(place.host, place.port, timeout=TIMEOUT)
    else:
        mailbox = MailBoxUnencrypted(place.host, place.port, timeout=TIMEOUT)
    try:
        return mailbox.login(place.user, place.password, initial_folder=place.folder)
    except BaseException:
        mailbox.client.shutdown()
        raise


def fetch(mailbox: BaseMailBox, handled: str) -> int:
    """Store every unread message and return how many were seen.

    `handled` is the folder to move them to afterwards; "" leaves them where they are. A message for
    an address that is not ours is marked as read and stays.

    Raise any database error; then the message stays unread and is fetched again.
    """
    seen = 0
    for uid in mailbox.uids(AND(seen=False)):
        too_large = queue.is_too_large(_number(mailbox, uid))
        raw = _raw(mailbox, uid, "HEADER" if too_large else "")
        too_large = too_large or queue.is_too_large(len(raw))  # some servers estimate the size
        is_ours = bool(queue.own_addresses(raw))
        if is_ours:
            handle.take_in(
                raw,
                way=Mail.Way.IMAP,
                envelope_from=None,
                envelope_to=[],
                now=clock.now(),
                headers_only=too_large,
            )
        elif raw:
            logger.warning("a letter in the mailbox is for an address that is not ours: left there")
        seen += 1
        mailbox.flag(uid, "\\Seen", True)
        if handled and is_ours:
            mailbox.move(uid, handled)
    return seen


def tidy(mailbox: BaseMailBox, handled: str) -> None:
    """Move messages that are read and stored already, and mark as unread those to a reader's own
    address that are not stored.

    The first were left behind when a connection broke between marking and moving. The others were
    moved back after a restore, or opened by another program.
    """
    heads = {
        message.uid: message.obj.as_bytes()
        for message in mailbox.fetch(
            AND(seen=True), mark_seen=False, headers_only=True, bulk=HEADERS_AT_ONCE
        )
        if message.uid
    }
    names = {uid: queue.header(head, "message-id") for uid, head in heads.items()}
    stored_names = queue.known_names(set(names.values()) - {""})
    for uid, head in heads.items():
        if names[uid] in stored_names and queue.is_known(_raw(mailbox, uid)):
            mailbox.move(uid, handled)
        elif any(map(queue.key_in, queue.own_addresses(head))):
            mailbox.flag(uid, "\\Seen", False)


def _number(mailbox: BaseMailBox, uid: str) -> int:
    """Return the size of a message in bytes, before fetching it."""
    _, data = mailbox.client.uid("fetch", uid, "(RFC822.SIZE)")
    match = re.search(rb"RFC822\.SIZE (\d+)", b" ".join(_bytes(data)))
    return int(match[1]) if match else 0


def _raw(mailbox: BaseMailBox, uid: str, section: str = "") -> bytes:
    """Return a message or one section byte for byte; b"" if it is gone.

    It is not marked as read.
    """
    _, data = mailbox.client.uid("fetch", uid, f"(BODY.PEEK[{section}])")
    return next((part[1] for part in data if isinstance(part, tuple)), b"")


def _bytes(data: Any) -> list[bytes]:
    return [
        piece
        for part in data or []
        for piece in (part if isinstance(part, tuple) else (part,))
        if isinstance(piece, bytes)
    ]


def _folder(mailbox: BaseMailBox, name: str) -> str:
    """Return the folder for handled messages, creating it if needed; "" if the server refuses."""
    if not name:
        return ""
    try:
        if not mailbox.folder.exists(name):
            mailbox.folder.create(name)
    except FAULTS as error:
        logger.warning(
            "the folder “%s” cannot be had (%s): letters stay where they are, marked as read",
            name,
            error,
        )
        return ""
    return name


def watch(stopping: threading.Event, *, once: bool = False) -> None:
    """Fetch, wait and fetch again until stopped.

    If the server cannot be reached, retry with growing waits. `once`: fetch once, and raise any
    error.
    """
    place, wait = box(settings.IMAP_URL), SHORTEST_WAIT
    while not stopping.is_set():
        try:
            mailbox = connect(place)
            try:
                handled = _folder(mailbox, settings.IMAP_HANDLED)
                wait = SHORTEST_WAIT
                if handled:
                    tidy(mailbox, handled)
                _stay(mailbox, handled, stopping, once)
            finally:
                _leave(mailbox)
        # After a mailbox or database error the messages stay in the mailbox.
        except Exception as error:
            if once:
                raise
            logger.error(
                "letters cannot be fetched from %s (%s: %s); tried again in %.0f seconds",
                place.host,
                type(error).__name__,
                error,
                wait,
            )
            stopping.wait(wait)
            wait = min(LONGEST_WAIT, wait * 2)
        if once:
            return


def _stay(mailbox: BaseMailBox, handled: str, stopping: threading.Event, once: bool) -> None:
    # Ask again here: many servers announce IDLE only after the login.
    idles = b"IDLE" in b" ".join(_bytes(mailbox.client.capability()[1])).upper().split()
    while not stopping.is_set():
        close_old_connections()
        began = clock.now()
        try:
            while fetch(mailbox, handled):
                # The server may have announced another message while this one was moved, and
                # announces each only once.
                pass
            if not once:  # from cron, nobody knows when it comes again
                ways_in.beat(ways_in.MAIL, began, SILENT)
        finally:
            connections.close_all()
        if once:
            return
        if idles:
            _wait_there(mailbox, stopping)
        else:
            stopping.wait(POLL_SECONDS)
            mailbox.client.noop()


def _wait_there(mailbox: BaseMailBox, stopping: threading.Event) -> None:
    """Wait until the server announces something; in short steps, so that stopping is quick."""
    with mailbox.idle as idle:
        for _ in range(IDLE_SECONDS // 2):
            if idle.poll(timeout=2) or stopping.is_set():
                return


def _leave(mailbox: BaseMailBox) -> None:
    try:
        mailbox.logout()
    except FAULTS:
        mailbox.client.shutdown()
