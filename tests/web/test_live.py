"""Open pages show that a phase was judged, orders arrived, a deadline moved or a letter came (issue
24, 1; review of a player, B1)."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from games import desk, tasks
from games.base import clock
from games.desk import practice
from games.models import Game, ProposalAnswer
from games.press import conversations, deals
from tests.support import teams
from tests.support.browser import OpenPage
from tests.support.browsing import Visitor
from tests.support.campaign import NATIONS, Campaign, person

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db


def address(page: str) -> str:
    """Return the state address that a page names."""
    return page.split('data-address="')[1].split('"')[0].replace("&amp;", "&")


def read_state(client: Visitor, at: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(client.read(at))
    return answer


def ask_again(client: Visitor, campaign: Campaign, answer: dict[str, Any]) -> dict[str, Any]:
    at = reverse("game-state", args=[campaign.game.pk])
    return read_state(client, f"{at}?seen={answer['seen']}")


def texts(answer: dict[str, Any]) -> list[str]:
    return [news["text"] for news in answer["news"]]


def test_live_page_announces_the_result_and_the_next_step(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    client = as_("gustav")
    at = address(client.read(campaign.game.get_absolute_url()))
    answer = read_state(client, at)
    assert (answer["news"], answer["wanted"]) == ([], True)
    campaign.pass_deadline()
    watch.set(campaign.now)
    answer = read_state(client, at)
    assert texts(answer) == ["Turn 1, placement: judged."]
    links = dict(answer["news"][0]["links"])
    assert links["See what happened"] == reverse("phase", args=[campaign.game.pk, 1])
    assert answer["follow"] == links["See what happened"]
    # even with no PFs on the board Germany may still send orders
    assert answer["wanted"] == ("Write the next orders" in links)
    newly_made = address(client.read(campaign.game.get_absolute_url()))
    assert texts(read_state(client, newly_made)) == []


def test_live_page_tells_of_a_letter_written_before_and_stored_after_it(
    as_: Browser, campaign: Campaign
) -> None:
    """The letter waited for the game's row while the page was made; nobody heard of it until the
    next one came."""
    client, page = as_("gustav"), campaign.game.get_absolute_url()
    write(campaign, "felix", "France", campaign.now - timedelta(minutes=2))
    at = address(client.read(page))
    assert texts(read_state(client, at)) == []
    write(campaign, "rosa", "Russia", campaign.now - timedelta(seconds=1))
    answer = read_state(client, at)
    assert texts(answer) == ["Russia wrote to you."]
    assert texts(read_state(client, address(client.read(page)))) == []
    for sitting in campaign.seat("Germany").sittings.all():
        conversations.mark_read(sitting.person, campaign.game, {*sitting.unread})
    assert texts(read_state(client, address(client.read(page)))) == []


def write(campaign: Campaign, name: str, nation: str, now: datetime) -> None:
    seat, how = campaign.seat(nation), dict[str, Any](channel="web", now=now)
    conversations.send(campaign.game, seat, person(name), ["Germany"], "Hello.", **how)


def test_live_page_says_whose_orders_arrived_only_once(as_: Browser, campaign: Campaign) -> None:
    client = as_("gustav")
    answer = read_state(client, address(client.read(campaign.game.get_absolute_url())))
    campaign.order("France", "PLACE 3 Poland")
    later = ask_again(client, campaign, answer)
    assert texts(later) == ["Orders of France are in."]
    assert answer["again"] == 2  # issue 24, 1
    newer = read_state(client, address(client.read(campaign.game.get_absolute_url())))
    campaign.order("France", "PLACE 2 Poland")
    assert texts(ask_again(client, campaign, newer)) == []
    for nation in ("USA", "Britain", "Russia"):
        campaign.order(nation, "PLACE 1 Poland")
    assert texts(ask_again(client, campaign, newer)) == [
        "Everybody else has sent orders. You are the last."
    ]


def test_last_player_is_told_that_everybody_else_has_sent_orders(
    as_: Browser, campaign: Campaign
) -> None:
    """Review of a player, language: a list of all the others does not say whose turn it is."""
    client = as_("gustav")
    answer = read_state(client, address(client.read(campaign.game.get_absolute_url())))
    for nation in ("USA", "France", "Britain", "Russia"):
        campaign.order(nation, "PASS")
    told = "Everybody else has sent orders. You are the last."
    assert texts(ask_again(client, campaign, answer)) == [told]


def test_live_page_shows_the_new_deadline(as_: Browser, campaign: Campaign, watch: Watch) -> None:
    client = as_()
    at = address(client.read(campaign.game.get_absolute_url()))
    later = campaign.phase.deadline + timedelta(days=1)
    desk.extend(campaign.phase, later, "The post is slow.", campaign.ada, watch.now)
    (text,) = texts(read_state(client, at))
    assert text.startswith("The deadline is now ")


def test_only_the_addressee_is_notified_of_a_letter(as_: Browser, campaign: Campaign) -> None:
    before = {
        name: read_state(as_(name), _page_address(as_(name), campaign)) for name in ("una", "rosa")
    }
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


@pytest.mark.both_databases
def test_only_the_two_nations_are_notified_of_their_deals(as_: Browser, campaign: Campaign) -> None:
    """Issue 27, 5: proposals and answers, on every page of the game."""
    clients = {name: as_(name) for name in ("gustav", "felix", "rosa", "ada")}
    page = reverse("deals", args=[campaign.game.pk])
    before = {
        name: read_state(client, address(client.read(page))) for name, client in clients.items()
    }
    made = deals.propose(
        campaign.game,
        campaign.seat("Germany"),
        person("gustav"),
        campaign.seat("France"),
        "PEACE Poland",
        channel="web",
        now=campaign.now,
    )
    answers = {name: ask_again(client, campaign, before[name]) for name, client in clients.items()}
    assert texts(answers["felix"]) == ["Germany proposes a deal to you."]
    assert dict(answers["felix"]["news"][0]["links"]) == {
        "See your deals": reverse("deals", args=[campaign.game.pk])
    }
    kind = ProposalAnswer.Kind.ACCEPTED
    deals.answer(
        made, campaign.seat("France"), kind, person("felix"), channel="web", now=campaign.now
    )
    assert texts(ask_again(clients["gustav"], campaign, before["gustav"])) == [
        "France accepts deal No. 1."
    ]
    for name in ("rosa", "ada"):
        assert texts(ask_again(clients[name], campaign, before[name])) == []


def test_deal_stored_after_a_newer_one_is_told(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """A proposal has the time of its request, which may wait for the game's row: the page told the
    newer one, which it had shown, and never the one that had waited."""

    def propose(nation: str, name: str, seconds: int) -> None:
        deals.propose(
            campaign.game,
            campaign.seat(nation),
            person(name),
            campaign.seat("France"),
            "PEACE Poland",
            channel="web",
            now=campaign.now + timedelta(seconds=seconds),
        )

    propose("Germany", "gustav", 2)
    watch.set(campaign.now + timedelta(seconds=3))
    felix = as_("felix")
    shown = read_state(felix, address(felix.read(reverse("deals", args=[campaign.game.pk]))))
    assert texts(shown) == []
    propose("Britain", "bea", 1)
    assert texts(ask_again(felix, campaign, shown)) == ["Britain proposes a deal to you."]


def test_first_question_tells_what_came_after_the_page_was_made(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """An open page asks for the first time some seconds after it was made."""
    watch.set(campaign.now)
    una = as_("una")

    def write(now: datetime, area: str) -> None:
        writer = campaign.seat("Germany"), person("gustav")
        conversations.send(campaign.game, *writer, ["USA"], area, channel="web", now=now)
        usa = campaign.seat("USA")
        deals.propose(campaign.game, *writer, usa, f"PEACE {area}", channel="web", now=now)

    write(watch.now, "Poland")
    campaign.game.refresh_from_db()
    watch.pass_by(seconds=1)
    at = _page_address(una, campaign)
    assert texts(read_state(una, at)) == []
    write(watch.pass_by(seconds=1), "Italy")
    told = read_state(una, at)
    assert texts(told) == ["Germany wrote to you.", "Germany proposes a deal to you."]
    assert ask_again(una, campaign, told)["news"] == told["news"], "until the page is opened again"
    assert texts(read_state(una, at.partition("&")[0])) == []


def _page_address(client: Visitor, campaign: Campaign) -> str:
    return address(client.read(campaign.game.get_absolute_url()))


@pytest.mark.both_databases
def test_unchanged_state_gives_304(as_: Browser, campaign: Campaign) -> None:
    client = as_("gustav")
    at = _page_address(client, campaign)
    answer = client.get(at)
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert client.get(at, headers={"if-none-match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.both_databases
@pytest.mark.parametrize("change", ["orders", "deadline", "pause", "press", "deal", "sitting"])
def test_every_kind_of_news_changes_the_tag(
    as_: Browser, campaign: Campaign, watch: Watch, change: str
) -> None:
    """For speed the tag is made from a few columns."""
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
    elif change == "deal":
        deals.propose(
            campaign.game,
            campaign.seat("France"),
            person("felix"),
            campaign.seat("Germany"),
            "PEACE",
            channel="web",
            now=campaign.now,
        )
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


def _do_in_secret(campaign: Campaign, act: str) -> None:
    """Let France do something that Russia, spectators and strangers must not notice."""
    france, felix = campaign.seat("France"), person("felix")
    how: Any = {"channel": "web", "now": campaign.now}
    if act == "other orders":
        campaign.order("France", "PLACE 2 Poland")
    elif act == "letter":
        conversations.send(campaign.game, france, felix, ["Germany"], "Hm.", **how)
    elif act == "question":
        conversations.send(campaign.game, france, felix, [], "Hm?", to_gamesmaster=True, **how)
    else:
        germany = campaign.seat("Germany")
        made = deals.propose(campaign.game, france, felix, germany, "PEACE", **how)
        if act == "answer":
            accepted = ProposalAnswer.Kind.ACCEPTED
            deals.answer(made, germany, accepted, person("gustav"), **how)


@pytest.mark.both_databases
@pytest.mark.parametrize("act", ["other orders", "letter", "question", "deal", "answer"])
def test_secret_acts_of_others_change_neither_tag_nor_answer(
    as_: Browser, campaign: Campaign, act: str
) -> None:
    """docs/design.md 8: no number may depend on what others do in secret."""
    campaign.order("France", "PLACE 3 Poland")
    readers = [as_(name) for name in ("rosa", "charlie", "")]
    if act != "question":
        readers.append(as_("ada"))
    at = reverse("game-state", args=[campaign.game.pk])
    before = [(client, client.get(at)) for client in readers]
    _do_in_secret(campaign, act)
    for client, answer in before:
        tag = answer.headers["ETag"]
        again = client.get(at)
        assert (again.content, again.headers["ETag"]) == (answer.content, tag)
        assert client.get(at, headers={"if-none-match": tag}).status_code == 304


@pytest.mark.both_databases
def test_tag_of_a_gamesmaster_changes_with_questions(as_: Browser, campaign: Campaign) -> None:
    at = reverse("game-state", args=[campaign.game.pk])
    before = as_("ada").get(at)
    _do_in_secret(campaign, "question")
    after = as_("ada").get(at, headers={"if-none-match": before.headers["ETag"]})
    assert after.status_code == 200
    assert after.json()["seen"] != before.json()["seen"]


@pytest.mark.both_databases
def test_vote_changes_the_tag_of_others_only_once_it_gives_orders(as_: Browser) -> None:
    """F1, `ow2.team`: of France's three members two must agree."""
    campaign = teams.begin("majority")
    at = reverse("game-state", args=[campaign.game.pk])
    readers, tags = [as_("charlie"), as_("fred")], []
    for name in ("", "felix", "flora"):
        if name:
            teams.order(campaign, name, "France", "PLACE 3 Poland")
        tags.append([reader.get(at).headers["ETag"] for reader in readers])
    (first, first_of_fred), (second, second_of_fred), (third, _) = tags
    assert first == second != third
    assert first_of_fred != second_of_fred


