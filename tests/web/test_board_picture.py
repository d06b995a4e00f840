"""The board as a picture on pages (issue 6, 1 and 3): for all who may see the game, no others."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse

from games import positions
from games.boards import images
from games.letters import rendering
from games.models import Game
from games.web.pictures import of_board
from tests.support.campaign import Campaign

from .conftest import Browser

pytestmark = pytest.mark.django_db


def sources(page: str) -> list[str]:
    return [
        unescape(found)
        for found in re.findall(r'(?:srcset|img src)="([^"]*board\.svg[^"]*)"', page)
    ]


def address(campaign: Campaign, form: str = "svg", number: int = 1) -> str:
    return reverse(f"board-{form}", args=[campaign.game.pk, number])


def played(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()


@pytest.mark.parametrize("form", ["svg", "png"])
def test_who_sees_the_game_sees_its_board(
    as_: Browser, campaign: Campaign, private: Campaign, form: str
) -> None:
    for name in (None, "charlie", "gustav"):
        assert as_(name).get(address(campaign, form)).status_code == 200
    for name in ("gustav", "ada"):
        assert as_(name).get(address(private, form)).status_code == 200
    assert as_("charlie").get(address(private, form)).status_code == 404
    assert as_().get(address(private, form)).status_code == 302
    assert as_("ada").post(address(campaign, form)).status_code == 405
    for missing in (address(campaign, form, 2), f"{address(campaign, form)}?version=1"):
        assert as_("ada").get(missing).status_code == 404


def test_there_are_three_themes_and_no_other(as_: Browser, campaign: Campaign) -> None:
    shown = {
        theme: as_().get(f"{address(campaign)}?theme={theme}").content
        for theme in ("light", "dark", "print")
    }
    assert len(set(shown.values())) == 3
    assert as_().get(f"{address(campaign)}?theme=pink").status_code == 404


def test_the_page_of_a_game_shows_the_board_in_light_and_dark(
    as_: Browser, campaign: Campaign
) -> None:
    """The newest version of the last phase, with alternative text and the table beside it."""
    assert sources(as_().read(campaign.game.get_absolute_url()))
    played(campaign)
    page = as_().read(campaign.game.get_absolute_url())
    found = sources(page)
    assert set(found) == {
        f"{address(campaign)}?version=1&theme={theme}" for theme in ("light", "dark", "print")
    }
    assert 'alt="The board now, as a map. The table says the same."' in page
    assert '<table class="board">' in page
    assert "A star and an orange rim mark" in page
    drawn = as_().read(f"{address(campaign)}?version=1&theme=light")
    assert "TURN 1, PLACEMENT" in drawn
    assert "Poland: Germany has 10 PFs. Changed: Germany." in drawn


def test_the_page_of_a_phase_shows_the_board_of_that_phase_and_version(
    as_: Browser, campaign: Campaign
) -> None:
    played(campaign)
    for number, version in ((1, "version=1&"), (2, "")):
        page = as_().read(reverse("phase", args=[campaign.game.pk, number]))
        assert f"{address(campaign, 'svg', number)}?{version}theme=dark" in sources(page)
        assert as_().get(sources(page)[0]).status_code == 200
    assert "The board as orders begin" in as_().read(address(campaign, "svg", 2))


def test_a_game_that_has_not_begun_has_no_picture(as_: Browser, db: None) -> None:
    campaign = Campaign.open()
    assert campaign.game.status == Game.Status.FORMING
    assert not sources(as_("ada").read(campaign.game.get_absolute_url()))


@pytest.mark.parametrize("form", ["svg", "png"])
def test_a_picture_is_fetched_once(
    as_: Browser, campaign: Campaign, private: Campaign, form: str
) -> None:
    """The ETag answers 304; no shared cache keeps what not everybody may see."""
    first = as_().get(address(campaign, form))
    again = as_().get(address(campaign, form), headers={"if-none-match": first["ETag"]})
    assert again.status_code == 304
    assert not again.content
    assert first["Cache-Control"] == "public, max-age=300"
    assert "Cookie" in first["Vary"]
    assert as_("gustav").get(address(private, form))["Cache-Control"] == "private, max-age=300"
    assert as_("gustav").get(address(campaign, form))["Cache-Control"] == "private, max-age=300"
    played(campaign)
    assert (
        as_().get(address(campaign, form), headers={"if-none-match": first["ETag"]}).status_code
        == 200
    )


def test_the_picture_is_the_one_that_letters_show(
    as_: Browser, campaign: Campaign, letters_with_pictures: None
) -> None:
    """Byte by byte, and under 150 kB."""
    [letter] = campaign.letters("opened", "gustav")
    picture = rendering.render(letter).picture
    assert picture is not None
    answer = as_("gustav").get(address(campaign, "png"))
    assert answer.content == picture.png
    assert len(answer.content) < 150_000
    assert answer["Content-Type"] == "image/png"


def test_a_picture_brings_no_script_and_no_style_of_its_own(
    as_: Browser, campaign: Campaign
) -> None:
    """What a player writes never becomes markup in it, and the pages' policy holds for it too."""
    answer = as_().get(address(campaign))
    drawn = answer.content.decode()
    assert answer["Content-Type"] == "image/svg+xml"
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert "<script" not in drawn
    assert "<style" not in drawn
    assert not re.search(r"\sstyle=", drawn)


def test_a_board_in_an_address_is_under_our_seal(
    as_: Browser, campaign: Campaign, private: Campaign
) -> None:
    """A ruling's preview lives in its signed address, for this game's gamesmasters alone."""
    board = campaign.game.rules.board(positions.state_of(campaign.phase))
    shown = of_board(campaign.game, board, None, "The board\nas it would be").light
    drawn = as_("ada").get(shown)
    assert drawn.status_code == 200
    assert "as it would be" in drawn.content.decode()
    assert as_("charlie").get(shown).status_code == 403
    assert as_().get(shown).status_code == 302
    other = shown.replace(f"/games/{campaign.game.pk}/", f"/games/{private.game.pk}/")
    for wrong in (other, shown.replace("board=", "board=x"), shown.partition("?")[0]):
        assert as_("ada").get(wrong).status_code == 404


def test_a_preview_shows_both_boards_as_maps(as_: Browser, campaign: Campaign) -> None:
    """Issue 6: what a ruling would do is seen at a glance."""
    played(campaign)
    client = as_("ada")
    points = reverse("desk-ruling-new", args=[campaign.game.pk, 1, "points"])
    page = client.submit(points, {"nation": "Russia", "points": "3", "step": "preview"})
    assert "The board does not change." in page
    assert not sources(page), "two equal boards would say nothing"
    orders = reverse("desk-ruling-new", args=[campaign.game.pk, 1, "orders"])
    page = client.submit(orders, {"nation": "Germany", "how": "struck", "step": "preview"})
    assert "two-boards" in page
    assert len(sources(page)) == 6
    assert all(client.get(one).status_code == 200 for one in sources(page))


def test_what_changed_is_found_square_by_square(campaign: Campaign) -> None:
    board = campaign.game.rules.board(positions.state_of(campaign.phase))
    assert images.changed_cells(None, board) == ()
    assert images.changed_cells(board, board) == ()
