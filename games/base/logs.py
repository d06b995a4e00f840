"""Format log lines, for people or as JSON: each with its game and phase, none with a secret.

`concerns(game=..., phase=...)` sets what this thread works on; every line logged afterwards carries
it.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from email.utils import formataddr, getaddresses
from typing import TYPE_CHECKING, Any

from games.base import stack

if TYPE_CHECKING:  # the settings import this module before Django is set up
    from django.http import HttpRequest, HttpResponse

_about: ContextVar[tuple[int | None, int | None]] = ContextVar("about", default=(None, None))

HIDDEN = "…"
#: Removed from every line of any logger: keys at the end of page addresses, keys after a plus sign
#: in mail addresses, passwords in server addresses, values named as secrets, and who has a mail
#: address, so that logs need not be searched when a person is erased. Digests and our own
#: Message-IDs are public and stay.
_SECRETS = [
    (
        re.compile(
            r"((?:/|%2F)(?:(?:login|invitation|calendar|address|mail|mute|take)(?:/|%2F)"
            # folders of an installation are called so, too, and their files have shorter names
            r"|(?:gamesmaster|join)(?:/|%2F)(?=[\w:.=-]{40})))[\w:.=-]{12,}",
            re.IGNORECASE,
        ),
        r"\1" + HIDDEN,
    ),
    (re.compile(r"\+[\w-]{12,}(?=@)"), "+" + HIDDEN),
    (
        re.compile(r"\b([a-z][a-z0-9+.-]*://[^\s/:@'\"]*:)[^\s/@'\"]+(?=@)", re.IGNORECASE),
        r"\1" + HIDDEN,
    ),
    (
        re.compile(
            r"(?i)\b((?:authorization|password|passwd|secret_?key|\w*token|api_?key|sessionid)"
            r"['\"]?\s*[:=]\s*['\"]?(?:bearer\s+|basic\s+)?)[^\s'\",;&]+"
        ),
        r"\1" + HIDDEN,
    ),
    (
        re.compile(r"\b((?i:code)['\"]?\s*[:=]\s*['\"]?)(?:\d{6}|[A-Z2-9]{5}-?[A-Z2-9]{5})\b"),
        r"\1" + HIDDEN,
    ),
    (
        re.compile(
            r"(?<![\w.!#$&'*+=^`{|}~-])(?<!//)(?!(?:letter-|game-\d|orders@))[\w.!#$&'*+=^`{|}~-]+"
            r"(?=(?:@|%40)[\w-]+\.[\w.-]*\w)"
        ),
        HIDDEN,
    ),
]


def scrub(text: str) -> str:
    """Return a text without secrets."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def set_log_context(*, game: int | None = None, phase: int | None = None) -> None:
    """Set what this thread works on from now on, for its log lines; no arguments: nothing."""
    _about.set((game, phase))


@contextmanager
def log_context(*, game: int | None = None, phase: int | None = None) -> Iterator[None]:
    """Set what this thread works on within the block."""
    reset_token = _about.set((game, phase))
    try:
        yield
    finally:
        _about.reset(reset_token)


_GAME = re.compile(r"/games/(\d{1,9})/")


class Pages:
    """Middleware that labels all lines logged during a request with the game of its page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    @stack.roomy
    def __call__(self, request: HttpRequest) -> HttpResponse:
        match = _GAME.match(request.path)
        with log_context(game=int(match[1]) if match else None):
            return self.get_response(request)


class Line(logging.Formatter):
    """Format a record for people: one line, with game and phase in brackets."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name} {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        game, phase = _about.get()
        text = " ".join(
            f"{name} {number}"
            for name, number in (("game", game), ("phase", phase))
            if number is not None
        )
        return scrub(super().format(record)) + (f" [{text}]" if text else "")


class Json(logging.Formatter):
    """Format a record for programs: one JSON object per line, with the time in UTC."""

    def format(self, record: logging.LogRecord) -> str:
        game, phase = _about.get()
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": scrub(record.getMessage()),
            "process": record.process,
        }
        line |= {
            name: number
            for name, number in (("game", game), ("phase", phase))
            if number is not None
        }
        if record.exc_info:
            line["exception"] = scrub(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


class ClientErrors(logging.Filter):
    """Log a refused request (status 400 to 499) as one line at WARNING, without a traceback.

    Django logs some of them with a traceback, and suspicious ones as errors, so that anybody could
    fill the log and cause mail to `ADMINS`.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if 400 <= getattr(record, "status_code", 0) < 500:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = record.exc_text = None
        return True


class ErrorsByMail(logging.Handler):
    """Mail errors to the operators: the line and its traceback; no settings, forms or cookies.

    Each kind is mailed once an hour by each process, however often it occurs.
    """

    PAUSE = 3600.0
    MOST_KINDS = 500

    def __init__(self, to: list[str]) -> None:
        super().__init__(logging.ERROR)
        self.to = to
        self.last_logged: dict[tuple[str, str], float] = {}
        self.setFormatter(Line())

    def emit(self, record: logging.LogRecord) -> None:
        kind = (record.name, str(record.msg))
        if record.levelno < self.level:  # a filter has lowered the level
            return
        if (
            record.name.startswith("django.core.mail")
            or time.monotonic() - self.last_logged.get(kind, -self.PAUSE) < self.PAUSE
        ):
            return
        if len(self.last_logged) >= self.MOST_KINDS:
            self.last_logged.clear()
        self.last_logged[kind] = time.monotonic()
        try:
            from django.core.mail import send_mail

            text = self.format(record)
            first = " ".join(text.splitlines()[0].split())[:150]
            send_mail(f"[Gamesmaster] {first}", text, None, self.to, fail_silently=True)
        except Exception:
            self.handleError(record)


def addresses(written: list[str]) -> list[str]:
    """Return the addresses in ADMINS: plain, or in angle brackets after a name.

    Raise `ValueError`, with the quoted entry, for what is not an address.
    """
    pairs = getaddresses(written)
    for name, address in pairs:
        if not is_address(address):
            raise ValueError(f"“{name or address or ','.join(written)}”")
    return [formataddr(pair) for pair in pairs]


def is_address(written: str) -> bool:
    """Return whether this can be a mail address: a name, an @ and a host."""
    return re.fullmatch(r"[^\s@<>,]+@[^\s@<>,]+", written) is not None
