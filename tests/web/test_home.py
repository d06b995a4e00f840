"""The front page, the printed scenarios and the health page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from games.accounts import tokens
from games.models import Game, Invitation, Pulse
from tests.support.campaign import Campaign, person

from .conftest import Browser, Watch

pytestmark = [pytest.mark.django_db, pytest.mark.quick]


def test_player_reads_reasons_to_wait(as_: Browser, private: Campaign) -> None:
    page = as_("gustav").read(reverse("home"))
    assert "You play Germany" in page
    assert "No orders of yours are in force yet" in page
    assert f"/orders/{private.seat('Germany').pk}/" in page
    private.order("Germany", "PLACE 3 Poland")
    assert "have not sent" not in as_("gustav").read(reverse("home"))


def test_gamesmaster_finds_own_games(as_: Browser, private: Campaign) -> None:
    assert "You run this game" in as_("ada").read(reverse("home"))


@pytest.mark.both_databases
def test_front_page_offers_a_free_seat_and_shows_the_longest_game(
    as_: Browser, watch: Watch, settings: Any
) -> None:
    """Review of a player, B9: the seat was taken and the game over, and the map was empty."""
    settings.DEMONSTRATION = True
    campaign = Campaign.begin(title="The lights go out")
    campaign.order("Germany", "PLACE 3 Poland")
    campaign.pass_deadline()
    Campaign.begin(title="Begun just now")
    watch.set(campaign.now)
    invitation = tokens.new_invitation(
        campaign.seat("USA"), "nora@example.org", campaign.ada, campaign.now
    )
    page = as_().read(reverse("home"))
    assert "One seat of this demonstration is yours" in page
    assert "The lights go out</a>, Turn 1, attacks" in page.split("<figcaption>")[1]
    Invitation.objects.filter(pk=invitation.pk).update(accepted_at=campaign.now)
    assert "One seat of this demonstration" not in as_().read(reverse("home"))


@pytest.mark.both_databases
def test_private_games_are_listed_only_to_their_people(as_: Browser, private: Campaign) -> None:
    for name in (None, "charlie"):
        assert private.game.title not in as_(name).read(reverse("home"))


@pytest.mark.both_databases
def test_public_games_are_listed_to_everybody(as_: Browser, campaign: Campaign) -> None:
    assert campaign.game.title in as_().read(reverse("home"))


def test_home_and_health_refuse_post(as_: Browser) -> None:
    for name in ("home", "health"):
        assert as_().post(reverse(name)).status_code == 405


def test_scenario_is_shown_with_its_origin(as_: Browser) -> None:
    page = as_().read(reverse("card", args=["origins-ww2", "historical"]))
    assert "Not the published numbers" in page
    assert "Alsace-Lorraine" in page
    for address in (["origins-ww2", "no-such"], ["no-such", "historical"]):
        assert as_().get(reverse("card", args=address)).status_code == 404


def test_health_fails_without_a_recent_tick(client: Client, watch: Watch) -> None:
    answer = client.get(reverse("health"))
    assert answer.status_code == 503
    assert answer.json() == {"tick_age_seconds": None, "ok": False}
    Pulse.objects.create(name="tick", at=watch.now - timedelta(seconds=2))
    answer = client.get(reverse("health"))
    assert answer.status_code == 200
    assert answer.json() == {"tick_age_seconds": 2.0, "ok": True}
    watch.pass_by(minutes=3)
    assert client.get(reverse("health")).status_code == 503


def test_pages_run_no_script_from_user_text(as_: Browser, campaign: Campaign) -> None:
    evil = "<script>alert('x')</script>"
    Game.objects.filter(pk=campaign.game.pk).update(title=evil)
    gustav = person("gustav")
    gustav.name = evil
    gustav.save()
    submission = campaign.order("Germany", f"PLACE 3 Poland\n# {evil}\n{evil}")
    seat = campaign.seat("Germany")
    for address in (
        reverse("home"),
        campaign.game.get_absolute_url(),
        reverse("phase", args=[campaign.game.pk, 1]),
        reverse("orders", args=[campaign.game.pk, seat.pk]),
        submission.get_absolute_url(),
    ):
        answer = as_("gustav").get(address)
        assert answer.status_code == 200, address
        assert evil not in answer.content.decode(), address
        assert "&lt;script&gt;" in answer.content.decode(), address
        assert "default-src 'self'" in answer["Content-Security-Policy"]


def test_pages_have_no_inline_style_or_script(as_: Browser, campaign: Campaign) -> None:
    seat = campaign.seat("Germany")
    for address in (
        reverse("home"),
        reverse("game-new"),
        campaign.game.get_absolute_url(),
        reverse("orders", args=[campaign.game.pk, seat.pk]),
    ):
        page = as_("gustav").read(address)
        assert " style=" not in page
        assert " onclick=" not in page
        assert "<script>" not in page
        assert "<style" not in page
