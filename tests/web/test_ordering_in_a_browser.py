"""A player in a real browser: from the letter with the invitation to orders in the ledger, by
pointing and by typing, with JavaScript and without (issue 6, Must show)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from games import desk
from games.accounts import tokens
from games.models import Invitation
from orders.models import Draft, Submission
from tests.support.browser import Browser, BrowserMissing, browser, executable
from tests.support.cast import MONDAY, Campaign, person
from tests.support.pictures import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "document.getElementById('id_text').value"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    try:
        executable()
    except BrowserMissing as missing:
        pytest.skip(f"NOT CHECKED: {missing}")
    with browser() as page:
        yield page


@pytest.fixture(params=[390, 1440], ids=["telephone", "desk"])
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def order_page(
    chromium: Browser, base: str, campaign: Campaign, width: int = 1440, *, script: bool = True
) -> None:
    log_in(chromium, base, "gustav")
    chromium.look(width, script=script)
    chromium.open(f"{base}/games/{campaign.game.pk}/orders/{campaign.seat('Germany').pk}/")
    if script:
        chromium.wait_for(
            "document.documentElement.classList.contains('scripted')", "the page's script"
        )


def button(do: str) -> str:
    return f'button[value="{do}"]'


def sent(chromium: Browser) -> str:
    chromium.follow('.send button[value="send"]')
    assert "Receipt No." in chromium.run("document.title")
    return Submission.objects.latest("number").text


@pytest.mark.parametrize("script", [True, False], ids=["script", "scriptless"])
def test_joining_a_game_from_the_invitation_to_the_seat(
    chromium: Browser, live_server: Any, script: bool
) -> None:
    seats = dict.fromkeys(("USA", "France", "Britain", "Russia"), "bot") | {
        "Germany": "gustav@example.org"
    }
    desk.open_game(
        opener=person("ada"),
        now=MONDAY,
        title="The lights go out",
        ruleset_id="origins-ww2",
        card_name="historical",
        options={},
        schedule={"every": "minutes", "minutes": 60},
        zone="Europe/London",
        market="demo",
        reserves=None,
        may_lock_early=False,
        public=True,
        seats=seats,
    )
    invitation = Invitation.objects.get(seat__nation="Germany")
    chromium.forget()
    chromium.look(390, script=script)
    chromium.open(f"{live_server.url}/invitation/{tokens.invitation_token(invitation)}/")
    assert "Will you play Germany?" in chromium.run("document.body.innerText")
    if chromium.run("document.querySelector('main form input[name=name]') !== null"):
        chromium.type("Gustav", "main form input[name=name]")
    chromium.follow("main form button")
    assert invitation.seat.sittings.filter(person=person("gustav"), until=None).exists()
    assert "Germany" in chromium.run("document.body.innerText")


def test_ordering_by_pointing(chromium: Browser, live_server: Any, width: int) -> None:
    """The area on the map, a quick hand on its buttons, typing between them, another area from the
    list; then the receipt."""
    campaign = Campaign.begin()
    order_page(chromium, live_server.url, campaign, width)
    chromium.click('.hits a[data-area="Poland"]')
    chromium.wait_for("document.querySelector('#at-poland.chosen') !== null", "the panel of Poland")
    for _ in range(4):
        chromium.click(
            "#at-poland " + button("more:PLACE:Poland")
        )  # quicker than the service answers: none is lost
    chromium.wait_for(f"{TEXT}.trim() === 'PLACE 4 Poland'", "four in Poland")
    chromium.type("# for the west\n", "#id_text")
    chromium.click('.areas a[data-area="Austria"]')
    chromium.click("#at-austria " + button("all:PLACE:Austria"))
    chromium.wait_for(
        f"{TEXT}.trim() === 'PLACE 4 Poland\\n# for the west\\nPLACE 6 Austria'",
        "the rest in Austria",
    )
    chromium.wait_for(
        "document.querySelector('#marks').textContent.includes('+6')", "the mark on the map"
    )
    assert chromium.run("document.querySelector('.total-line .left').textContent") == "0"
    assert sent(chromium).strip() == "PLACE 4 Poland\n# for the west\nPLACE 6 Austria"
    assert not Draft.objects.exists()


def test_an_attack_by_pointing_shows_its_chances_first(
    chromium: Browser, live_server: Any, width: int
) -> None:
    campaign = Campaign.begin()
    for nation, number in {"Germany": 8, "France": 4}.items():
        campaign.order(nation, f"PLACE {number} Poland")
    campaign.pass_deadline()
    order_page(chromium, live_server.url, campaign, width)
    chromium.click('.areas a[data-area="Poland"]')
    chromium.click("#at-poland " + button("aim:Poland:France"))
    chromium.wait_for(
        "document.querySelector('#at-poland table.odds caption')?.textContent.includes('8 against"
        " 4: 2-1')",
        "the odds",
    )
    chromium.type("GE", '#at-poland input[name="stock:Poland"]')
    chromium.press("Tab")
    chromium.wait_for(f"{TEXT}.trim() === 'ATTACK Poland: France STOCK GE'", "the stock")
    chromium.click("#at-poland " + button("wish:CONTROL:Poland"))
    chromium.wait_for(f"{TEXT}.includes('CONTROL Poland')", "the wish")
    assert sent(chromium) == "ATTACK Poland: France STOCK GE\nCONTROL Poland\n"


def test_everything_by_keyboard(chromium: Browser, live_server: Any) -> None:
    """An area of the map takes the focus and Enter; the focus goes to its panel and stays on the
    button that was pressed."""
    campaign = Campaign.begin()
    order_page(chromium, live_server.url, campaign)
    chromium.run("""document.querySelector('.hits a[data-area="Poland"]').focus()""")
    chromium.press("Enter")
    chromium.wait_for(
        "document.activeElement.closest('#at-poland') !== null", "the focus in the panel"
    )
    chromium.run(
        """document.querySelector('#at-poland button[value="more:PLACE:Poland"]').focus()"""
    )
    for number in (1, 2):
        chromium.press("Enter")
        chromium.wait_for(f"{TEXT}.trim() === 'PLACE {number} Poland'", f"{number} in Poland")
        chromium.wait_for(
            "document.activeElement.value === 'more:PLACE:Poland'", "the focus on the button"
        )


def test_ordering_by_text(chromium: Browser, live_server: Any, width: int) -> None:
    """What is typed is read while it is typed, and kept: another page finds it."""
    campaign = Campaign.begin()
    order_page(chromium, live_server.url, campaign, width)
    chromium.type("PLACE 4 Pol\nWobble", "#id_text")
    chromium.wait_for(
        "document.getElementById('reading').textContent.includes('Wobble')", "the reading"
    )
    chromium.wait_for(
        "document.getElementById('kept').textContent.includes('not sent')", "the draft"
    )
    assert chromium.run(TEXT) == "PLACE 4 Pol\nWobble", (
        "what is read is never written over what is typed"
    )
    order_page(chromium, live_server.url, campaign, width)
    assert chromium.run(TEXT) == "PLACE 4 Pol\nWobble"
    assert sent(chromium) == "PLACE 4 Pol\nWobble"


def test_pointing_and_typing_without_javascript(
    chromium: Browser, live_server: Any, width: int
) -> None:
    """The map's areas are links, the buttons bring the page back, and nothing typed is lost."""
    campaign = Campaign.begin()
    order_page(chromium, live_server.url, campaign, width, script=False)
    assert chromium.run("getComputedStyle(document.getElementById('at-poland')).display") == "none"
    chromium.type("# for the west\n", "#id_text")
    chromium.click('.hits a[data-area="Poland"]')
    chromium.wait_for(
        "getComputedStyle(document.getElementById('at-poland')).display === 'block'",
        "the panel of Poland",
    )
    chromium.follow("#at-poland " + button("more:PLACE:Poland"))
    assert (
        chromium.run("getComputedStyle(document.getElementById('at-poland')).display") == "block"
    ), "the panel is there again"
    chromium.run("""document.querySelector('input[name="number:PLACE:Poland"]').value = ''""")
    chromium.type("7", 'input[name="number:PLACE:Poland"]')
    chromium.follow("#at-poland " + button("set:PLACE:Poland"))
    assert chromium.run(TEXT).strip() == "# for the west\nPLACE 7 Poland"
    chromium.follow('.send button[value="keep"]')
    assert Draft.objects.get().text.strip() == "# for the west\nPLACE 7 Poland"
    assert sent(chromium).strip() == "# for the west\nPLACE 7 Poland"
