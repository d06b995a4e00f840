"""Findings of the player's review that tests of single pages do not cover (issue 24; reviews,
player: B14, S3, S4, S8, S11, S14)."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from games.boards import overlay
from games.desk import practice
from games.models import Game
from tests.support.browser import OpenPage
from tests.support.browsing import Visitor
from tests.support.campaign import Campaign

from .conftest import Browser, Watch

pytestmark = pytest.mark.django_db
HEADER = ("standby", "practice", "rules", "archive")


def test_home_shows_own_games_first_with_the_time_left_and_one_button(
    as_: Browser, campaign: Campaign
) -> None:
    """S3: they were below ninety words of prose."""
    page = as_("gustav").read(reverse("home"))
    assert page.index('id="mine"') < page.index('class="hero')
    entry = page.split('class="entry mine wanted"')[1].split("</li>")[0]
    assert re.search(r"in\s\d+\s(minutes|hours|days)", entry)
    assert entry.count('class="button"') == 1
    assert "Write orders" in entry
    stranger = as_().read(reverse("home"))
    ways = [stranger.index(words) for words in ("Play now", "Watch a campaign", "Three games")]
    assert ways == sorted(ways), "play, watch, read (issue 24, 2)"


def test_every_kind_of_page_has_the_same_header(as_: Browser, campaign: Campaign) -> None:
    """S4: rules, seats and the archive could not be reached from inner pages."""
    game = campaign.game
    sent = campaign.order("Germany", "PASS")
    for address in (
        game.get_absolute_url(),
        reverse("orders", args=[game.pk, campaign.seat("Germany").pk]),
        sent.get_absolute_url(),
        *(reverse(name, args=[game.pk]) for name in ("board", "what-if", "notebook", "press")),
        *map(reverse, ("me", "cards", "honesty", "desks", "home")),
    ):
        head = as_("gustav").read(address).split("<header", 1)[1].split("</header>")[0]
        for name in HEADER:
            assert f'href="{reverse(name)}"' in head, address


def test_finished_game_links_to_its_review_and_replay(as_: Browser, campaign: Campaign) -> None:
    """S8: only the classroom's desk linked to skill and luck."""
    while campaign.game.status != Game.Status.FINISHED:
        campaign.pass_deadline()
        campaign.game.refresh_from_db()
    result = as_().read(campaign.game.get_absolute_url()).split('class="result"')[1]
    result = result.split("</section>")[0]
    for name in ("game-summary", "board"):
        assert reverse(name, args=[campaign.game.pk]) in result


def test_own_nation_is_marked_and_high_scores_are_explained(
    as_: Browser, campaign: Campaign
) -> None:
    """S14: 22 : 0 : 0 : 0 : 0 at the start looked like a lost game."""
    campaign.pass_deadline()
    page = as_("gustav").read(campaign.game.get_absolute_url())
    mine = page.split('<tr class="mine">')[1].split("</tr>")[0]
    assert "Germany" in mine
    assert "(you)" in mine
    assert page.count('<tr class="mine">') == 1
    assert "The USA scores for what others have not taken yet" in page


@pytest.mark.parametrize(
    ("nation", "example"), [("Germany", ", such as C5"), ("Britain", ", such as U4"), ("USA", "")]
)
def test_first_practice_phase_is_guided_and_final_by_default(
    client: Visitor, nation: str, example: str
) -> None:
    """Issue 24, 8, and S14: with the box left empty it waited for its deadline. The example is on
    the reader's own map, where no British area has C5."""
    client.post(reverse("practice"), {"nation": nation})
    game = Game.objects.get(practice=True)
    seat = game.seats.get(nation=nation)
    page = client.read(reverse("orders", args=[game.pk, seat.pk]))
    assert re.search(r'<input[^>]*id="id_final"[^>]*checked', page)
    assert f"Tap an area that pays you{example}, or put all" in page


