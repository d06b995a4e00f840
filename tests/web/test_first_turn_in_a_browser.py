"""In a browser: nothing is thrown away by one tap, hints, orders ahead, the receipt (issue 44)."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django import Settings

from games import tasks
from games.accounts import tokens
from games.desk import demonstration, practice
from games.models import Game, Invitation, Person
from orders.models import Draft, OrdersAhead, Submission
from tests.support.browser import OpenPage
from tests.support.campaign import Campaign

from .conftest import Watch

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(params=[True, False], ids=["script", "scriptless"])
def script(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def address(game: Game, name: str = "orders") -> str:
    return reverse(name, args=[game.pk, game.seats.get(nation="Germany").pk])


def practicing(watch: Watch) -> tuple[Person, Game]:
    guest = practice.new_guest("192.0.2.1", watch.now)
    game = practice.begin(guest, "Germany", watch.now)
    for _ in range(3):
        tasks.do_all_due(watch.pass_by(seconds=2))
    return guest, game


def point_at(page: Page, area: str, *, script: bool) -> None:
    """Choose an area on the map."""
    if script:
        page.locator("html.scripted").wait_for()
    page.locator(f'.hits a[data-area="{area}"]').click()


def press(page: Page, do: str, *, script: bool) -> None:
    """Press a button of a panel, and wait until its change is on the page."""
    if script:
        with page.expect_response(re.compile("/point/")):
            page.locator(f'.panel button[value="{do}"]').click()
        return
    with page.expect_navigation():
        page.locator(f'.panel button[value="{do}"]').click()


def test_one_tap_does_not_throw_the_turn_away(
    open_page: OpenPage, watch: Watch, script: bool
) -> None:
    """Review of a player, N1: two of ten PFs went out, final, from a bar that did not say so."""
    guest, game = practicing(watch)
    page = open_page(address(game), 390, who=guest, script=script)
    point_at(page, "Austria", script=script)
    press(page, "more:PLACE:Austria", script=script)
    press(page, "more:PLACE:Austria", script=script)
    send = page.locator('.send button[value="send"]')
    expect(send).to_have_text("Send, final (8 left)", use_inner_text=True)
    send.click()
    asked = page.locator(".asked")
    expect(asked).to_be_in_viewport()
    expect(asked).to_contain_text("8 of 10 PFs are not placed: they go to Germany.")
    assert not Submission.objects.filter(person=guest).exists()
    expect(page.locator("#id_final")).to_have_count(1)
    page.locator("#id_final").uncheck()
    expect(send).to_have_text("Send (8 left)", use_inner_text=True)
    page.get_by_role("button", name="Send anyway").click()
    expect(page.locator("h1")).to_contain_text("Receipt")
    submission = Submission.objects.get(person=guest)
    assert (submission.text.strip(), submission.final) == ("PLACE 2 Austria", False)


def test_sending_nothing_asks_and_then_sends_pass(open_page: OpenPage, script: bool) -> None:
    campaign = Campaign.begin()
    page = open_page(address(campaign.game), 390, who="gustav", script=script)
    page.locator('.send button[value="send"]').click()
    expect(page.locator(".asked")).to_contain_text("Your 10 PFs go to Germany.")
    page.get_by_role("button", name="Send anyway").click()
    expect(page.locator("h1")).to_contain_text("Receipt")
    assert Submission.objects.get().text == "PASS"


def test_hints_follow_what_a_newcomer_does_and_do_not_come_again(
    open_page: OpenPage, watch: Watch, script: bool
) -> None:
    """Issue 44, 6; N8: points are on the map from the start, beside the reader's own orders."""
    guest, game = practicing(watch)
    page = open_page(address(game), 390, who=guest, script=script)
    hint, points = page.locator("#hint"), page.locator("#points")
    expect(hint).to_contain_text("1. Tap an area that pays you", use_inner_text=True)
    expect(points).to_contain_text("C5")
    point_at(page, "Austria", script=script)
    expect(hint).to_contain_text("2. Place PFs there", use_inner_text=True)
    press(page, "more:PLACE:Austria", script=script)
    expect(hint).to_contain_text("2. 9 left: place them, too.", use_inner_text=True)
    expect(points).to_contain_text("+1")
    expect(points).to_contain_text("C5")
    press(page, "all:PLACE:Austria", script=script)
    expect(hint).to_contain_text("3. Send.", use_inner_text=True)
    page.locator("#id_final").uncheck()
    page.locator('.send button[value="send"]').click()
    expect(page.locator("h1")).to_contain_text("Receipt")
    page.goto(address(game))
    expect(page.locator("#points")).to_be_visible()
    expect(page.locator("#hint")).to_have_count(0)


