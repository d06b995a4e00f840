"""Pages notice that a phase was judged, orders arrived, a deadline moved or a letter came (issue
24, 1; review of a player, B1)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from games import desk, tasks
from games.desk import practice
from games.models import Game
from games.press import conversations
from gamesmaster import clock
from tests.support.browser import OpenPage
from tests.support.browsing import Visitor
from tests.support.campaign import NATIONS, Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def address(page: str) -> str:
    """Return the state address that a page names."""
    return page.split('data-address="')[1].split('"')[0].replace("&amp;", "&")


def told(client: Visitor, at: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(client.read(at))
    return answer


def ask_again(client: Visitor, campaign: Campaign, answer: dict[str, Any]) -> dict[str, Any]:
    at = reverse("game-state", args=[campaign.game.pk])
    return told(client, f"{at}?seen={answer['seen']}")


def texts(answer: dict[str, Any]) -> list[str]:
    return [news["text"] for news in answer["news"]]


def test_a_page_is_told_that_its_phase_is_judged_and_what_to_do_next(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    client = as_("gustav")
    at = address(client.read(campaign.game.get_absolute_url()))
    answer = told(client, at)
    assert (answer["news"], answer["wanted"]) == ([], True)
    campaign.pass_deadline()
    watch.set(campaign.now)
    answer = told(client, at)
    assert texts(answer) == ["Turn 1, placement: judged."]
    links = dict(answer["news"][0]["links"])
    assert links["See what happened"] == reverse("phase", args=[campaign.game.pk, 1])
    assert answer["follow"] == links["See what happened"]
    # with no PFs on the board Germany may still order, so that its orders are wanted
    assert answer["wanted"] == ("Write the next orders" in links)
    newly_made = address(client.read(campaign.game.get_absolute_url()))
    assert texts(told(client, newly_made)) == []


def test_a_page_is_told_whose_orders_arrived_once_and_never_how_often(
    as_: Browser, campaign: Campaign
) -> None:
    client = as_("gustav")
    answer = told(client, address(client.read(campaign.game.get_absolute_url())))
    campaign.order("France", "PLACE 3 Poland")
    later = ask_again(client, campaign, answer)
    assert texts(later) == ["Orders of France are in."]
    assert answer["again"] == 2  # issue 24, 1
    newer = told(client, address(client.read(campaign.game.get_absolute_url())))
    campaign.order("France", "PLACE 2 Poland")
    assert texts(ask_again(client, campaign, newer)) == []


def test_a_page_is_told_the_new_deadline(as_: Browser, campaign: Campaign, watch: Watch) -> None:
    client = as_()
    at = address(client.read(campaign.game.get_absolute_url()))
    later = campaign.phase.deadline + timedelta(days=1)
    desk.extend(campaign.phase, later, "The post is slow.", campaign.ada, watch.now)
    (text,) = texts(told(client, at))
    assert text.startswith("The deadline is now ")


def test_only_the_addressee_is_told_of_a_letter(as_: Browser, campaign: Campaign) -> None:
    before = {name: told(as_(name), _page_address(as_(name), campaign)) for name in ("una", "rosa")}
    conversations.send(
        campaign.game,
        campaign.seat("Germany"),
        person("gustav"),
        ["USA"],
        "Shall we?",
        channel="web",
        now=campaign.now,
    )
    after = {name: ask_again(as_(name), campaign, answer) for name, answer in before.items()}
    assert texts(after["una"]) == ["Germany wrote to you."]
    assert texts(after["rosa"]) == []


def _page_address(client: Visitor, campaign: Campaign) -> str:
    return address(client.read(campaign.game.get_absolute_url()))


def test_an_unchanged_state_is_not_sent_again(as_: Browser, campaign: Campaign) -> None:
    client = as_("gustav")
    at = _page_address(client, campaign)
    answer = client.get(at)
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert client.get(at, headers={"if-none-match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("change", ["orders", "deadline", "pause", "press", "sitting"])
def test_whatever_changes_an_answer_changes_its_tag(
    as_: Browser, campaign: Campaign, watch: Watch, change: str
) -> None:
    """The tag is made from a few columns (speed of a poll), so that each kind of news is tried."""
    client = as_("gustav")
    at = _page_address(client, campaign)
    before = client.get(at)
    if change == "orders":
        campaign.order("France", "PLACE 3 Poland")
    elif change == "deadline":
        later = campaign.phase.deadline + timedelta(days=1)
        desk.extend(campaign.phase, later, "The post is slow.", campaign.ada, watch.now)
    elif change == "pause":
        desk.pause(campaign.game, "A holiday.", campaign.ada, watch.now)
    elif change == "press":
        france = campaign.seat("France")
        conversations.send(
            campaign.game,
            france,
            person("felix"),
            ["Germany"],
            "Hm.",
            channel="web",
            now=campaign.now,
        )
    else:
        campaign.seat("Germany").sittings.current().update(until=campaign.now)
    after = client.get(at, headers={"if-none-match": before.headers["ETag"]})
    assert after.status_code == 200
    assert after.json() != before.json()


def test_a_poll_without_news_asks_the_database_little(
    as_: Browser, campaign: Campaign, django_assert_max_num_queries: Any
) -> None:
    """Every open page asks every 2 seconds: session, reader and two queries for the tag."""
    client = as_("gustav")
    at = _page_address(client, campaign)
    tag = client.get(at).headers["ETag"]
    with django_assert_max_num_queries(4):
        assert client.get(at, headers={"if-none-match": tag}).status_code == 304


def test_the_state_of_a_private_game_is_not_for_strangers(as_: Browser, private: Campaign) -> None:
    at = reverse("game-state", args=[private.game.pk])
    refused = as_().get(at)
    assert (refused.status_code, refused.has_header("ETag")) == (302, False)
    assert as_("charlie").get(at).status_code == 404
    assert as_("gustav").get(at).status_code == 200


@pytest.mark.parametrize(
    "seen", ["", "x", "1.open", "1.open.x", "1.open.1.a.b", "9" * 300, "1.2.3.4"]
)
def test_nonsense_about_what_was_seen_is_no_news(
    as_: Browser, campaign: Campaign, seen: str
) -> None:
    at = reverse("game-state", args=[campaign.game.pk])
    assert as_("gustav").get(at, {"seen": seen}).status_code == 200


def test_without_a_script_a_receipt_that_waits_loads_itself_again_and_then_leads_on(
    client: Visitor, watch: Watch
) -> None:
    client.post(reverse("practice"), {"nation": "Germany"})
    game = Game.objects.get(practice=True)
    seat = game.seats.get(nation="Germany")
    for _ in range(3):
        tasks.all_due(clock.now())
    sent = {"text": "PLACE 6 Poland", "final": "on", "phase": "1", "do": "send"}
    answer = client.post(reverse("orders", args=[game.pk, seat.pk]), sent, follow=True)
    receipt = answer.redirect_chain[-1][0]
    assert 'http-equiv="refresh"' in answer.content.decode()
    tasks.all_due(watch.pass_by(seconds=2))
    page = client.read(receipt)
    assert 'http-equiv="refresh"' not in page
    assert "See what happened" in page
    assert "Write the next orders" in page


def test_a_receipt_says_whose_orders_are_not_final(as_: Browser, campaign: Campaign) -> None:
    Game.objects.filter(pk=campaign.game.pk).update(may_lock_early=True)
    sent = campaign.order("Germany", "PLACE 3 Poland", final=True)
    page = as_("gustav").read(sent.get_absolute_url())
    others = [nation for nation in NATIONS if nation != "Germany"]
    assert f"Not final yet: {', '.join(others[:-1])} and {others[-1]}" in page


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_an_open_page_shows_the_news_and_its_title_says_that_orders_are_wanted(
    open_page: OpenPage, watch: Watch
) -> None:
    campaign = Campaign.begin()
    page = open_page(campaign.game.get_absolute_url(), 390, who="gustav")
    expect(page).to_have_title(f"Your orders: {campaign.game.title}")
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", "/static/seal-orders.svg")
    campaign.pass_deadline()
    watch.set(campaign.now)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#news")).to_contain_text("Turn 1, placement: judged.")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        news, navigation = (page.locator(one).bounding_box() for one in ("#news", ".masthead"))
        assert news is not None
        assert navigation is not None
        assert news["y"] >= navigation["y"] + navigation["height"], "no link is covered"
    page.locator("#news a").first.click()
    expect(page.locator("h1")).to_have_text("Turn 1, placement")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_practice_game_goes_to_its_result_by_itself(open_page: OpenPage, watch: Watch) -> None:
    guest = practice.new_guest("192.0.2.1", watch.now)
    game = practice.begin(guest, "Germany", watch.now)
    for _ in range(3):
        tasks.all_due(watch.now)
    page = open_page(f"/games/{game.pk}/orders/{game.seats.get(nation='Germany').pk}/", who=guest)
    page.locator("#id_text").fill("PLACE 6 Poland")
    page.locator("#id_final").check()
    page.locator('.send button[value="send"]').click()
    expect(page.locator("h1")).to_contain_text("Receipt")
    tasks.all_due(watch.pass_by(seconds=2))
    expect(page.locator("h1")).to_have_text("Turn 1, placement", timeout=15_000)
