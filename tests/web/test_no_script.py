"""Without JavaScript, in a browser: take a seat, check orders, send them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from games.accounts import tokens
from games.models import Invitation, Sitting
from gamesmaster import clock
from orders import in_force
from orders.models import Submission
from tests.support.browser import OpenPage
from tests.support.campaign import MONDAY, Campaign, person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _monday(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: MONDAY + timedelta(minutes=1))


def test_a_seat_is_taken_without_javascript(open_page: OpenPage) -> None:
    campaign = Campaign.begin()
    seat = campaign.seat("USA")
    Sitting.objects.filter(seat=seat).update(until=MONDAY)
    invitation = tokens.new_invitation(seat, "nora@example.org", person("ada"), MONDAY)
    address = f"/invitation/{tokens.invitation_token(invitation)}/"
    page = open_page(address, 390, script=False)
    page.locator("input[name=name]").fill("Nora")
    with page.expect_navigation():
        page.get_by_role("button", name="Play USA").click()
    assert Invitation.objects.get(pk=invitation.pk).accepted_at is not None
    assert Sitting.objects.get(seat=seat, until=None).person.email == "nora@example.org"
    expect(page.locator("main")).not_to_contain_text("Page not found")


def test_orders_are_checked_corrected_and_sent_without_javascript(open_page: OpenPage) -> None:
    campaign = Campaign.begin()
    germany = campaign.seat("Germany")
    address = reverse("orders", args=[campaign.game.pk, germany.pk])
    page = open_page(address, 390, who="gustav", script=False)
    page.locator("textarea[name=text]").fill("PLACE 4 Poland\nPLACE 2 Atlantis")
    page.locator("p.send button[value=check]").click()
    expect(page.locator("main")).to_contain_text("not taken")
    expect(page.locator("main")).to_contain_text("Atlantis")
    assert not Submission.objects.exists(), "a check sends nothing"
    page.locator("p.send button[value=send]").click()
    expect(page.locator(".asked")).to_contain_text("Not sent yet: 1 of 2 lines would be refused.")
    expect(page.locator(".asked button[value=send-anyway]")).to_be_visible()
    assert not Submission.objects.exists()
    page.locator("textarea[name=text]").fill("PLACE 4 Poland\nPLACE 2 Austria")
    page.locator("p.send button[value=send]").click()
    expect(page).to_have_title(re.compile(r"Receipt No\."))
    expect(page.locator("main")).to_contain_text("Austria")
    submission = in_force.in_force(campaign.phase)["Germany"]
    assert submission.text.split("\n")[0].strip() == "PLACE 4 Poland"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/login/",
        "/games/{game}/",
        "/games/{game}/phases/1/",
        "/games/{game}/press/",
        "/me/",
        "/games/{game}/away/",
    ],
)
def test_a_page_says_everything_without_javascript(path: str, open_page: OpenPage) -> None:
    """No script inserts anything, and nothing stays hidden without one: all headings show."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    path, who = path.format(game=campaign.game.pk), None if path == "/login/" else "gustav"
    with_script, without = (
        open_page(path, 1000, who=who, script=script).locator("main h1, main h2").all_inner_texts()
        for script in (True, False)
    )
    assert with_script == without != []