def test_first_orders_take_three_clicks(
    open_page: OpenPage, watch: Watch, settings: Settings, script: bool
) -> None:
    """Issue 44: from the invitation that “make play” links to, and none thrown away."""
    settings.DEMONSTRATION = True
    house = Person.objects.at("house@example.org", name="The service", is_staff=True)
    seats = {"Germany": "visitor@example.org"}
    game = demonstration.going_on_or_new(demonstration.TO_PLAY, house, seats, 4, watch.now)
    invitation = Invitation.objects.open().get(seat__game=game)
    link = reverse("invitation", args=[tokens.invitation_token(invitation)])
    page = open_page(link, 390, script=script)
    page.get_by_role("button", name="Play Germany").click()
    hint = page.locator("#hint")
    expect(hint).to_contain_text("put all 10 in")
    assert not Draft.objects.exists(), "nothing is ordered that nobody ordered"
    if script:
        page.locator("html.scripted").wait_for()
    hint.get_by_role("button", name="Austria").click()
    expect(hint).to_contain_text("3. Send.", use_inner_text=True)
    expect(page.locator("#marks")).to_contain_text("+10")
    page.locator('.send button[value="send"]').click()
    expect(page.locator("h1")).to_contain_text("Receipt")
    submission = Submission.objects.get(seat__game=game, seat__nation="Germany")
    assert (submission.text.strip(), submission.final) == ("PLACE 10 Austria", True)


@pytest.mark.parametrize("together", [False, True])
def test_hint_sends_nobody_to_look_for_others_who_are_not_there(
    open_page: OpenPage, watch: Watch, together: bool
) -> None:
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 10 Austria")
    campaign.order("France", f"PLACE 6 {'Austria' if together else 'Poland'}")
    campaign.pass_deadline()
    watch.set(campaign.now)
    page = open_page(address(campaign.game), 390, who="gustav")
    where = "meet others" if together else "have PFs"
    hint = page.locator("#hint")
    expect(hint).to_contain_text(f"1. Tap an area where you {where}.", use_inner_text=True)
    point_at(page, "Austria", script=True)
    what = "Choose an attack, or a counter." if together else "Choose a counter that pays you."
    expect(hint).to_contain_text(f"2. {what}", use_inner_text=True)


def test_points_on_the_map_stay_as_chosen(open_page: OpenPage, watch: Watch, script: bool) -> None:
    """N8: the choice returned to “off” on every page."""
    guest, game = practicing(watch)
    page = open_page(address(game), 1000, who=guest, script=script)
    if script:
        page.locator("html.scripted").wait_for()
        with page.expect_response(re.compile("/point/")):
            page.locator("#show-points").uncheck()
    else:
        page.locator("#show-points").uncheck()
        with page.expect_navigation():
            page.locator('.send button[value="check"]').click()
    page.goto(address(game))
    expect(page.locator("#show-points")).not_to_be_checked()
    expect(page.locator("#points")).to_be_hidden()


def test_orders_ahead_are_written_on_the_map(open_page: OpenPage, script: bool) -> None:
    """N12: a bare text box had no map, no examples and no check while typing."""
    campaign = Campaign.begin()
    there = f"{address(campaign.game, 'orders-ahead')}?for=2-placement"
    page = open_page(there, 390, who="gustav", script=script)
    expect(page.locator("main")).to_contain_text("examples of form, not advice")
    point_at(page, "Poland", script=script)
    press(page, "more:PLACE:Poland", script=script)
    expect(page.locator("#id_text")).to_have_value(re.compile(r"^PLACE 1 Poland\s*$"))
    expect(page.locator("#reading")).to_contain_text("PLACE 1 Poland")
    expect(page.locator("#marks")).to_contain_text("+1")
    assert not OrdersAhead.objects.exists(), "only its button keeps a set"
    page.locator('.send button[value="keep-ahead"]').click()
    expect(page.locator("main")).to_contain_text("Kept for Turn 2, placement since")
    assert OrdersAhead.objects.get().text.strip() == "PLACE 1 Poland"
    if script:
        page.locator("html.scripted").wait_for()
        page.locator("#id_text").fill("Wobble")
        expect(page.locator("#reading")).to_contain_text("rejected")
        assert OrdersAhead.objects.get().text.strip() == "PLACE 1 Poland"


def test_receipt_without_javascript_loads_itself_again(open_page: OpenPage, watch: Watch) -> None:
    """N4: with the fragment of an area in its address it only scrolled."""
    guest, game = practicing(watch)
    page = open_page(address(game), 390, who=guest, script=False)
    point_at(page, "Austria", script=False)
    press(page, "all:PLACE:Austria", script=False)
    page.locator('.send button[value="send"]').click()
    expect(page.locator("h1")).to_contain_text("Receipt")
    page.goto(f"{page.url.partition('#')[0]}#at-austria")
    expect(page.locator("main")).to_contain_text("being judged")
    tasks.do_all_due(watch.pass_by(seconds=2))
    expect(page.get_by_role("link", name="See what happened")).to_be_visible()