def test_rules_page_has_the_digits_in_printed_order_and_figures(client: Visitor) -> None:
    """S11: 6,400 pixels without contents; examples come from the engine."""
    page = client.read(reverse("rules-of", args=[practice.usual_game()]))
    digits = re.findall(r'<tr><th scope="row">(\d)</th>', page)
    assert digits[:10] == [*"1234567890"], "the table is in the order of the digits as printed"
    assert page.count("<figure") >= 3


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_seats_are_beside_the_board_on_a_wide_screen(
    open_page: OpenPage, campaign: Campaign
) -> None:
    """S14: a page of 3,200 pixels with nothing beside the map."""
    page = open_page(campaign.game.get_absolute_url(), 1440)
    for width, beside in ((1440, True), (1920, True), (820, False)):
        page.set_viewport_size({"width": width, "height": 900})
        board, seats = (page.locator(selector).bounding_box() for selector in ("#board", "#seats"))
        assert board is not None
        assert seats is not None
        assert (seats["x"] > board["x"] + board["width"] - 1) == beside, width


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_chosen_area_is_highlighted_under_its_counters(open_page: OpenPage) -> None:
    """B14: the red highlight tinted the counters."""
    campaign = Campaign.begin()
    campaign.order("Germany", "PLACE 6 Poland")
    campaign.pass_deadline()
    game = campaign.game
    address = reverse("orders", args=[game.pk, campaign.seat("Germany").pk])
    page = open_page(address, 1440, who="gustav")
    page.locator("html.scripted").wait_for()
    board = game.rules.board(game.load(campaign.resolution().after))
    ground = overlay.ground(game.ruleset_id, game.card, board)
    (counter,) = next(spot.counters for spot in ground.spots if spot.area == "Poland")
    picture = page.locator(".pointed img").bounding_box()
    assert picture is not None
    scale = picture["width"] / ground.size[0]
    x, y, wide, high = (side * scale for side in counter)
    inside = {"x": picture["x"] + x + 4, "y": picture["y"] + y + 4}
    inside |= {"width": wide - 8, "height": high - 8}
    beside = inside | {"y": inside["y"] + high, "height": 8}
    page.mouse.move(5, 5)
    before = [page.screenshot(clip=clip) for clip in (inside, beside)]  # type: ignore[arg-type]
    page.locator('.areas a[data-area="Poland"]').click()
    expect(page.locator("#at-poland")).to_have_class(re.compile("chosen"))
    page.mouse.move(5, 5)
    page.locator("#at-poland h3").focus()
    after = [page.screenshot(clip=clip) for clip in (inside, beside)]  # type: ignore[arg-type]
    assert after[0] == before[0], "the counters are as they were"
    assert after[1] != before[1], "the area is not"


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_open_page_polls_within_two_seconds(open_page: OpenPage, watch: Watch) -> None:
    """B1 and issue 24, 1: a newcomer thought that the orders had no effect."""
    campaign = Campaign.begin()
    sent = campaign.order("Germany", "PLACE 6 Poland")
    page = open_page("/rules/", who="gustav")
    page.clock.install()
    for address in (
        campaign.game.get_absolute_url(),
        sent.get_absolute_url(),
        reverse("orders", args=[campaign.game.pk, campaign.seat("Germany").pk]),
    ):
        page.goto(address)
        with page.expect_response(re.compile(r"state\.json|/state")):
            page.clock.fast_forward(2_000)
        phase = campaign.phase
        campaign.pass_deadline()
        watch.set(campaign.now)
        for _ in range(2):  # one request may be under way
            with page.expect_response(re.compile(r"state\.json|/state")):
                page.clock.fast_forward(2_000)
        expect(page.locator("#news")).to_contain_text(f"{phase.title}: judged.")


def test_wait_for_the_market_names_one_time(as_: Browser, campaign: Campaign, watch: Watch) -> None:
    """Review of issue 44, N9: the game page named the same minute three times."""
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("Russia", "PLACE 3 Poland")
    campaign.pass_deadline()
    submission = campaign.order("Germany", "ATTACK Poland: Russia STOCK GE")
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.status == "drawing"
    watch.set(campaign.now)
    for address in (campaign.game.get_absolute_url(), submission.get_absolute_url()):
        page = as_("gustav").read(address)
        words = re.sub(r"<[^>]*>", "", page.split("The made-up sales")[1].split("</p>")[0])
        assert len(re.findall(r"\d\d:\d\d", words)) == 1, words
        assert "at the earliest" in words


def test_area_says_in_words_who_is_paid_if_nobody_controls_it(
    as_: Browser, campaign: Campaign
) -> None:
    """Review of issue 44, 5: “USA: nobody's CONTROL 4”."""
    seat = campaign.seat("Germany")
    page = as_("gustav").read(reverse("orders", args=[campaign.game.pk, seat.pk]))
    assert "USA scores 4 if nobody controls it" in page
    assert "nobody&#x27;s CONTROL" not in page.split('id="pointing"')[1].split("asides")[0]