@pytest.mark.both_databases
def test_poll_without_news_makes_one_query(
    as_: Browser, campaign: Campaign, django_assert_max_num_queries: Any
) -> None:
    """Every open page polls every 2 seconds: not even the session and the reader are looked up."""
    client = as_("gustav")
    at = _page_address(client, campaign)
    tag = client.get(at).headers["ETag"]
    with django_assert_max_num_queries(1):
        assert client.get(at, headers={"if-none-match": tag}).status_code == 304


@pytest.mark.both_databases
@pytest.mark.parametrize("reader", ["felix", ""])
def test_live_tag_works_only_for_its_reader(as_: Browser, campaign: Campaign, reader: str) -> None:
    """Two people may share a browser and its cache."""
    at = _page_address(as_("gustav"), campaign)
    tag = as_("gustav").get(at).headers["ETag"]
    again = as_(reader).get(at, headers={"if-none-match": f'{tag}, *, W/"x"'})
    assert again.status_code == 200
    assert again.headers["Vary"] == "Cookie"


@pytest.mark.both_databases
def test_tag_is_useless_after_logout(as_: Browser, private: Campaign) -> None:
    client = as_("gustav")
    at = reverse("game-state", args=[private.game.pk])
    tag = client.get(at).headers["ETag"]
    client.logout()
    assert client.get(at, headers={"if-none-match": tag}).status_code == 302


