"""Finding a seat, series and reported letters, in Chromium (issue 27, 1, 3 and 8)."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from games.letters import rendering
from games.models import Block, Complaint, Game, Invitation, Letter, Person
from games.press import conversations
from games.records import series
from tests.records.played import short_card
from tests.support.browser import OpenPage
from tests.support.campaign import NATIONS, PLAYERS, Campaign, person

from .conftest import Watch

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.letters]


def test_stranger_finds_a_game_and_joins_it_by_letter(open_page: OpenPage, watch: Watch) -> None:
    seats = {nation: "bot" for nation in NATIONS if nation != "France"}
    game = Campaign.open(
        watch.now,
        title="Come and play",
        seats=seats,
        joining=Game.Joining.OPEN,
        starts_when_full=True,
    ).game
    page = open_page("/", 390)
    page.locator("main").get_by_role("link", name="Come and play").first.click()
    expect(page.locator("main")).to_contain_text("Deadlines come")
    page.get_by_role("link", name="Take a seat in Come and play").click()
    page.get_by_label("address").fill("fay@example.org")
    page.get_by_role("button", name="Send the letter").click()
    letter = Letter.objects.get(kind="login", address="fay@example.org")
    link = re.search(r"/login/\S+/", rendering.render(letter).text)
    assert link is not None
    page.goto(link[0])
    page.get_by_role("button", name="Log in").click()
    page.get_by_label(re.compile("name", re.IGNORECASE)).fill("Fay")
    page.get_by_role("button", name="Play France").click()
    expect(page.locator("body")).to_contain_text("You play France.")
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING


def test_next_game_of_a_series_is_opened_with_moved_nations(
    open_page: OpenPage, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_card(monkeypatch, turns=1)
    campaign = Campaign.begin()
    while campaign.game.status == Game.Status.RUNNING:
        campaign.pass_deadline()
    watch.set(campaign.now)
    page = open_page(campaign.game.get_absolute_url(), 1440, who="ada")
    page.get_by_role("link", name="Next game of a series").click()
    page.get_by_role("button", name="Open the game").first.click()
    expect(page).to_have_url(re.compile(r"/games/\d+/desk/$"))
    following = Game.objects.get(follows=campaign.game)
    moved = series.next_nations(NATIONS)
    for invitation in Invitation.objects.filter(seat__game=following).select_related("seat"):
        before = next(
            nation for nation, name in PLAYERS.items() if invitation.email.startswith(name)
        )
        assert invitation.seat.nation == moved[before]
    page.goto(reverse("series", args=[following.pk]))
    row = page.get_by_role("row").filter(has_text=re.compile("Germany [0-9]"))
    expect(row.get_by_role("cell").first).to_have_text(re.compile("[01]"))


def test_letter_is_reported_its_writer_blocked_and_the_report_closed(
    open_page: OpenPage, watch: Watch
) -> None:
    campaign = Campaign.begin()
    press = conversations.send(
        campaign.game,
        campaign.seat("France"),
        person("felix"),
        ["Germany"],
        "I know where you live.",
        channel="web",
        now=campaign.now,
    )
    Person.objects.create(email="root@example.org", is_superuser=True, is_staff=True)
    page = open_page(f"/games/{campaign.game.pk}/press/?circle={press.code}", 390, who="gustav")
    page.get_by_text("Report or block").click()
    page.get_by_label("What is wrong with the letter").fill("Felix threatens me.")
    page.get_by_role("button", name="Report the letter").click()
    expect(page.locator("body")).to_contain_text("Reported.")
    page.get_by_text("Report or block").click()
    page.get_by_role("button", name="Block this player").click()
    expect(page.locator("body")).to_contain_text("Blocked.")
    assert Block.objects.get().blocked == person("felix")
    queue = open_page("/complaints/", 1440, who="ada")
    expect(queue.locator("main")).to_contain_text("I know where you live.")
    queue.get_by_role("button", name="Close").click()
    expect(queue.locator("main")).to_contain_text("No reported letter is open.")
    assert Complaint.objects.get().closed_by == person("ada")
