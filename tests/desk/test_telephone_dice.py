"""What the pages of the telephone say while the gamesmaster's own dice are due."""

from __future__ import annotations

import html

import pytest
from django.urls import reverse

from games import desk
from games.models import Phase
from tests.desk.conftest import Browser, Watch
from tests.support.campaign import Campaign

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


@pytest.fixture
def rolling(watch: Watch) -> Campaign:
    """Return a game whose closed attacks wait for the gamesmaster's dice."""
    campaign = Campaign.begin(options={"rng.source": "gm_dice"})
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France")
    assert campaign.pass_deadline().status == Phase.Status.DRAWING
    watch.set(campaign.now)
    return campaign


@pytest.mark.parametrize("name", ["desk-telephone", "desk-telephone-table"])
def test_sheets_lead_to_the_dice_that_the_phase_waits_for(
    name: str, rolling: Campaign, as_: Browser
) -> None:
    """The table sheet promised the next phase by itself, which waited for the gamesmaster."""
    page = html.unescape(as_("ada").read(reverse(name, args=[rolling.game.pk])))
    assert "The result follows as soon as you have entered your rolls." in page
    assert f'{reverse("desk", args=[rolling.game.pk])}#figures">To the desk' in page
    desk.enter_rolls(rolling.phase, [3], rolling.ada, rolling.now)
    rolling.wait_until(rolling.now)
    after = html.unescape(as_("ada").read(reverse(name, args=[rolling.game.pk])))
    assert "To the desk" not in after
