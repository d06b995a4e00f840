"""Fixtures for mail: a game that has just begun, and the clock of the pages."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.base import clock
from tests.support.campaign import MONDAY, Campaign


@pytest.fixture
def campaign(db: None) -> Campaign:
    return Campaign.begin()


@pytest.fixture
def a_minute_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the pages' clock a minute after the game began."""
    monkeypatch.setattr(clock, "now", lambda: MONDAY + timedelta(minutes=1))
