"""Log lines: for people or as JSON, each with the game and the phase that it is about, none with a
secret in it.

`concerns(game=..., phase=...)` says what the work of this thread is about from here on; every line
that is logged meanwhile carries it.
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

if TYPE_CHECKING:  # the settings name this module, before Django is there
    from django.http import HttpRequest, HttpResponse

_about: ContextVar[tuple[int | None, int | None]] = ContextVar("about", default=(None, None))

HIDDEN = "…"
#: What no line may hold, whoever logs it: keys at the end of addresses of pages, keys after a plus
# sign in addresses of mail, passwords in : addresses of servers, and what is called a secret.
# Digests and Message-IDs are public and stay.
_SECRETS = [
    (
        re.compile(
            r"((?:/|%2F)(?:login|invitation|calendar|address|mail|mute|take)(?:/|%2F))[\w:.=-]{12,}",
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
]


def scrub(text: str) -> str:
    """A text without secrets."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def concerns(*, game: int | None = None, phase: int | None = None) -> None:
    """What this thread works on from here on; without words: nothing in particular."""
    _about.set((game, phase))


@contextmanager
def about(*, game: int | None = None, phase: int | None = None) -> Iterator[None]:
    """The same for a piece of work that ends."""
    before = _about.set((game, phase))
    try:
        yield
    finally:
        _about.reset(before)


_GAME = re.compile(r"/games/(\d{1,9})/")


class Pages:
    """A page of a game is about that game, in every line that is logged while it is made."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        found = _GAME.match(request.path)
        with about(game=int(found[1]) if found else None):
            return self.get_response(request)


class Line(logging.Formatter):
    """For people: one line, what it is about in brackets."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name} {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        game, phase = _about.get()
        told = " ".join(
            f"{name} {number}"
            for name, number in (("game", game), ("phase", phase))
            if number is not None
        )
        return scrub(super().format(record)) + (f" [{told}]" if told else "")


class Json(logging.Formatter):
    """For programs: one object a line, with an instant in UTC."""

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

    Django logs some of them with a traceback, and what it calls suspicious as an error: anybody
    could fill the log, and write to `ADMINS`.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if 400 <= getattr(record, "status_code", 0) < 500:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = record.exc_text = None
        return True


class ErrorsByMail(logging.Handler):
    """Errors as letters to those who keep the service: the line and where it came from, no
    settings, no forms, no cookies.

    Of each kind one an hour from each process: a fault that comes a thousand times is told once.
    """

    PAUSE = 3600.0
    MOST_KINDS = 500

    def __init__(self, to: list[str]) -> None:
        super().__init__(logging.ERROR)
        self.to = to
        self.told: dict[tuple[str, str], float] = {}
        self.setFormatter(Line())

    def emit(self, record: logging.LogRecord) -> None:
        kind = (record.name, str(record.msg))
        if record.levelno < self.level:  # a filter has made less of it
            return
        if (
            record.name.startswith("django.core.mail")
            or time.monotonic() - self.told.get(kind, -self.PAUSE) < self.PAUSE
        ):
            return
        if len(self.told) >= self.MOST_KINDS:
            self.told.clear()
        self.told[kind] = time.monotonic()
        try:
            from django.core.mail import send_mail

            text = self.format(record)
            first = " ".join(text.splitlines()[0].split())[:150]
            send_mail(f"[Gamesmaster] {first}", text, None, self.to, fail_silently=True)
        except Exception:
            self.handleError(record)


def addresses(written: list[str]) -> list[str]:
    """Addresses as they stand in ADMINS: plain, or with a name before them in pointed brackets."""
    return [formataddr(pair) for pair in getaddresses(written) if "@" in pair[1]]
