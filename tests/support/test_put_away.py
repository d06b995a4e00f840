"""Letters of tests that are not marked `letters` (tests/conftest.py)."""

from __future__ import annotations

import pytest
from django.core import mail

from games.models import Letter
from tests.support.campaign import Campaign
from tests.support.examples import WHOLE

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(WHOLE, reason="a soak writes and sends all letters"),
]


def test_letters_are_noted_as_sent_and_not_written() -> None:
    campaign = Campaign.begin()
    campaign.pass_deadline()
    letters = Letter.objects.filter(game=campaign.game)
    assert set(letters.values_list("status", "text", "due_at")) == {(Letter.Status.SENT, "", None)}


def test_reading_the_outbox_fails() -> None:
    """A test for the absence of something in it would otherwise always succeed."""
    with pytest.raises(pytest.fail.Exception, match=r"mark this test .* with pytest.mark.letters"):
        assert mail.outbox == []
    with pytest.raises(pytest.fail.Exception):
        list(mail.outbox)


@pytest.mark.letters
def test_marked_test_gets_letters() -> None:
    campaign = Campaign.begin()
    campaign.pass_deadline()
    assert len(mail.outbox) > 5
    assert not Letter.objects.filter(game=campaign.game, kind="board", text="").exists()
