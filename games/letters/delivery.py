"""Talk to the mail server through one connection; after a refusal, open a new one for the next
letter.

Any of Django's backends serves: SMTP, files, and the APIs of mail providers.
"""

from __future__ import annotations

import contextlib
import smtplib
from typing import Any

from django.core.mail import get_connection

from .mime import Message

#: The answer to the sender's address if the letter is larger than the server takes (RFC 1870, 6.1).
#: Any other refusal of that address is about the service itself and not about the letter.
TOO_LARGE = 552


class Permanent(Exception):
    """Raised where the mail server will never accept this letter for this address."""


class ServerGone(Exception):
    """Raised where the mail server cannot be reached, which is no letter's fault."""


class Server:
    """A connection to the mail server: opened by the first letter, closed on exit."""

    def __init__(self) -> None:
        self._connection: Any = None
        self._gone: ServerGone | None = None

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()

    def send(self, message: Message) -> None:
        """Send a letter. Raise `Permanent`, `ServerGone` (then also for every later letter), or the
        `smtplib` exception for a temporary refusal."""
        if self._gone is not None:
            raise self._gone
        if self._connection is None:
            self._open()
        try:
            if not self._connection.send_messages([message]):
                raise Permanent(f"Nothing was sent to {message.to}.")
        except smtplib.SMTPRecipientsRefused as error:
            self._close()
            (code, answer), *_ = error.recipients.values()
            raise _refusal(code, answer, error) from error
        except smtplib.SMTPResponseException as error:
            self._close()
            if isinstance(error, smtplib.SMTPDataError) or error.smtp_code == TOO_LARGE:
                raise _refusal(error.smtp_code, error.smtp_error, error) from error
            raise
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
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                connection.close()


def _refusal(code: int, answer: bytes | str, error: smtplib.SMTPException) -> Exception:
    """Return `Permanent` for 5xx, which is final (RFC 5321, 4.2.1), else the original error."""
    words = answer.decode(errors="replace") if isinstance(answer, bytes) else str(answer)
    return Permanent(f"{code} {words}") if 500 <= code < 600 else error


def error_line(error: BaseException) -> str:
    """Return an error in one line of at most 300 characters. Some mail servers quote the letter, of
    which no more than this is stored or logged."""
    fault = str(error) if isinstance(error, ServerGone) else f"{type(error).__name__}: {error}"
    return " ".join(fault.partition("\n")[0].partition("\\n")[0].split())[:300]
