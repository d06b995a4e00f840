"""In a browser, from invitation to ledger: pointing, typing, no JavaScript (issue 6, Must show)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from games.accounts import tokens
from games.models import Invitation
from orders.models import Draft, Submission
from tests.support.browser import OpenPage
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.opening import open_game

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(params=[390, 1440], ids=["telephone", "desk"])
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def order_page(
    open_page: OpenPage, campaign: Campaign, width: int = 1440, *, script: bool = True
) -> Page:
    address = f"/games/{campaign.game.pk}/orders/{campaign.seat('Germany').pk}/"
    page = open_page(address, width, who="gustav", script=script)
    if script:
        page.locator("html.scripted").wait_for()
    return page


def orders(page: Page) -> Locator:
    return page.locator("#id_text")


def append(page: Page, text: str) -> None:
    """Type below the existing orders."""
    orders(page).press("Control+End")
    page.keyboard.type(text)


def button(page: Page, do: str) -> Locator:
    return page.locator(f'button[value="{do}"]')


def sent(page: Page) -> str:
    page.locator('.send button[value="send"]').click()
    expect(page).to_have_title(re.compile(r"Receipt No\."))
    return Submission.objects.latest("number").text


@pytest.mark.parametrize("script", [True, False], ids=["script", "scriptless"])
def test_invitation_leads_to_the_seat(open_page: OpenPage, script: bool) -> None:
    seats = dict.fromkeys(("USA", "France", "Britain", "Russia"), "bot") | {
        "Germany": "gustav@example.org"
    }
    settings: dict[str, Any] = {
        "title": "The lights go out",
        "zone": "Europe/London",
        "options": {},
        "ruleset_id": "origins-ww2",
        "card_name": "historical",
        "market": "demo",
        "schedule": {"every": "minutes", "minutes": 60},
        "reserves": None,
        "public": True,
    }
    open_game(person("ada"), MONDAY, may_lock_early=False, seats=seats, **settings)
    invitation = Invitation.objects.get(seat__nation="Germany")
    page = open_page(f"/invitation/{tokens.invitation_token(invitation)}/", 390, script=script)
    expect(page.locator("body")).to_contain_text("Will you play Germany?")
    if page.locator("main form input[name=name]").count():
        page.locator("main form input[name=name]").fill("Gustav")
    with page.expect_navigation():
        page.get_by_role("button", name="Play Germany").click()
    assert invitation.seat.sittings.current().filter(person=person("gustav")).exists()
    expect(page.locator("body")).to_contain_text("Germany")


def test_ordering_by_pointing(open_page: OpenPage, width: int) -> None:
    """The area on the map, its buttons, typing in between, the list; then the receipt."""
    page = order_page(open_page, Campaign.begin(), width)
    page.locator('.hits a[data-area="Poland"]').click()
    expect(page.locator("#at-poland")).to_have_class(re.compile("chosen"))
    for _ in range(4):  # faster than the service answers: none may be lost
        button(page, "more:PLACE:Poland").click()
    expect(orders(page)).to_have_value(re.compile(r"^PLACE 4 Poland\s*$"))
    append(page, "# for the west\n")
    page.locator('.areas a[data-area="Austria"]').click()
    button(page, "all:PLACE:Austria").click()
    expect(orders(page)).to_have_value(
        re.compile(r"^PLACE 4 Poland\n# for the west\nPLACE 6 Austria\s*$")
    )
    expect(page.locator("#marks")).to_contain_text("+6")
    expect(page.locator(".total-line .left")).to_have_text("0")
    assert sent(page).strip() == "PLACE 4 Poland\n# for the west\nPLACE 6 Austria"
    assert not Draft.objects.exists()


def test_too_large_number_is_corrected_in_words(open_page: OpenPage, width: int) -> None:
    """Review of a player, B5; what Enter did to the form put other words in their place."""
    page = order_page(open_page, Campaign.begin(), width)
    page.locator('.hits a[data-area="Poland"]').click()
    number = page.locator('#at-poland input[type="number"]')
    number.fill("99")
    with page.expect_response(re.compile("/orders/")):
        number.press("Enter")
    expect(number).to_have_value("10")
    # an answer to any second request would come now
    page.evaluate("fetch('/health/').then(() => true)")
    told = "It is now 10, the most possible."
    expect(page.locator("#added")).to_contain_text(told)
    seen = page.locator("#added" if width < 600 else "#at-poland .wrong")
    expect(seen).to_contain_text(told)
    expect(seen).to_be_in_viewport()
    page.locator('#at-poland button[value^="less:"]').click()
    expect(page.locator(".wrong")).to_have_count(0)


def test_attack_by_pointing_shows_its_chances_first(open_page: OpenPage, width: int) -> None:
    campaign = Campaign.begin()
    for nation, number in {"Germany": 8, "France": 4}.items():
        campaign.order(nation, f"PLACE {number} Poland")
    campaign.pass_deadline()
    page = order_page(open_page, campaign, width)
    page.locator('.areas a[data-area="Poland"]').click()
    button(page, "aim:Poland:France").click()
    expect(page.locator("#at-poland table.odds caption")).to_contain_text("8 against 4: 2-1")
    page.locator('#at-poland input[name="stock:Poland"]').fill("GE")
    page.keyboard.press("Tab")
    expect(orders(page)).to_have_value(re.compile(r"^ATTACK Poland: France STOCK GE\s*$"))
    button(page, "wish:CONTROL:Poland").click()
    expect(orders(page)).to_have_value(re.compile("CONTROL Poland"))
    assert sent(page) == "ATTACK Poland: France STOCK GE\nCONTROL Poland\n"


def test_ordering_by_keyboard(open_page: OpenPage) -> None:
    """Enter on an area focuses its panel, and focus stays on the pressed button."""
    page = order_page(open_page, Campaign.begin())
    page.locator('.hits a[data-area="Poland"]').press("Enter")
    page.locator("#at-poland:focus-within").wait_for()
    button(page, "more:PLACE:Poland").focus()
    for number in (1, 2):
        page.keyboard.press("Enter")
        expect(orders(page)).to_have_value(re.compile(rf"^PLACE {number} Poland\s*$"))
        expect(button(page, "more:PLACE:Poland")).to_be_focused()


def test_receipt_of_a_sentence_shows_each_order_in_one_line(
    open_page: OpenPage, width: int
) -> None:
    """Issue 23, 2: the canonical reading beside what was written, not one letter to a line."""
    page = order_page(open_page, Campaign.begin(), width)
    append(page, "Poland 5, Austria 3, the rest in Rumania")
    sent(page)
    readings = page.locator(".line code")
    expect(readings).to_have_count(3)
    boxes = [reading.bounding_box() for reading in readings.all()]
    assert all(box is not None and box["height"] < 40 for box in boxes), boxes


def test_ordering_by_text(open_page: OpenPage, width: int) -> None:
    """Text is parsed while it is typed, and saved: another page shows it."""
    campaign = Campaign.begin()
    page = order_page(open_page, campaign, width)
    append(page, "PLACE 4 Pol\n\nWobble")
    expect(page.locator("#reading")).to_contain_text("Wobble")
    expect(page.locator("#kept")).to_contain_text("not sent")
    # the parsed text never replaces the typed one
    expect(orders(page)).to_have_value("PLACE 4 Pol\n\nWobble")
    page = order_page(open_page, campaign, width)
    expect(orders(page)).to_have_value("PLACE 4 Pol\n\nWobble")
    # a line to be refused needs a confirmation (player.md S13)
    page.locator('.send button[value="send"]').click()
    button(page, "send-anyway").click()
    expect(page).to_have_title(re.compile(r"Receipt No\."))
    assert Submission.objects.latest("number").text == "PLACE 4 Pol\n\nWobble"


def test_screen_reader_is_told_the_line_that_changed_and_not_all_of_them(
    open_page: OpenPage,
) -> None:
    """The reading is a live region: what is replaced in it is read aloud."""
    page = order_page(open_page, Campaign.begin())
    orders(page).fill("PLACE 4 Poland\nPLACE 3 Austria")
    lines = page.locator("#reading .line")
    expect(lines).to_have_count(2)
    page.evaluate("""window.told = [];
        new MutationObserver((all) => all.forEach((one) => one.addedNodes.forEach(
            (node) => window.told.push(node.textContent)
        ))).observe(document.getElementById("reading"), { childList: true, subtree: true });""")
    orders(page).fill("PLACE 4 Poland\nPLACE 3 Austria\nPLACE 2 Italy")
    expect(lines).to_have_count(3)
    told = " ".join(page.evaluate("window.told"))
    assert "Italy" in told
    assert "Poland" not in told


def test_pointing_and_typing_without_javascript(open_page: OpenPage, width: int) -> None:
    """Areas on the map are links, buttons load the page again, and nothing typed is lost."""
    page = order_page(open_page, Campaign.begin(), width, script=False)
    panel = page.locator("#at-poland")
    expect(panel).to_be_hidden()
    append(page, "# for the west\n")
    page.locator('.hits a[data-area="Poland"]').click()
    expect(panel).to_be_visible()
    with page.expect_navigation():
        panel.locator('button[value="more:PLACE:Poland"]').click()
    expect(panel).to_be_visible()  # after the page was loaded again
    panel.locator('input[name="number:PLACE:Poland"]').fill("10")
    button(page, "set:PLACE:Poland").click()
    expect(orders(page)).to_have_value(re.compile(r"^# for the west\nPLACE 10 Poland\s*$"))
    with page.expect_navigation():
        page.locator('.send button[value="keep"]').click()
    assert Draft.objects.get().text.strip() == "# for the west\nPLACE 10 Poland"
    assert sent(page).strip() == "# for the west\nPLACE 10 Poland"


def test_map_is_in_the_first_view_and_an_area_opens_without_scrolling(
    open_page: OpenPage, width: int
) -> None:
    """Issue 24, 3; review of a player, S6: on a telephone the area opens over the map, with one
    button to send."""
    page = order_page(open_page, Campaign.begin(), width)
    page.set_viewport_size({"width": width, "height": 844})
    box = page.locator(".pointed img").bounding_box()
    assert box is not None
    assert box["y"] + 400 <= 844
    page.locator('.hits a[data-area="Poland"]').click()
    expect(page.locator("#at-poland")).to_be_in_viewport()
    expect(page.locator("#at-poland .worth")).to_contain_text("Pays you")
    assert page.evaluate("scrollY") == 0
    button(page, "more:PLACE:Poland").click()
    send = page.locator('.send button[value="send"]')
    expect(send).to_have_text("Send (9 left)", use_inner_text=True)
    expect(page.locator(".send button:visible")).to_have_count(1 if width < 600 else 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_chosen_area_moves_above_the_panel_on_a_telephone(open_page: OpenPage) -> None:
    """Issue 24, 3: Austria was under the panel that had opened for it."""
    page = order_page(open_page, Campaign.begin(), 390)
    page.set_viewport_size({"width": 390, "height": 700})
    page.locator('.hits a[data-area="Italy"]').click()
    panel = page.locator("#at-italy")
    expect(panel).to_be_in_viewport()
    expect(page.locator("#hint")).to_have_text(re.compile("2. Place PFs there with"))
    area, below = (
        locator.evaluate("one => one.getBoundingClientRect().toJSON()")
        for locator in (page.locator('.hits a[data-area="Italy"] .wash'), panel)
    )
    assert area["top"] >= 0
    assert min(area["bottom"], area["top"] + 200) <= below["top"]


@pytest.mark.parametrize(("wide", "high"), [(1600, 900), (1920, 950)])
def test_map_is_larger_in_a_wide_window_and_fully_visible(
    open_page: OpenPage, wide: int, high: int
) -> None:
    """Review of a player, S6: 645 pixels at any width."""
    page = order_page(open_page, Campaign.begin(), wide)
    page.set_viewport_size({"width": wide, "height": high})
    box = page.locator(".pointed img").bounding_box()
    assert box is not None
    assert box["width"] > 750
    assert box["y"] + box["height"] <= high


def test_map_switch_shows_the_areas_that_score(open_page: OpenPage) -> None:
    for script in (True, False):
        page = order_page(open_page, Campaign.begin(), script=script)
        expect(page.locator("#points")).to_be_hidden()
        page.locator("#show-points").check()
        expect(page.locator("#points")).to_be_visible()
        expect(page.locator("#points")).to_contain_text("C")


@pytest.mark.parametrize("wide", [820, 1024, 1280, 1440])
def test_maps_of_receipt_and_order_page_fit_their_boxes(open_page: OpenPage, wide: int) -> None:
    """A receipt's map was a few pixels wider than its box, which scrolled for that."""
    campaign = Campaign.begin()
    receipt = campaign.order("Germany", "PLACE 4 Poland").get_absolute_url()
    orders = f"/games/{campaign.game.pk}/orders/{campaign.seat('Germany').pk}/"
    for path in (receipt, orders):
        page = open_page(path, wide, who="gustav")
        box = page.locator(".map .scroll").first
        expect(box.locator("img")).to_have_js_property("complete", True)
        shown, needed = box.evaluate("box => [box.clientWidth, box.scrollWidth]")
        assert needed <= shown, path
