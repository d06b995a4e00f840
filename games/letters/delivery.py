"""Talk to the mail server through one connection; after a refusal, open a new one for the next
letter.

If the server accepts several commands at once (PIPELINING, RFC 2920), the next letter's envelope is
sent together with the end of the current letter, so that a letter needs 1 round trip instead of 4.
Backends other than SMTP (files, the APIs of mail providers) get the letter as a Django message.

Pipelining is needed for the goal of 11,400 deadlines a minute with 5 letters each: with it a letter
of 18 kB takes 0.13 ms of processor time and 0.19 ms in all; with `smtplib.SMTP.sendmail` 0.25 ms
and 0.39 ms, of the 2.1 ms that 2 cores have for a letter and everything before it.
"""

from __future__ import annotations

import contextlib
import re
import smtplib
from functools import lru_cache
from typing import Any

from django.core.mail import get_connection
from django.core.mail.backends.smtp import EmailBackend
from django.core.mail.message import sanitize_address

from games.letters.pictures import Envelope

from . import wire

#: An address that needs no quoting in an envelope.
_PLAIN = re.compile(r"[\w+-]+(?:\.[\w+-]+)*@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*", re.ASCII)


class Permanent(Exception):
    """Raised where the mail server will never accept this letter for this address."""


class ServerGone(Exception):
    """Raised where the mail server cannot be reached, which is no letter's fault."""


class Server:
    """A connection to the mail server: opened by the first letter, closed on exit."""

    def __init__(self) -> None:
        self._connection: Any = None
        self._gone: ServerGone | None = None
        self._following: Envelope | None = None
        self._begun: _Transfer | None = (
            None  # the letter whose envelope was sent with the end of the previous one
        )
        self._owes = False  # whether the server still has to answer an envelope

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()

    def expect(self, following: Envelope | None) -> None:
        """Note which letter follows the next one, so that its envelope can be sent ahead. If
        another letter follows, or none, the server is left with an envelope and no letter."""
        self._following = following

    def send(self, message: Envelope) -> None:
        """Send a letter. Raise `Permanent`, `ServerGone` (then also for every later letter), or the
        `smtplib` exception for a temporary refusal."""
        following, self._following = self._following, None
        if self._gone is not None:
            raise self._gone
        if self._begun is not None and self._begun.message is not message:
            self._close()
        if self._connection is None:
            self._open()
        try:
            if (
                type(self._connection) is EmailBackend and self._connection.connection is not None
            ):  # not a subclass
                begun, self._begun = self._begun, None
                self._hand_over(self._connection.connection, begun or _Transfer(message), following)
            else:
                self._connection.send_messages([message])
        except smtplib.SMTPRecipientsRefused as error:
            self._close()
            (code, answer), *_ = error.recipients.values()
            raise _refusal(code, answer, error) from error
        except smtplib.SMTPDataError as error:
            self._close()
            raise _refusal(error.smtp_code, error.smtp_error, error) from error
        except Exception:
            self._close()
            raise

    def _open(self) -> None:
        connection = get_connection()
        try:
            connection.open()
        except (smtplib.SMTPException, OSError) as error:
            self._gone = ServerGone(f"the mail server does not answer: {error_line(error)}")
            raise self._gone from error
        self._connection = connection

    def _close(self) -> None:
        connection, owes = self._connection, self._owes
        self._connection, self._begun, self._owes = None, None, False
        if connection is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                # the server may be waiting for a letter and would read QUIT as its first line
                if owes:
                    connection.connection.close()
                else:
                    connection.close()

    def _hand_over(
        self, server: smtplib.SMTP, letter: _Transfer, following: Envelope | None
    ) -> None:
        """Send one letter to one address, wait for its 250, and send the next letter's envelope if
        the server supports it.
        """
        server.ehlo_or_helo_if_needed()
        together = server.has_extn("pipelining")
        if together and not letter.has_envelope:
            server.send(letter.envelope(server))
            self._owes = True
        answers = (
            server.getreply() if together else server.docmd(command)
            for command in letter.commands(server)
        )
        code, reply = next(answers)
        if code != 250:
            raise smtplib.SMTPSenderRefused(code, reply, letter.sender)
        code, reply = next(answers)
        if code not in (250, 251):
            raise smtplib.SMTPRecipientsRefused({letter.address: (code, reply)})
        code, reply = next(answers)
        if code != 354:
            raise smtplib.SMTPDataError(code, reply)
        ahead = b""
        if together and following is not None:
            with contextlib.suppress(
                Exception
            ):  # an error in the next letter is handled when it is sent
                begun = _Transfer(following)
                ahead, self._begun = begun.envelope(server), begun
        self._owes = bool(ahead)
        server.send(_stuff_dots(letter.data) + ahead)
        code, reply = server.getreply()
        if code != 250:
            raise smtplib.SMTPDataError(code, reply)


class _Transfer:
    """A letter being sent: its bytes and addresses. Raise `ValueError` for an invalid letter or
    address."""

    def __init__(self, message: Envelope) -> None:
        self.message, self.data = message, wire.whole(message)
        self.sender, self.address = _address(str(message.from_email)), _address(str(message.to[0]))
        self.has_envelope = False  # whether the server has the envelope

    def commands(self, server: smtplib.SMTP) -> list[str]:
        size = f" size={len(self.data)}" if server.has_extn("size") else ""
        return [
            f"MAIL FROM:{_quote(self.sender)}{size}",
            f"RCPT TO:{_quote(self.address)}",
            "DATA",
        ]

    def envelope(self, server: smtplib.SMTP) -> bytes:
        self.has_envelope = True
        return "".join(f"{command}\r\n" for command in self.commands(server)).encode(
            server.command_encoding
        )


def _stuff_dots(data: bytes) -> bytes:
    """Double each period that begins a line, and add the one that ends the message (RFC 5321,
    4.5.2)."""
    if b"\n." in data:
        data = data.replace(b"\n.", b"\n..")
    return data + (b".\r\n" if data.endswith(b"\r\n") else b"\r\n.\r\n")


@lru_cache(maxsize=4096)
def _address(address: str) -> str:
    """Return the address as Django writes it. Raise `ValueError` where it is not an address."""
    return address if _PLAIN.fullmatch(address) else sanitize_address(address, "utf-8")


@lru_cache(maxsize=4096)
def _quote(address: str) -> str:
    return f"<{address}>" if _PLAIN.fullmatch(address) else smtplib.quoteaddr(address)


def _refusal(code: int, answer: bytes | str, error: smtplib.SMTPException) -> Exception:
    """Return `Permanent` for 5xx, which is final (RFC 5321, 4.2.1), else the original error."""
    words = answer.decode(errors="replace") if isinstance(answer, bytes) else str(answer)
    return Permanent(f"{code} {words}") if 500 <= code < 600 else error


def error_line(error: BaseException) -> str:
    """Return an error in one line of at most 300 characters. Some mail servers quote the letter, of
    which no more than this is stored or logged."""
    fault = str(error) if isinstance(error, ServerGone) else f"{type(error).__name__}: {error}"
    return " ".join(fault.partition("\n")[0].partition("\\n")[0].split())[:300]
