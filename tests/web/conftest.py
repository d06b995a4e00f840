"""Fixtures shared by the tests of the pages: a clock to set, browsers, a running campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from pytest_django import Settings

from games.base import clock
from games.models import operator, service
from tests.support.browsing import Visitor, log_in
from tests.support.campaign import MONDAY, Campaign

Browser = Callable[..., Visitor]


class Watch:
    """The clock of the pages; tests set it to `campaign.now`."""

    def __init__(self) -> None:
        self.now = MONDAY

    def set(self, now: datetime) -> None:
        self.now = now

    def pass_by(self, **span: float) -> datetime:
        self.now += timedelta(**span)
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    monkeypatch.setattr(clock, "now", lambda: watch.now)
    return watch


@pytest.fixture(autouse=True)
def _always_watched(watch: Watch) -> None:
    """Keep the machine's clock out of all pages."""


@pytest.fixture
def client() -> Visitor:
    return Visitor()


@pytest.fixture
def as_(db: None) -> Browser:
    """Return a function that returns a browser logged in as a person; without a name, a
    stranger's."""
    return log_in


@pytest.fixture
def campaign(db: None) -> Campaign:
    """Return a public game in its first placement."""
    return Campaign.begin()


@pytest.fixture
def private(db: None) -> Campaign:
    """Return a game that strangers may not see."""
    return Campaign.begin(public=False)


@pytest.fixture
def in_earnest(db: None, settings: Settings) -> Iterator[None]:
    """Make each page ask whether the service is held, as a process does every few seconds."""
    settings.HELD_BELIEVED_SECONDS = 3600.0
    service.forget()
    assert not service.is_held()
    yield
    service.forget()
    operator._known.until = 0.0  # later tests must not see a cached announcement
