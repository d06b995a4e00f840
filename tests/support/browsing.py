"""Log in browsers of the cast and send waiting letters."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from django.test import Client

from games.letters import sending
from games.models import Person
from tests.support.campaign import person

BACKEND = "django.contrib.auth.backends.ModelBackend"


class Visitor(Client):
    """A browser whose pages are read as text."""

    def read(self, path: str, data: Any = None, **more: Any) -> str:
        """Return the text of a page."""
        return self.get(path, data, **more).content.decode()

    def submit(self, path: str, data: Any = None, **more: Any) -> str:
        """Send a form; return the text of the answering page."""
        return self.post(path, data, **more).content.decode()


def log_in(who: str | Person | None = None) -> Visitor:
    """Return a browser in which this person is logged in, or nobody."""
    browser = Visitor()
    if who:
        browser.force_login(who if isinstance(who, Person) else person(who), backend=BACKEND)
    return browser


def unmarked(html: str) -> str:
    """Return HTML without what keeps odds and ranges in one line (games.base.pairs)."""
    return re.sub(
        '<span (?:class="unbroken"|style="white-space:nowrap")>([^<]*)</span>', r"\1", html
    )


def send_letters(now: datetime) -> int:
    """Send the letters that wait; return how many were sent."""
    token, ids = sending.claim(now, 10_000)
    return sending.send(ids, token, now)
