"""Campaigns that are put back are those that were played (tests/support/stored.py)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail

from games.models import Letter
from tests.support.campaign import Campaign
from tests.support.stored import _rows, stored

pytestmark = pytest.mark.django_db
#: What the first of two tests has found, for the second.
SEEN: dict[str, Any] = {}


def _played() -> Campaign:
    SEEN["played"] = SEEN.get("played", 0) + 1
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 3 Poland")
    campaign.pass_deadline()
    return campaign


@pytest.mark.parametrize("time", [1, 2])
def test_the_second_time_everything_is_as_it_was_and_nothing_is_played(time: int) -> None:
    campaign = stored("a test of the tests", _played)
    found = (
        sorted((statement, sorted(map(repr, rows))) for statement, rows in _rows()),
        len(mail.outbox),
        repr(campaign.game),
        campaign.now,
    )
    assert SEEN.setdefault("found", found) == found
    assert SEEN["played"] == 1
    assert campaign.board()["Poland"]["Germany"].pf == 3
    campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    campaign.pass_deadline()
    assert campaign.game.status == "running"
    assert Letter.objects.filter(kind="board", address="gustav@example.org").count() == 2


@pytest.mark.django_db(transaction=True)
def test_it_comes_back_where_nothing_is_rolled_back_too() -> None:
    campaign = stored("a test of the tests", _played)
    campaign.pass_deadline()
    assert campaign.resolution().phase.number == 2


def test_what_stands_in_the_database_already_is_never_written_over() -> None:
    """Then it is played as ever."""
    first = Campaign.begin(title="Another")
    assert stored("a test of the tests", _played).game.pk != first.game.pk
