"""The front page, the printed sheets and the health page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Game, Pulse
from tests.support.campaign import Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def test_a_player_is_told_what_waits_for_him(as_: Browser, private: Campaign) -> None:
    page = as_("gustav").read(reverse("home"))
    assert "You play Germany" in page
    assert "You have not sent orders yet" in page
    assert f"/orders/{private.seat('Germany').pk}/" in page
    private.order("Germany", "PLACE 3 Poland")
    assert "have not sent" not in as_("gustav").read(reverse("home"))


def test_a_gamesmaster_finds_his_games(as_: Browser, private: Campaign) -> None:
    assert "You run this game" in as_("ada").read(reverse("home"))


def test_private_games_are_not_listed_to_others(as_: Browser, private: Campaign) -> None:
    for somebody in (None, "charlie"):
        assert private.game.title not in as_(somebody).read(reverse("home"))


def test_public_games_are_listed_to_everybody(as_: Browser, campaign: Campaign) -> None:
    assert campaign.game.title in as_().read(reverse("home"))


def test_the_list_asks_few_questions(as_: Browser, django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    for _ in range(4):
        Campaign.begin()
    client = as_("gustav")
    with django_assert_max_num_queries(14):
        client.get(reverse("home"))


def test_wrong_method(as_: Browser) -> None:
    for name in ("home", "health"):
        assert as_().post(reverse(name)).status_code == 405


def test_a_sheet_is_shown_with_where_it_comes_from(as_: Browser) -> None:
    page = as_().read(reverse("card", args=["origins-ww2", "historical"]))
    assert "Not the published numbers" in page
    assert "Alsace-Lorraine" in page
    for address in (["origins-ww2", "no-such"], ["no-such", "historical"]):
        assert as_().get(reverse("card", args=address)).status_code == 404


def test_health_is_red_without_a_tick(client: Client, watch: Watch) -> None:
    answer = client.get(reverse("health"))
    assert answer.status_code == 503
    assert answer.json() == {"tick_age_seconds": None, "ok": False}
    Pulse.objects.create(name="tick", at=watch.now - timedelta(seconds=2))
    answer = client.get(reverse("health"))
    assert answer.status_code == 200
    assert answer.json() == {"tick_age_seconds": 2.0, "ok": True}
    watch.pass_by(minutes=3)
    assert client.get(reverse("health")).status_code == 503


def test_no_page_runs_a_script_that_somebody_wrote_into_it(
    as_: Browser, campaign: Campaign
) -> None:
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


def test_nothing_in_the_pages_asks_for_inline_style_or_script(
    as_: Browser, campaign: Campaign
) -> None:
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
