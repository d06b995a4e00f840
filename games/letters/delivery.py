"""The mail server, through one connection as long as it lasts; after any refusal a fresh one is
opened for the next letter.

Where the server takes several commands at a time (PIPELINING, RFC 2920), the envelope of the next
letter goes out with the end of the one before, and a letter needs one answer; else four. Other ways
out than SMTP (files, providers' own interfaces) get the letter as Django's backends take it.

Pipelining stays for the goal of 11,400 deadlines a minute with five letters each: with it a letter
of 18 kB takes the worker 0.13 ms of computing and 0.19 ms in all, through `smtplib.SMTP.sendmail`
0.25 ms and 0.39 ms, of the 2.1 ms that two cores have for a letter and everything before it.
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

#: An address that goes into an envelope as it is.
_PLAIN = re.compile(r"[\w+-]+(?:\.[\w+-]+)*@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*", re.ASCII)


class Permanent(Exception):
    """The mail server will never take this letter for this address."""


class ServerGone(Exception):
    """The mail server cannot be talked to: no fault of any one letter."""


class Server:
    """Opened by the first letter, closed at the end."""

    def __init__(self) -> None:
        self._connection: Any = None
        self._gone: ServerGone | None = None
        self._following: Envelope | None = None
        self._begun: _Begun | None = (
            None  # the letter whose envelope went out with the end of the one before
        )
        self._owes = False  # whether the server has still to answer to an envelope

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()

    def expect(self, following: Envelope | None) -> None:
        """Which letter comes after the next one, so that its envelope may go out at once. Where
        another one comes after all, or none, the server is left with an envelope and no letter."""
        self._following = following

    def send(self, message: Envelope) -> None:
        """Raises `Permanent`, `ServerGone` (then for every later letter too), or what `smtplib`
        raises for a refusal that may pass."""
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
            ):  # not what is made of it
                begun, self._begun = self._begun, None
                self._hand_over(self._connection.connection, begun or _Begun(message), following)
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
            self._gone = ServerGone(f"the mail server does not answer: {in_a_line(error)}")
            raise self._gone from error
        self._connection = connection

    def _close(self) -> None:
        connection, owes = self._connection, self._owes
        self._connection, self._begun, self._owes = None, None, False
        if connection is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                # it may wait for a letter by now, and would take a farewell for the first line of
                # it
                if owes:
                    connection.connection.close()
                else:
                    connection.close()

    def _hand_over(self, server: smtplib.SMTP, letter: _Begun, following: Envelope | None) -> None:
        """One letter to one address, and the 250 for it, and where that can be, the envelope of the
        next.

        Raises what `smtplib.SMTP.sendmail` raises; the connection has then to be closed.
        """
        server.ehlo_or_helo_if_needed()
        together = server.has_extn("pipelining")
        if together and not letter.said:
            server.send(letter.envelope(server))
            self._owes = True
        answers = (
            server.getreply() if together else server.docmd(command)
            for command in letter.commands(server)
        )
        code, said = next(answers)
        if code != 250:
            raise smtplib.SMTPSenderRefused(code, said, letter.sender)
        code, said = next(answers)
        if code not in (250, 251):
            raise smtplib.SMTPRecipientsRefused({letter.address: (code, said)})
        code, said = next(answers)
        if code != 354:
            raise smtplib.SMTPDataError(code, said)
        ahead = b""
        if together and following is not None:
            with contextlib.suppress(
                Exception
            ):  # what is wrong with the next letter is met when it is its turn
                begun = _Begun(following)
                ahead, self._begun = begun.envelope(server), begun
        self._owes = bool(ahead)
        server.send(_stuff_dots(letter.data) + ahead)
        code, said = server.getreply()
        if code != 250:
            raise smtplib.SMTPDataError(code, said)


class _Begun:
    """A letter on its way: its bytes and its addresses. Raises `ValueError` for what is no letter
    or no address."""

    def __init__(self, message: Envelope) -> None:
        self.message, self.data = message, wire.whole(message)
        self.sender, self.address = _address(str(message.from_email)), _address(str(message.to[0]))
        self.said = False  # whether the server has the envelope

    def commands(self, server: smtplib.SMTP) -> list[str]:
        size = f" size={len(self.data)}" if server.has_extn("size") else ""
        return [
            f"MAIL FROM:{_quote(self.sender)}{size}",
            f"RCPT TO:{_quote(self.address)}",
            "DATA",
        ]

    def envelope(self, server: smtplib.SMTP) -> bytes:
        self.said = True
        return "".join(f"{command}\r\n" for command in self.commands(server)).encode(
            server.command_encoding
        )


def _stuff_dots(data: bytes) -> bytes:
    """With a full stop before each that begins a line, and the one that ends it all (RFC 5321,
    4.5.2)."""
    if b"\n." in data:
        data = data.replace(b"\n.", b"\n..")
    return data + (b".\r\n" if data.endswith(b"\r\n") else b"\r\n.\r\n")


@lru_cache(maxsize=4096)
def _address(address: str) -> str:
    """As Django writes it. Raises `ValueError` where it is none."""
    return address if _PLAIN.fullmatch(address) else sanitize_address(address, "utf-8")


@lru_cache(maxsize=4096)
def _quote(address: str) -> str:
    return f"<{address}>" if _PLAIN.fullmatch(address) else smtplib.quoteaddr(address)


def _refusal(code: int, answer: bytes | str, error: smtplib.SMTPException) -> Exception:
    """5xx is for good (RFC 5321, 4.2.1); anything else may pass."""
    words = answer.decode(errors="replace") if isinstance(answer, bytes) else str(answer)
    return Permanent(f"{code} {words}") if 500 <= code < 600 else error


def in_a_line(error: BaseException) -> str:
    """What went wrong, in one line. Some mail servers quote what they were given: no more of that
    is kept or logged than begins a line."""
    said = str(error) if isinstance(error, ServerGone) else f"{type(error).__name__}: {error}"
    return " ".join(said.partition("\n")[0].partition("\\n")[0].split())[:300]
