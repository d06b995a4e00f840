"""What if: any board and any orders, judged; nothing is stored (issue 24, 6)."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from games.desk import forecast
from games.models import Resolution
from orders.models import Draft, Submission
from tests.support.browser import OpenPage
from tests.support.browsing import unmarked
from tests.support.campaign import Campaign
from tests.support.staging import played

from .conftest import Browser

pytestmark = pytest.mark.django_db
BLANK = reverse("card-what-if", args=["origins-ww2", "historical"])
FIGHT = {"phase": "1.attacks", "b": "10.4.6_10.3.3", "o4": "attack Russia in Poland"}


def test_what_if_judges_an_attack_by_the_chosen_digit_and_has_a_link(as_: Browser) -> None:
    """On an empty board of a scenario: 6 PFs against 3 (rules 0.1: 2-1)."""
    page = as_().submit(BLANK, FIGHT | {"do": "judge", "digits": "4"})
    sentences = re.findall(r"Germany attacks Russia in Poland, 6 to 3[^<]*", unmarked(page))
    assert len(sentences) == 1
    assert "Digit 4" in sentences[0]
    link = re.search(r'class="share" href="([^"]+)"', page)
    assert link
    assert sentences[0] in unmarked(as_().read(unescape(link[1])))
    chances = as_().submit(BLANK, FIGHT | {"do": "chances"})
    assert "Germany" in chances
    assert "<caption" not in chances.split("Each attack")[0]
    assert all(f'<th scope="col">{digit}</th>' in chances for digit in range(10))
    following = as_().submit(BLANK, FIGHT | {"do": "next", "digits": "4"})
    assert '<option value="2.placement" selected>' in following


@pytest.mark.parametrize(
    "wrong", [{"b": "99.0.3"}, {"b": "x"}, {"c0.0": "many"}, {"b": "10.4.C_10.3.3"}, {"a": "0-1"}]
)
def test_impossible_board_is_explained(as_: Browser, wrong: dict[str, str]) -> None:
    assert 'role="alert"' in as_().submit(BLANK, {"phase": "1.attacks", "do": "judge"} | wrong)
    assert as_().get(f"{BLANK}board.svg", {"b": "x"}).status_code == 404


@pytest.mark.parametrize(
    ("orders", "length"),
    [("attack Russia in Poland\n" * 61, "61 attacks"), ("# Hello there\n" * 430, "6,020 char")],
)
def test_chances_of_overlong_orders_are_refused(
    as_: Browser, orders: str, length: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody may ask: 80 attacks took twelve seconds, 500 lines of each nation hours."""
    monkeypatch.setattr(forecast, "SAMPLES", 0)
    asked = FIGHT | {"b": "10.4.600_10.3.300", "o4": orders, "do": "chances"}
    page = as_().submit(BLANK, asked)
    assert length in page
    assert "leave some out" in page


def test_chances_are_worked_out_for_a_form_alone(as_: Browser) -> None:
    """Forms are counted, links are not."""
    assert "Each attack" not in as_().read(BLANK, FIGHT | {"do": "chances"})


def test_what_if_stores_nothing_and_starts_from_its_readers_view(
    as_: Browser, private: Campaign
) -> None:
    played(private)
    at = reverse("what-if", args=[private.game.pk])
    before = [list(model.objects.values()) for model in (Resolution, Submission, Draft)]
    page = as_("gustav").submit(at, {"do": "judge", "o4": "PLACE 1 Germany"})
    assert "what Germany may know" in page
    assert "what would happen" in page
    assert before == [list(model.objects.values()) for model in (Resolution, Submission, Draft)]
    assert as_("charlie").get(at).status_code == 404
    assert as_().get(f"{at}board.svg").status_code == 302


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("script", [True, False])
def test_visitor_plays_a_phase_through(open_page: OpenPage, script: bool) -> None:
    page = open_page(BLANK, 390, script=script)
    page.locator("#phase").select_option("1.attacks")
    page.get_by_label("Germany in Poland").fill("6")
    page.get_by_label("Russia in Poland").fill("3")
    page.get_by_role("button", name="Show this board").click()
    expect(page.locator("form[aria-busy]")).to_have_count(0)
    page.locator("#o4").fill("ATTACK Poland: Russia")
    page.locator("#digits").fill("4")
    page.get_by_role("button", name="See what happens").click()
    expect(page.locator("#result-of-it")).to_contain_text("in Poland, 6 to 3")
    expect(page.get_by_label("Germany in Poland")).to_have_value("6")
    if script:
        assert "b=10.3.3_10.4.6" in page.url


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_tables_of_the_sandbox_fit_a_phone(open_page: OpenPage) -> None:
    """Issue 24, 9: the board to be set and the ten digits were cut off on the right."""
    page = open_page(BLANK, 390)
    page.locator("#phase").select_option("1.attacks")
    page.get_by_label("Germany in Poland").fill("18")
    page.get_by_label("Russia in Poland").fill("12")
    page.get_by_role("button", name="Show this board").click()
    expect(page.locator("form[aria-busy]")).to_have_count(0)
    page.locator("#o4").fill("ATTACK Poland: Russia")
    page.get_by_role("button", name="See the chances").click()
    expect(page.locator(".digits-table")).to_be_visible()
    for box in page.locator(".scroll:has(table):visible").all():
        shown, needed = box.evaluate("box => [box.clientWidth, box.scrollWidth]")
        assert needed <= shown, box.get_attribute("aria-label")
