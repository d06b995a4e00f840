"""Check that a restored campaign equals the played one (tests/support/stored.py)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail

from games.models import Letter
from tests.support.campaign import Campaign
from tests.support.stored import _rows, stored

pytestmark = [pytest.mark.django_db, pytest.mark.letters, pytest.mark.both_databases]
#: What the first run found, for the second.
SEEN: dict[str, Any] = {}


def _played() -> Campaign:
    SEEN["played"] = SEEN.get("played", 0) + 1
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 3 Poland")
    campaign.pass_deadline()
    return campaign


@pytest.mark.parametrize("time", [1, 2])
def test_second_use_restores_everything_without_playing(time: int) -> None:
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
def test_campaign_is_restored_in_a_transactional_test() -> None:
    campaign = stored("a test of the tests", _played)
    campaign.pass_deadline()
    assert campaign.resolution().phase.number == 2


def test_existing_rows_are_never_overwritten() -> None:
    """Then the builder runs as usual."""
    first = Campaign.begin(title="Another")
    assert stored("a test of the tests", _played).game.pk != first.game.pk
