"""Names as long as they may be, and type twice as large, make no page wider than a telephone; in
forced colors what only a ground shows has a line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page

from games.base import clock
from games.desk import scenarios
from games.models import Person
from games.pages.boards import slugs
from games.rules import cards
from tests.support.browser import new_page
from tests.support.campaign import MONDAY, PLAYERS, Campaign, person
from tests.support.pictures import WIDE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.long]

WIDTH = 390
NATIONS = {
    "Germany": "Vereinigtesmitteleuropäischeskaiserreich",
    "France": "ΠανελλήνιοςΣυνασπισμόςΔημοκρατίαςΓαλλίας",
    "Russia": "Союз Советских Социалистических Республ",
    "Rumania": "W" * 40,
}
TITLE = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenträgervereinigungssitz"
#: Text twice as large, as a person sets it for all pages. A style sheet would be refused.
LARGE_TYPE = "document.documentElement.style.fontSize = '200%'"


def wide(page: Page, path: str, *, large: bool = False) -> str:
    """Return what makes a page wider than the window, or ""."""
    page.goto(path)
    if large:
        page.evaluate(LARGE_TYPE)
    width = page.evaluate("document.documentElement.scrollWidth")
    return f"{path}: {width} pixels {page.evaluate(WIDE)}" if width > WIDTH else ""


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """A game in its second phase, of a scenario of long names, played by people of long names."""
    monkeypatch.setattr(clock, "now", lambda: MONDAY)
    card = json.dumps(cards.load("origins-ww2", "historical"), ensure_ascii=False)
    for name, long in NATIONS.items():
        card = card.replace(f'"{name}"', f'"{long}"')
    given = {**json.loads(card), "title": "T" * 80, "name": "long"}
    own = scenarios.keep(person("ada"), "origins-ww2", given, MONDAY)
    seats = {NATIONS.get(nation, nation): f"{who}@example.org" for nation, who in PLAYERS.items()}
    campaign = Campaign.begin(title=TITLE, card_name=f"scenario-{own.pk}", seats=seats)
    Person.objects.filter(pk=person("una").pk).update(name="U" * 80)
    campaign.pass_deadline()
    monkeypatch.setattr(clock, "now", lambda: campaign.now)
    return campaign


def test_longest_names_fit_a_telephone(
    chromium: Browser, live_server: Any, campaign: Campaign
) -> None:
    game, germany = campaign.game, campaign.seat(NATIONS["Germany"])
    players = [
        reverse("game", args=[game.pk]),
        reverse("orders", args=[game.pk, germany.pk]),
        reverse("deals", args=[game.pk]),
        reverse("standing", args=[game.pk]),
        reverse("phase", args=[game.pk, 1]),
        reverse("nation", args=[game.pk, slugs(tuple(game.card["order"]))[germany.nation]]),
        reverse("me"),
    ]
    desks = [
        reverse("desk-telephone", args=[game.pk]),
        reverse("desk-telephone-table", args=[game.pk]),
        reverse("cards"),
        reverse("class-wall", args=[game.pk]),
    ]
    for who, paths in (("gustav", players), ("ada", desks)):
        with new_page(chromium, live_server.url, WIDTH, who=who) as page:
            faults = [wide(page, path) for path in paths]
        assert not any(faults), "\n".join(filter(None, faults))


def test_type_twice_as_large_fits_a_telephone(chromium: Browser, live_server: Any) -> None:
    """WCAG 1.4.4. The account's name was cut to nothing, and each page was 1.5 windows wide."""
    game = Campaign.begin().game
    paths = [
        reverse("game", args=[game.pk]),
        reverse("deals", args=[game.pk]),
        reverse("nation", args=[game.pk, "germany"]),
        reverse("me"),
    ]
    with new_page(chromium, live_server.url, WIDTH, who="gustav") as page:
        faults = [wide(page, path, large=True) for path in paths]
        name = page.locator(".masthead .who").bounding_box()
    assert not any(faults), "\n".join(filter(None, faults))
    assert name is not None
    assert name["width"] > 60


def test_forced_colors_keep_what_a_ground_shows(chromium: Browser, live_server: Any) -> None:
    """A nation's home on the board, and the page of the desk that is open."""
    campaign = Campaign.begin()
    shown = (
        ("game", ".board .home", "borderTopStyle", "dashed"),
        ("desk", ".tabs a[aria-current]", "outlineStyle", "solid"),
    )
    for name, selector, style, value in shown:
        with new_page(chromium, live_server.url, 1440, who="ada") as page:
            page.emulate_media(forced_colors="active")
            page.goto(reverse(name, args=[campaign.game.pk]))
            element = page.locator(selector).first
            assert element.evaluate(f"one => getComputedStyle(one).{style}") == value, name
