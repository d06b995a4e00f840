"""Layout of the gamesmaster's pages (gamesmaster.md B11, U3, U11, U12; issue 25, 4)."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.desk.test_ruling_pages import judge_turn_1, where
from tests.support.browser import OpenPage
from tests.support.campaign import Campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_opening_page_has_people_beside_the_game_on_a_wide_screen(open_page: OpenPage) -> None:
    Campaign.begin()  # creates Ada with a name
    page = open_page("/games/new/", 1440, who="ada")
    game, people = (page.locator("form.opening fieldset").nth(place) for place in (0, 1))
    left, right = game.bounding_box(), people.bounding_box()
    assert left is not None
    assert right is not None
    assert (left["y"], left["x"] + left["width"] < right["x"]) == (right["y"], True)
    for field in people.locator(".seat input").all():
        box = field.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] < right["x"] + right["width"]


def test_opening_page_fits_on_one_screen(open_page: OpenPage) -> None:
    """Title, people, deadlines and the button, without scrolling, on a common laptop."""
    Campaign.begin()
    page = open_page("/games/new/", 1440, who="ada")
    for part in ("#id_title", "#id_email_4", "details.deadlines > summary", "p > button"):
        box = page.locator(f"form.opening {part}").first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, part


def test_opening_page_knows_the_browsers_zone_and_warns_of_minutes_with_sales(
    open_page: OpenPage,
) -> None:
    """A phase of attacks would last until the sales of a day are known, not ten minutes."""
    Campaign.begin()
    page = open_page("/games/new/", 1440, who="ada")
    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    assert page.locator("input[name=zone_here]").input_value() == zone != ""
    warning = page.locator("#waits-for-sales")
    for name, value, shown in (
        ("market", "yahoo", False),
        ("every", "minutes", True),
        ("market", "demo", False),
    ):
        page.locator(f"input[name={name}][value={value}]").evaluate("radio => radio.click()")
        expect(warning).to_be_visible(visible=shown)


def test_map_on_the_wall_fits_the_screen(open_page: OpenPage) -> None:
    """U11: half of it was below the edge."""
    campaign = Campaign.begin()
    page = open_page(f"/games/{campaign.game.pk}/class/", 1440, who="ada")
    box = page.locator(".wall .map img").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 900
    assert not page.locator(".masthead").is_visible()


def test_wall_renews_itself(open_page: OpenPage) -> None:
    """Issue 24, Show: its own script, because a library made the page larger than 60 kB."""
    campaign = Campaign.begin()
    page = open_page(f"/games/{campaign.game.pk}/class/", 1440, who="ada")
    page.clock.install()
    page.reload()
    germany = page.locator(".wall-nations li", has_text="Germany")
    expect(germany).to_contain_text("not yet")
    campaign.order("Germany", "PLACE 10 Poland")
    page.clock.run_for(16_000)
    expect(germany).not_to_contain_text("not yet")


@pytest.mark.parametrize("width", [820, 1440])
def test_tabs_of_the_desk_are_one_row(open_page: OpenPage, width: int) -> None:
    campaign = Campaign.begin()
    page = open_page(f"/games/{campaign.game.pk}/desk/", width, who="ada")
    tops = page.locator(".tabs a").evaluate_all("tabs => tabs.map(tab => tab.offsetTop)")
    assert len(tops) > 5
    assert len(set(tops)) == 1


@pytest.mark.parametrize("width", [820, 1440])
@pytest.mark.parametrize("path", ["/games/{}/desk/times/", "/games/new/"])
def test_second_time_of_a_day_is_inside_its_sentence(
    open_page: OpenPage, width: int, path: str
) -> None:
    """gamesmaster.md B11: it was 490 pixels wide and in a row of its own."""
    campaign = Campaign.begin()
    page = open_page(path.format(campaign.game.pk), width, who="ada")
    if "new" in path:
        page.locator("details.deadlines > summary").click()
    days = page.locator("[name=days_of_times]").bounding_box()
    second = page.locator("[name=second_time]").bounding_box()
    assert days is not None
    assert second is not None
    assert abs(days["y"] - second["y"]) < days["height"]
    assert second["width"] < 200


def test_position_grid_needs_no_scrolling(open_page: OpenPage) -> None:
    """gamesmaster.md U12: at 820 pixels Germany's column was cut off, with no sign that it
    scrolls."""
    page = open_page(where(judge_turn_1().game, "position"), 820, who="ada")
    over = page.locator(".position-grid").evaluate("grid => grid.scrollWidth - grid.clientWidth")
    assert over <= 0


def test_ruling_on_orders_shows_only_the_fields_it_needs(open_page: OpenPage) -> None:
    page = open_page(where(judge_turn_1().game, "orders"), 1440, who="ada")
    text, submission = page.locator("[name=text]"), page.locator("[name=submission]")
    for how, shown in (("struck", ""), ("amended", "text"), ("accepted", "submission")):
        page.locator(f"[name=how][value={how}]").check()
        assert (text.is_visible(), submission.is_visible()) == (
            shown == "text",
            shown == "submission",
        )


def test_crumbs_of_the_desk_hold_their_last_link(open_page: OpenPage) -> None:
    """Seen in a picture (issue 24): at 390 pixels their line ran through the link."""
    campaign = Campaign.begin()
    page = open_page(f"/games/{campaign.game.pk}/desk/rulings/", 390, who="ada")
    crumbs = page.locator(".crumbs").bounding_box()
    link = page.locator(".crumbs .beside").bounding_box()
    assert crumbs is not None
    assert link is not None
    assert link["y"] + link["height"] <= crumbs["y"] + crumbs["height"]
