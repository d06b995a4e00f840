"""Fetching letters from a mailbox by IMAP, for those who run no mail server.

It waits there where the server can (IDLE), and else looks each minute.

A letter is marked as read, and moved where the mailbox has a place for it, only after it is kept:
what is lost in between is fetched again, and known by its fingerprint.
"""

from __future__ import annotations

import imaplib
import logging
import re
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.db import close_old_connections, connections
from imap_tools import AND, BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError

from gamesmaster import clock
from orders.inbound import handle, queue
from orders.models import Mail

logger = logging.getLogger(__name__)

#: How long one waiting lasts, should its server's word of a new letter get lost; how often is
# looked where waiting is not to be had.
IDLE_SECONDS = 30
POLL_SECONDS = 60
#: Headers of letters that are read already, fetched at once.
HEADERS_AT_ONCE = 200
#: Between tries to reach the server, doubling.
SHORTEST_WAIT, LONGEST_WAIT = 2.0, 300.0
TIMEOUT = 60
FAULTS = (imaplib.IMAP4.error, ImapToolsError, OSError)


@dataclass(frozen=True)
class Box:
    """Where letters are fetched: `imaps://user:password@host:993/INBOX`. imap+tls begins in the
    clear and changes; imap stays so."""

    scheme: str
    user: str
    password: str
    host: str
    port: int
    folder: str


def box(url: str) -> Box:
    """Reads IMAP_URL. Raises `ValueError` with one sentence, that never shows the password."""
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
    """A mailbox that is logged in, with its folder chosen."""
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
    """Take in every unread letter and return how many were looked at.

    `handled` is the folder they go to afterwards; "" leaves them where they are. A letter for an
    address that is not ours is marked as read and stays.

    Raises what the database raises: the letter stays unread, and is fetched anew.
    """
    taken = 0
    for uid in mailbox.uids(AND(seen=False)):
        too_large = queue.is_too_large(_number(mailbox, uid))
        raw = _raw(mailbox, uid, "HEADER" if too_large else "")
        ours = bool(queue.own_addresses(raw))
        if ours:
            take_in = handle.take_in_headers if too_large else handle.take_in
            take_in(raw, way=Mail.Way.IMAP, envelope_from=None, envelope_to=[], now=clock.now())
        elif raw:
            logger.warning("a letter in the mailbox is for an address that is not ours: left there")
        taken += 1
        mailbox.flag(uid, "\\Seen", True)
        if handled and ours:
            mailbox.move(uid, handled)
    return taken


def move_known(mailbox: BaseMailBox, handled: str) -> int:
    """Move letters that are read and kept already, and return how many.

    A connection that broke between marking and moving has left them behind.
    """
    named = {
        message.uid: queue.header(message.obj.as_bytes(), "message-id")
        for message in mailbox.fetch(
            AND(seen=True), mark_seen=False, headers_only=True, bulk=HEADERS_AT_ONCE
        )
        if message.uid
    }
    kept = queue.known_names(set(named.values()) - {""})
    moved = 0
    for uid, name in named.items():
        if name in kept and queue.is_known(_raw(mailbox, uid)):
            mailbox.move(uid, handled)
            moved += 1
    return moved


def _number(mailbox: BaseMailBox, uid: str) -> int:
    """The size of a letter in bytes, before it is fetched."""
    _, data = mailbox.client.uid("fetch", uid, "(RFC822.SIZE)")
    match = re.search(rb"RFC822\.SIZE (\d+)", b" ".join(_bytes(data)))
    return int(match[1]) if match else 0


def _raw(mailbox: BaseMailBox, uid: str, section: str = "") -> bytes:
    """Return a letter byte for byte, or one section of it, without marking it as read; b"" if it is
    gone."""
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
    """The folder for letters that are done with, made where there is none; "" where the server does
    not want one."""
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
    """Fetches, waits and fetches again until told to stop; a server that cannot be reached is tried
    ever more slowly."""
    place, wait = box(settings.IMAP_URL), SHORTEST_WAIT
    while not stopping.is_set():
        try:
            mailbox = connect(place)
            try:
                handled = _folder(mailbox, settings.IMAP_HANDLED)
                wait = SHORTEST_WAIT
                if handled:
                    move_known(mailbox, handled)
                _stay(mailbox, handled, stopping, once)
            finally:
                _leave(mailbox)
        except (
            Exception
        ) as error:  # the mailbox or the database: in either case the letters wait in the mailbox
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
    idles = (
        b"IDLE" in b" ".join(_bytes(mailbox.client.capability()[1])).upper().split()
    )  # many servers say so only after the login
    while not stopping.is_set():
        close_old_connections()
        try:
            while fetch(mailbox, handled):
                # the server may have told of another letter while this one was moved, and does not
                # tell twice
                pass
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
    """Until the server says that something has come; in short steps, so that it ends soon when the
    service does."""
    with mailbox.idle as idle:
        for _ in range(IDLE_SECONDS // 2):
            if idle.poll(timeout=2) or stopping.is_set():
                return


def _leave(mailbox: BaseMailBox) -> None:
    try:
        mailbox.logout()
    except FAULTS:
        mailbox.client.shutdown()
