"""The page of a report begins with “you” and is short (issue 44, 4; review of a player, N7)."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Browser as Chromium

from games.letters import headlines
from games.models import Phase
from games.rules import wording
from games.turns import rulings
from tests.support.browser import new_page
from tests.support.campaign import Campaign

from .conftest import Browser, Watch

#: Pixels of a report of three attacks on a phone. It was 5,484 for this game, and 9,150 for that of
#: the review.
MOST = 5_484 // 2


def three_attacks(campaign: Campaign) -> Phase:
    campaign.order("Germany", "PLACE 6 Poland\nPLACE 4 Austria")
    campaign.order("France", "PLACE 4 Poland\nPLACE 2 Austria")
    campaign.order("Russia", "PLACE 5 Poland\nPLACE 1 Rumania")
    campaign.order("Britain", "PLACE 3 Austria")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE\nATTACK Austria: France STOCK KO")
    campaign.order("Russia", "ATTACK Poland: France STOCK IBM")
    return campaign.pass_deadline()


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_report_of_three_attacks_is_short_on_a_phone_and_unfolded_on_a_desk(
    chromium: Chromium, live_server: Any, watch: Watch
) -> None:
    campaign = Campaign.begin()
    phase = three_attacks(campaign)
    watch.set(campaign.now)
    address = reverse("phase", args=[campaign.game.pk, phase.number])
    with new_page(chromium, live_server.url, 390, who="gustav") as page:
        page.goto(address)
        assert page.locator(".fight").count() == 3
        assert page.evaluate("document.documentElement.scrollHeight") <= MOST
        assert not page.locator(".fight .working").first.is_visible()
    with new_page(chromium, live_server.url, 1440, who="gustav") as page:
        page.goto(address)
        assert page.locator(".fight .working").first.is_visible()
        assert not page.locator(".fight summary").first.is_visible()


@pytest.mark.django_db
def test_report_begins_with_the_first_sentence_of_its_letter_and_the_new_board(
    as_: Browser, campaign: Campaign
) -> None:
    phase = three_attacks(campaign)
    address = reverse("phase", args=[campaign.game.pk, phase.number])
    resolution = campaign.resolution(phase)
    boards = [
        campaign.game.rules.board(campaign.game.load(position))
        for position in (resolution.before, resolution.after)
    ]
    page = as_("gustav").read(address)
    sentence = headlines.changes_headline(resolution.events, boards[0], boards[1], ["Germany"])
    assert sentence.startswith("You lost ")
    assert f'<p class="headline">{sentence}</p>' in page
    order = [page.index(f'id="{part}"') for part in ("board", "attacks", "orders", "proof")]
    assert order == sorted(order)
    assert page.index("The board before the attacks</summary>") > page.index('id="board"')
    assert "You attack France in Austria" in page
    assert 'class="headline"' not in as_().read(address), "a visitor has no nation"
    assert "Germany attacks France in Austria" in as_().read(address)
    placed = as_("gustav").read(reverse("phase", args=[campaign.game.pk, 1]))
    assert "You placed 6 in Poland and 4 in Austria." in placed
    assert "<li>6 in Poland</li>" in placed, "under the nation's name"


@pytest.mark.parametrize(
    ("sentence", "nation", "told"),
    [
        (
            "Germany attacks USA and France in Germany, 5 to 4 (1-1). KO sold 100 shares: digit 1,"
            " exchange. France loses 4, Germany loses 4.",
            "Germany",
            "You attack USA and France in Germany, 5 to 4 (1-1). KO sold 100 shares: digit 1,"
            " exchange. France loses 4, you lose 4.",
        ),
        (
            "Germany attacks USA and France in France, 5 to 4.",
            "France",
            "Germany attacks USA and you in France, 5 to 4.",
        ),
        (
            "Germany's attack on USA in Poland is void: it has nothing there.",
            "Germany",
            "Your attack on USA in Poland is void: you have nothing there.",
        ),
        (
            "Germany's attack on USA in Poland is void: it is weaker than its targets.",
            "USA",
            "Germany's attack on you in Poland is void: it is weaker than its targets.",
        ),
        ("Russia places 2 in Germany.", "Germany", "Russia places 2 in Germany."),
        (
            "Germany moves 2 from Germany to Poland.",
            "Germany",
            "You move 2 from Germany to Poland.",
        ),
        (
            "Germany sent no orders and keeps 6 PFs at home.",
            "Germany",
            "You sent no orders and keep 6 PFs at home.",
        ),
        (
            "Germany turns up its counters in Germany: 3 and 2.",
            "Germany",
            "You turn up your counters in Germany: 3 and 2.",
        ),
        (
            "France and Germany share CONTROL in Italy.",
            "Germany",
            "France and you share CONTROL in Italy.",
        ),
        ("Germany and Italy are allies.", "Germany", "You and Italy are allies."),
        (
            "2 attacks are void, each because it has nothing there: Germany in Germany and Italy;"
            " USA in Germany.",
            "Germany",
            "2 attacks are void, each because it has nothing there: you in Germany and Italy;"
            " USA in Germany.",
        ),
        (
            "Germany's attack on Britain and USA in Poland is void: Britain and USA have"
            " Understandings in Germany and are immune.",
            "USA",
            "Germany's attack on Britain and you in Poland is void: Britain and you have"
            " Understandings in Germany and are immune.",
        ),
        (
            "Germany's attack on USA in Poland is void: USA has an Understanding in Germany and is"
            " immune.",
            "USA",
            "Germany's attack on you in Poland is void: you have an Understanding in Germany and"
            " are immune.",
        ),
        (
            "North Korea attacks Korea and North Korea-on-Sea in Korea, 5 to 4 (1-1). Digit 1,"
            " exchange. North Korea loses 4, Korea loses 4.",
            "Korea",
            "North Korea attacks you and North Korea-on-Sea in Korea, 5 to 4 (1-1). Digit 1,"
            " exchange. North Korea loses 4, you lose 4.",
        ),
    ],
)
def test_reader_of_an_event_is_you_and_areas_keep_their_names(
    sentence: str, nation: str, told: str
) -> None:
    assert wording.address_reader(sentence, nation) == told


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_board_stands_beside_letters_and_deals_where_there_is_room(
    chromium: Chromium, live_server: Any, watch: Watch
) -> None:
    """Issue 44, 10: a third of these pages was empty."""
    campaign = Campaign.begin()
    watch.set(campaign.now)
    for width, shown in ((1440, True), (390, False)):
        with new_page(chromium, live_server.url, width, who="gustav") as page:
            for name in ("press", "press-write", "deals"):
                page.goto(reverse(name, args=[campaign.game.pk]))
                picture = page.locator(".map-beside img")
                assert picture.is_visible() is shown, (name, width)
                if not shown:
                    continue
                beside, text = picture.bounding_box(), page.locator(".with-map").bounding_box()
                assert beside is not None
                assert text is not None
                assert beside["x"] + beside["width"] > text["x"] + 0.9 * text["width"]


@pytest.mark.django_db
def test_last_report_leads_to_the_end_of_the_game(as_: Browser, campaign: Campaign) -> None:
    """Tried by hand: after the last report nothing led on."""
    while not campaign.game.is_over:
        phase = campaign.pass_deadline()
        campaign.game.refresh_from_db()
    first, last = (
        as_("gustav").read(reverse("phase", args=[campaign.game.pk, number]))
        for number in (1, phase.number)
    )
    assert "How the game ended" in last
    assert "How the game ended" not in first


def test_versions_of_a_result_are_folded_once_they_are_many(
    as_: Browser, campaign: Campaign
) -> None:
    """Thirty of them stood in 27 lines of a telephone above the board."""
    phase = campaign.pass_deadline()
    address = reverse("phase", args=[campaign.game.pk, phase.number])
    points = {"nation": "Russia", "points": 1}
    for _ in range(4):
        rulings.rule(phase, "points", points, "A forfeit.", campaign.ada, campaign.now)
    assert "<summary>5 versions" not in as_("gustav").get(address).content.decode()
    rulings.rule(phase, "points", points, "A forfeit.", campaign.ada, campaign.now)
    page = as_("gustav").get(address).content.decode()
    folded = page.partition("<summary>6 versions</summary>")[2].partition("</details>")[0]
    assert [f'href="?version={number}"' in folded for number in range(8)] == [
        0 < number < 7 for number in range(8)
    ]
    assert "The newest counts." in folded