def test_state_of_a_private_game_needs_permission(as_: Browser, private: Campaign) -> None:
    at = reverse("game-state", args=[private.game.pk])
    refused = as_().get(at)
    assert (refused.status_code, refused.has_header("ETag")) == (302, False)
    assert as_("charlie").get(at).status_code == 404
    assert as_("gustav").get(at).status_code == 200


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "seen", ["", "x", "1.open", "1.open.x", "1.open.1.a.b", "9" * 300, "1.2.3.4"]
)
def test_live_page_ignores_a_malformed_tag(as_: Browser, campaign: Campaign, seen: str) -> None:
    at = reverse("game-state", args=[campaign.game.pk])
    assert as_("gustav").get(at, {"seen": seen}).status_code == 200


def test_receipt_reloads_without_a_script_until_the_result(client: Visitor, watch: Watch) -> None:
    client.post(reverse("practice"), {"nation": "Germany"})
    game = Game.objects.get(practice=True)
    seat = game.seats.get(nation="Germany")
    for _ in range(3):
        tasks.do_all_due(clock.now())
    sent = {"text": "PLACE 6 Poland", "final": "on", "phase": "1", "do": "send-anyway"}
    answer = client.post(reverse("orders", args=[game.pk, seat.pk]), sent, follow=True)
    receipt = answer.redirect_chain[-1][0]
    assert 'http-equiv="refresh"' in answer.content.decode()
    tasks.do_all_due(watch.pass_by(seconds=2))
    page = client.read(receipt)
    assert 'http-equiv="refresh"' not in page
    assert "See what happened" in page
    assert "Write the next orders" in page


