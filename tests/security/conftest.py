"""What these tests share: a clock that they set, and browsers for the cast."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client

from games.models import Person
from gamesmaster import clock
from tests.support.cast import MONDAY, Campaign, person
from tests.support.stored import begun

Browser = Callable[..., Client]
BACKEND = "django.contrib.auth.backends.ModelBackend"


class Watch:
    """The time of the pages."""

    def __init__(self) -> None:
        self.now = MONDAY

    def pass_by(self, **span: float) -> datetime:
        self.now += timedelta(**span)
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    found = Watch()
    monkeypatch.setattr(clock, "now", lambda: found.now)
    return found


@pytest.fixture
def as_(db: None) -> Browser:
    """A browser in which one of the cast is logged in; nobody where no name is given."""

    def browser(name: str | Person | None = None) -> Client:
        client = Client()
        if name is not None:
            client.force_login(name if isinstance(name, Person) else person(name), backend=BACKEND)
        return client

    return browser


@pytest.fixture
def campaign(db: None) -> Campaign:
    """A public game in its first placement."""
    return begun()
