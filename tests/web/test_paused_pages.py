"""What pages say of the deadline while a game is paused, and after it goes on."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from games import desk
from games.models import Person
from tests.support.campaign import NATIONS, Campaign, person
from tests.web.conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def sentences(page: str) -> str:
    return " ".join(strip_tags(page).split())


@pytest.fixture
def paused(watch: Watch) -> Campaign:
    """Return a game that may end phases early, paused in its first placement."""
    campaign = Campaign.begin(may_lock_early=True)
    desk.pause(campaign.game, "The bell.", campaign.ada, campaign.now)
    watch.set(campaign.now)
    return campaign


def test_order_page_of_a_paused_game_names_its_deadline_in_words(
    paused: Campaign, as_: Browser
) -> None:
    """It said “due no deadline while paused, in the time that was left”."""
    address = reverse("orders", args=[paused.game.pk, paused.seat("Germany").pk])
    page = sentences(as_("gustav").read(address))
    assert "due once the game goes on, in the time that was left" in page


def test_script_of_a_paused_game_names_no_local_time_of_its_deadline(
    paused: Campaign, as_: Browser
) -> None:
    """“That is 01:00 in Paris” was the first of January 2999."""
    Person.objects.filter(pk=person("felix").pk).update(zone="Europe/Paris")
    script = reverse("desk-telephone-script", args=[paused.game.pk])
    page = as_("ada").read(script)
    assert "a date to be announced, because the game is paused.<" in page
    desk.resume(paused.game, "The next lesson.", paused.ada, paused.now)
    assert "in Paris" in as_("ada").read(script)


def test_receipt_of_a_paused_game_does_not_say_that_the_phase_is_judged(
    paused: Campaign, as_: Browser
) -> None:
    """All orders can be final during a pause; the phase closes when the game goes on."""
    *_, last = [paused.order(nation, "PASS", final=True) for nation in NATIONS]
    page = sentences(as_(paused.players[last.seat.nation]).read(last.get_absolute_url()))
    assert "All orders are final: the phase closes once the game goes on." in page
    assert "send the whole set again before that." in page
    assert "being judged" not in page


def test_page_of_a_game_tells_of_pause_and_resumption_without_a_deadline_of_the_pause(
    paused: Campaign, as_: Browser
) -> None:
    """“Moved from no deadline while paused: The game goes on” named a deadline that was none."""
    desk.resume(paused.game, "The next lesson.", paused.ada, paused.now)
    page = sentences(as_("gustav").read(paused.game.get_absolute_url()))
    assert page.count("Moved from ") == 1
    assert "The game goes on: The next lesson." in page