def test_receipt_names_nations_that_are_not_final(as_: Browser, campaign: Campaign) -> None:
    Game.objects.filter(pk=campaign.game.pk).update(may_lock_early=True)
    sent = campaign.order("Germany", "PLACE 3 Poland", final=True)
    page = as_("gustav").read(sent.get_absolute_url())
    others = [nation for nation in NATIONS if nation != "Germany"]
    assert f"Not final yet: {', '.join(others[:-1])} and {others[-1]}" in page


def test_receipt_of_a_judged_phase_has_no_old_news(as_: Browser, campaign: Campaign) -> None:
    """The page shows the result of the orders, so the next phase is no news."""
    sent = campaign.order("Germany", "PLACE 3 Poland")
    campaign.pass_deadline()
    client = as_("gustav")
    receipt = client.read(sent.get_absolute_url())
    assert "See what happened" in receipt
    assert texts(read_state(client, address(receipt))) == []


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_open_page_shows_news_and_due_orders_in_its_title(
    open_page: OpenPage, watch: Watch
) -> None:
    campaign = Campaign.begin()
    page = open_page(campaign.game.get_absolute_url(), 390, who="gustav")
    expect(page).to_have_title(f"Your orders: {campaign.game.title}")
    dotted = re.compile("circle.*circle")
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", dotted)
    campaign.pass_deadline()
    watch.set(campaign.now)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#news")).to_contain_text("Turn 1, placement: judged.")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        news, navigation = (
            page.locator(selector).bounding_box() for selector in ("#news", ".masthead")
        )
        assert news is not None
        assert navigation is not None
        assert news["y"] >= navigation["y"] + navigation["height"], "no link is covered"
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#news")).to_be_hidden()
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#news")).to_be_hidden()
    page.reload()
    campaign.pass_deadline()
    watch.set(campaign.now)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("#news a").first.click()
    expect(page.locator("h1")).to_have_text("Turn 1, attacks")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_title_of_a_hidden_page_shows_whether_orders_are_due(open_page: OpenPage) -> None:
    """Issue 24, 1: readers see it in the row of tabs."""
    campaign = Campaign.begin()
    page = open_page("/rules/", who="gustav")
    page.clock.install()
    page.goto(campaign.game.get_absolute_url())
    expect(page).to_have_title(f"Your orders: {campaign.game.title}")
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    for seconds, orders in ((3, ""), (61, "PLACE 3 Poland")):
        if orders:
            campaign.order("Germany", orders)
        with page.expect_response(re.compile(r"state\.json")):
            page.clock.fast_forward(seconds * 1000)
        # wait until the script has read its answer
        page.evaluate("fetch('/health/').then(() => true)")
    expect(page).to_have_title(campaign.game.title)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_practice_game_moves_on_to_its_result(open_page: OpenPage, watch: Watch) -> None:
    guest = practice.new_guest("192.0.2.1", watch.now)
    game = practice.begin(guest, "Germany", watch.now)
    for _ in range(3):
        tasks.do_all_due(watch.now)
    page = open_page(f"/games/{game.pk}/orders/{game.seats.get(nation='Germany').pk}/", who=guest)
    page.locator("#id_text").fill("PLACE 10 Poland")
    page.locator("#id_final").check()
    page.locator('.send button[value="send"]').click()
    expect(page.locator("h1")).to_contain_text("Receipt")
    tasks.do_all_due(watch.pass_by(seconds=2))
    expect(page.locator("h1")).to_have_text("Turn 1, placement", timeout=15_000)
