"""The board as a picture on pages (issue 6, 1 and 3), for those who may see the game."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from html import unescape
from typing import Any

import pytest
from django.urls import reverse
from PIL import Image

from games import positions
from games.boards import images
from games.letters import rendering
from games.models import Game
from games.pages.pictures import picture_of_board
from tests.support.browser import SHELL, browser
from tests.support.campaign import Campaign

from .conftest import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


def sources(page: str) -> list[str]:
    return [
        unescape(source)
        for source in re.findall(r'(?:srcset|img src)="([^"]*board\.svg[^"]*)"', page)
    ]


def address(campaign: Campaign, form: str = "svg", number: int = 1) -> str:
    return reverse(f"board-{form}", args=[campaign.game.pk, number])


def played(campaign: Campaign) -> None:
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.pass_deadline()


@pytest.mark.parametrize("form", ["svg", "png"])
def test_board_picture_has_the_permissions_of_its_game(
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


def test_board_picture_has_exactly_three_themes(as_: Browser, campaign: Campaign) -> None:
    shown = {
        theme: as_().get(f"{address(campaign)}?theme={theme}").content
        for theme in ("light", "dark", "print")
    }
    assert len(set(shown.values())) == 3
    assert as_().get(f"{address(campaign)}?theme=pink").status_code == 404


def test_game_page_shows_the_board_in_light_and_dark(as_: Browser, campaign: Campaign) -> None:
    """The newest version of the last phase, with alternative text and the table beside it."""
    assert sources(as_().read(campaign.game.get_absolute_url()))
    played(campaign)
    page = as_().read(campaign.game.get_absolute_url())
    addresses = sources(page)
    assert set(addresses) == {
        f"{address(campaign)}?version=1&theme={theme}"
        for theme in ("light", "dark", "print", "light&phone=1", "dark&phone=1")
    }
    assert 'alt="The board now, as a map. The table says the same."' in page
    assert '<table class="board">' in page
    assert "A star and an orange rim mark" in page
    drawn = as_().read(f"{address(campaign)}?version=1&theme=light")
    assert "TURN 1, PLACEMENT" in drawn
    assert "Poland: Germany has 10 PFs. Changed: Germany." in drawn


@pytest.mark.browser
@pytest.mark.skipif(not shutil.which("pdftoppm"), reason="NOT CHECKED: poppler-utils is missing")
def test_map_of_a_dark_page_is_light_on_paper(live_server: Any) -> None:
    """A browser prints the picture that it shows: the dark map of a dark page.

    The browser itself is dark, because what Playwright emulates holds on paper, too.
    """
    where = f"{live_server.url}{Campaign.begin().game.get_absolute_url()}"
    with (
        browser(SHELL, "--blink-settings=preferredColorScheme=0") as chromium,
        chromium.new_context(
            color_scheme="null", viewport={"width": 1280, "height": 900}
        ) as window,
    ):
        page = window.new_page()
        page.goto(where)
        shown = page.locator(".map img").first
        assert "theme=dark" in shown.evaluate(
            "image => image.decode().then(() => image.currentSrc)"
        )
        on_screen, printed = shown.screenshot(), page.pdf(print_background=True, scale=0.5)
    paper = subprocess.run(
        ["pdftoppm", "-r", "40", "-png", "-singlefile", "-"],
        input=printed,
        capture_output=True,
        check=True,
    ).stdout
    assert dark_part(on_screen) > 0.6
    assert dark_part(paper) < 0.1


def dark_part(picture: bytes) -> float:
    """Return which part of a picture is dark."""
    with Image.open(io.BytesIO(picture)) as opened:
        counts = opened.convert("L").histogram()
    return sum(counts[:96]) / sum(counts)


def test_phase_page_shows_the_board_of_its_phase_and_version(
    as_: Browser, campaign: Campaign
) -> None:
    played(campaign)
    for number, version in ((1, "version=1&"), (2, "")):
        page = as_().read(reverse("phase", args=[campaign.game.pk, number]))
        assert f"{address(campaign, 'svg', number)}?{version}theme=dark" in sources(page)
        assert as_().get(sources(page)[0]).status_code == 200
    assert "The board as orders begin" in as_().read(address(campaign, "svg", 2))


def test_forming_game_has_no_picture(as_: Browser, db: None) -> None:
    campaign = Campaign.open()
    assert campaign.game.status == Game.Status.FORMING
    assert not sources(as_("ada").read(campaign.game.get_absolute_url()))


@pytest.mark.parametrize("form", ["svg", "png"])
def test_unchanged_picture_gives_304(
    as_: Browser, campaign: Campaign, private: Campaign, form: str
) -> None:
    """No shared cache stores what only some may see."""
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


def test_picture_equals_that_of_letters(
    as_: Browser, campaign: Campaign, letters_with_pictures: None
) -> None:
    """Byte for byte, and under 150 kB."""
    [letter] = campaign.letters("opened", "gustav")
    picture = rendering.render(letter).picture
    assert picture is not None
    answer = as_("gustav").get(address(campaign, "png"))
    assert answer.content == picture.png
    assert len(answer.content) < 150_000
    assert answer["Content-Type"] == "image/png"


def test_picture_has_no_script_or_style_of_its_own(as_: Browser, campaign: Campaign) -> None:
    """User text never becomes markup in it, and the pages' policy applies to it too."""
    answer = as_().get(address(campaign))
    drawn = answer.content.decode()
    assert answer["Content-Type"] == "image/svg+xml"
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert "<script" not in drawn
    assert "<style" not in drawn
    assert not re.search(r"\sstyle=", drawn)


def test_board_in_an_address_is_signed(as_: Browser, campaign: Campaign, private: Campaign) -> None:
    """The preview of a ruling is in its signed address, for this game's gamesmasters only."""
    board = campaign.game.rules.board(positions.state_of(campaign.phase))
    shown = picture_of_board(campaign.game, board, None, "The board\nas it would be").light
    drawn = as_("ada").get(shown)
    assert drawn.status_code == 200
    assert "as it would be" in drawn.content.decode()
    assert as_("charlie").get(shown).status_code == 403
    assert as_().get(shown).status_code == 302
    other = shown.replace(f"/games/{campaign.game.pk}/", f"/games/{private.game.pk}/")
    for wrong in (other, shown.replace("board=", "board=x"), shown.partition("?")[0]):
        assert as_("ada").get(wrong).status_code == 404


def test_preview_shows_both_boards_as_maps(as_: Browser, campaign: Campaign) -> None:
    """Issue 6: what a ruling would do is visible at once."""
    played(campaign)
    client = as_("ada")
    points = reverse("desk-ruling-new", args=[campaign.game.pk, 1, "points"])
    page = client.submit(points, {"nation": "Russia", "points": "3", "step": "preview"})
    assert "The board does not change." in page
    assert not sources(page), "two equal boards would say nothing"
    orders = reverse("desk-ruling-new", args=[campaign.game.pk, 1, "orders"])
    page = client.submit(orders, {"nation": "Germany", "how": "struck", "step": "preview"})
    assert "two-boards" in page
    assert len(sources(page)) == 10
    assert all(client.get(picture).status_code == 200 for picture in sources(page))


def test_changed_cells_are_found_square_by_square(campaign: Campaign) -> None:
    board = campaign.game.rules.board(positions.state_of(campaign.phase))
    assert images.changed_cells(None, board) == ()
    assert images.changed_cells(board, board) == ()
