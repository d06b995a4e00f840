"""Letters per person, the page as a player sees it, and the gamesmaster's name (issue 25, 7)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.models import Act, Letter, Person
from tests.support.campaign import Campaign, person
from tests.web.conftest import Browser
from tests.web.test_opening import filled

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def test_bounced_letter_is_sent_again_once(campaign: Campaign, as_: Browser) -> None:
    """25.7: letters sent and bounced per person, with “send again”."""
    page = f"/games/{campaign.game.pk}/desk/letters/"
    lost = campaign.letters("opened", "gustav")[-1]
    old = campaign.now - timedelta(days=1)
    change = {"status": "bounced", "fault": "mailbox full", "sent_at": old, "due_at": None}
    Letter.objects.filter(pk=lost.pk).update(**change)
    shown = as_("ada").read(page)
    assert "1 not delivered" in shown
    assert "mailbox full" in shown
    assert as_("ada").post(page, {"letter": lost.code}).status_code == 302
    lost.refresh_from_db()
    assert lost.status == Letter.Status.DEFERRED
    assert "already on its way" in as_("ada").submit(page, {"letter": lost.code}, follow=True)
    other = Campaign.begin().letters("opened", "gustav")[-1]
    assert as_("ada").post(page, {"letter": other.code}).status_code == 404
    assert as_("gustav").get(page).status_code == 403


def test_gamesmaster_views_the_page_as_a_player_on_record(campaign: Campaign, as_: Browser) -> None:
    """25.7: see as player X; recorded and read-only."""
    germany = campaign.seat("Germany")
    page = f"/games/{campaign.game.pk}/desk/as/{germany.pk}/"
    answer = as_("ada").post(page)
    assert answer.status_code == 200
    shown = answer.content.decode()
    assert "<div inert>" in shown
    assert "No orders of yours are in force yet." in shown
    assert "una@example.org" not in shown
    act = Act.objects.get(kind="seen-as")
    assert not act.private
    assert act.words == "The gamesmaster looked at the game as Germany sees it."
    assert as_("ada").get(page).status_code == 405
    assert as_("gustav").post(page).status_code == 403
    campaign.game.gamesmasters.add(person("gustav"))
    assert as_("gustav").post(page).status_code == 403


def test_name_is_required_before_opening_the_first_game(as_: Browser) -> None:
    """25.7, gamesmaster.md B6: invitations name the gamesmaster and show no address."""
    Person.objects.filter(pk=person("ada").pk).update(name="")
    refused = as_("ada").post("/games/new/", filled())
    assert "Enter your name" in refused.content.decode()
    assert as_("ada").post("/games/new/", filled(your_name="Ada")).status_code == 302
    assert person("ada").name == "Ada"
    assert "your_name" not in as_("ada").read("/games/new/")
