"""The gamesmaster's pages as they are laid out (gamesmaster.md U3, U11, U12; issue 25, 4)."""

from __future__ import annotations

import pytest

from tests.support.browser import OpenPage
from tests.support.campaign import Campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_people_stand_beside_the_game_on_a_wide_opening_page(open_page: OpenPage) -> None:
    Campaign.begin()  # whose gamesmaster, Ada, has a name
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


def test_a_game_is_opened_on_one_screen(open_page: OpenPage) -> None:
    """Title, people, deadlines and the button, without scrolling, on a common laptop."""
    Campaign.begin()
    page = open_page("/games/new/", 1440, who="ada")
    for part in ("#id_title", "#id_email_4", "details.deadlines > summary", "p > button"):
        box = page.locator(f"form.opening {part}").first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900, part


def test_the_map_on_the_wall_fits_the_screen(open_page: OpenPage) -> None:
    """U11: half of it was below the edge."""
    campaign = Campaign.begin()
    page = open_page(f"/games/{campaign.game.pk}/class/", 1440, who="ada")
    box = page.locator(".wall .map img").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 900
    assert not page.locator(".masthead").is_visible()


@pytest.mark.parametrize("width", [820, 1440])
def test_the_tabs_of_the_desk_are_one_row(open_page: OpenPage, width: int) -> None:
    campaign = Campaign.begin()
    page = open_page(f"/games/{campaign.game.pk}/desk/", width, who="ada")
    tops = page.locator(".tabs a").evaluate_all("tabs => tabs.map(tab => tab.offsetTop)")
    assert len(tops) > 5
    assert len(set(tops)) == 1
