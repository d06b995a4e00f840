"""No page has a serious fault for a screen reader, a keyboard or weak eyes (axe-core; issue 6, Must
show), none is wider than the narrowest telephone, and nothing on it moves while it loads (issue
24, Show).

Of the pages of tests/support/pictures.py each day one of each kind, as its usual reader opens it
(gamesmaster, player, stranger): at a telephone's width, where most does not fit, by turns light or
dark; of elements that look alike the contrast of the first. In a soak every page at a desk's width
too, light and dark, and the contrast of all.
"""

from __future__ import annotations

import itertools
import zlib
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from games.base import clock
from tests.support import staging
from tests.support.axe import faults as accessible
from tests.support.browser import change_reader, keep_no_files, new_page
from tests.support.browsing import send_letters
from tests.support.campaign import Campaign
from tests.support.examples import WHOLE
from tests.support.pictures import AT, WIDE, one_of_each_kind, pages
from tests.support.staging import Stage
from tests.support.stored import stored

pytestmark = pytest.mark.long

NARROWEST = 320
WIDTHS = (NARROWEST, 1440)
#: Widths, and whether dark.
WAYS = list(itertools.product(WIDTHS, (False, True)))
#: How much of a window may move, as browsers count it ("cumulative layout shift").
MOST_SHIFT = 0.05
#: A library draws the reference of the API, and Django the lists of a person's permissions; what
#: moves there, and their faults for a screen reader, are theirs.
OF_A_LIBRARY = {"api", "admin-person"}
#: For several processes to look at; where that is soon done, one stage is set up and not one for
#: each.
PARTS = 4 if WHOLE else 1
OBSERVE = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shift += one.value;
}).observe({ type: "layout-shift", buffered: true });
"""
#: What can be unfolded is looked at too; axe takes what is folded up for covering.
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true })"


def ways(name: str) -> list[tuple[int, bool]]:
    """Return in which ways to look at a page: always the same, or in a soak all."""
    return WAYS if WHOLE else [(NARROWEST, zlib.crc32(name.encode()) % 2 == 1)]


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_fits_stands_still_and_is_accessible(
    chromium: Browser, live_server: Any, settings: Any, watch: Any, part: int
) -> None:
    stage = stored("a game at every stage", lambda: Stage.set_up(AT))
    settings.MAIL_PICTURES = True
    watch.set(AT + timedelta(minutes=1))
    faults = []
    with ExitStack() as stack:
        windows = {
            width: stack.enter_context(new_page(chromium, live_server.url, width))
            for width in WIDTHS
        }
        for page in windows.values():
            page.add_init_script(OBSERVE)
            keep_no_files(page)
        for shown in one_of_each_kind(pages(stage))[part::PARTS]:
            for width, dark in ways(shown.name):
                page = windows[width]
                change_reader(page, live_server.url, shown.who, dark=dark)
                shown.open(page)
                ours = shown.name not in OF_A_LIBRARY
                # What is done on a page before it is looked at may move it.
                loaded = ours and shown.here is None
                found = _faults(page, width, MOST_SHIFT if loaded else 1)
                if ours:
                    page.emulate_media(reduced_motion="reduce")  # a report that is played
                    page.evaluate(UNFOLD)
                    found += [grave for grave in [accessible(page)] if grave]
                faults += [f"{shown.name} at {width}{', dark' * dark}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)


@pytest.mark.browser
def test_contrast_is_measured_of_all_elements_that_do_not_look_alike(chromium: Browser) -> None:
    """Of rows only the first, and of a class also the one that is seen, or on another ground."""
    page = chromium.new_page()
    page.set_content("""<html lang="en"><title>A</title><body style="background: #fff"><main>
        <h1>A</h1> <p class="a">black</p> <p class="a" style="color: #bbb">own gray</p>
        <p class="b" style="color: #ccc" hidden>unseen</p> <p class="b" style="color: #ccc">seen</p>
        <div style="background: #222"><p class="a">black on black</p></div>
        <p class="c" style="color: #aaa">first row</p> <p class="c" style="color: #aaa">next row</p>
        </main>""")
    found = accessible(page)
    page.close()
    for words in ("own gray", ">seen", "black on black", "first row"):
        assert words in found, words
    assert ("next row" in found) == WHOLE


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_page_of_one_form_is_a_column_in_the_middle(
    chromium: Browser, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 44, 10: the right half of login, absence and the like was empty on wide screens."""
    stage = stored("a game at every stage", lambda: Stage.set_up(AT))
    monkeypatch.setattr(clock, "now", lambda: AT + timedelta(minutes=1))
    listed = {shown.name: shown for shown in pages(stage)}
    widths = {}
    with new_page(chromium, live_server.url, 1440) as page:
        for name in ("login", "away", "leave", "address", "closures", "missing", "orders", "over"):
            change_reader(page, live_server.url, listed[name].who)
            listed[name].open(page)
            box = page.locator("main").bounding_box()
            assert box is not None
            assert abs(box["x"] + box["width"] / 2 - 720) < 10, name
            widths[name] = box["width"]
    narrow = [name for name, width in widths.items() if width < 700]
    assert narrow == ["login", "away", "leave", "address", "closures", "missing"]


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_what_a_review_saw_cut_off_or_too_wide_is_whole(
    chromium: Browser, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Review of a player, B10, B11, B12, B16 and B18."""
    campaign = stored("a game that is over", lambda: staging.over(AT))
    monkeypatch.setattr(clock, "now", lambda: AT + timedelta(minutes=1))
    over = f"/games/{campaign.game.pk}/"
    with new_page(chromium, live_server.url, 390) as page:
        page.goto(f"{over}standing/")
        head = page.locator(".masthead").bounding_box()
        assert head is not None
        assert head["height"] < 64, "the header takes one line (issue 24, 2; S4)"
        assert _right(page, ".chart svg") <= 390, "the newest scores are in sight (B12)"
        page.goto(f"{over}nations/germany/")
        name = page.get_by_role("rowheader", name="Czechoslovakia").first
        height = name.evaluate("one => one.getBoundingClientRect().height")
        assert height < 40, "the name stands in one line (B11)"
    with new_page(chromium, live_server.url, 1440) as page:
        page.goto(f"{over}board/?at=3.1")
        gap = page.locator(".changed-there ul").evaluate("one => getComputedStyle(one).columnGap")
        assert float(gap.removesuffix("px")) >= 16, "B10"
        page.goto("/rules/")
        assert _right(page, "footer > div") <= _right(page, ".masthead nav, .masthead .who"), "B16"
        lead, cards = (
            page.locator(selector).bounding_box() for selector in (".title", "ul.entries")
        )
        assert lead is not None
        assert cards is not None
        assert cards["y"] >= lead["y"] + lead["height"] + 8, "the lead does not touch (B16)"


def _right(page: Page, selector: str) -> float:
    """Return where what matches ends on the right."""
    return max(
        box["x"] + box["width"]
        for element in page.locator(selector).all()
        if (box := element.bounding_box()) is not None
    )


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_address_of_a_calendar_is_seen_whole_and_copied(
    chromium: Browser, live_server: Any
) -> None:
    """Review of a player, B18: a field of 215 pixels, and no button to copy."""
    with new_page(chromium, live_server.url, 1440, who="una") as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto("/me/")
        page.locator('form[action$="me/calendar/"] button').click()
        field = page.locator("#calendar-address")
        assert field.evaluate("one => one.scrollWidth <= one.clientWidth")
        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == field.input_value()


def _faults(page: Page, width: int, most_shift: float = MOST_SHIFT) -> list[str]:
    page.evaluate("document.fonts.ready")
    wide, shift = page.evaluate("[document.documentElement.scrollWidth, window.shift]")
    return [
        *([f"{wide} pixels wide: {page.evaluate(WIDE)}"] if wide > width else []),
        *([f"{shift:.3f} of the window moves"] if shift >= most_shift else []),
    ]


@pytest.mark.browser
@pytest.mark.letters
@pytest.mark.django_db(transaction=True)
def test_letters_of_a_demonstration_and_a_report_that_is_played_fit_and_are_accessible(
    chromium: Browser, live_server: Any, settings: Any, watch: Any
) -> None:
    """Of what the walk above does not meet: pages of demonstrations alone, and a dialog."""
    settings.DEMONSTRATION = settings.MAIL_IN = True
    campaign = Campaign.begin()
    for nation, number in {"Germany": 8, "France": 4}.items():
        campaign.order(nation, f"PLACE {number} Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    phase = campaign.pass_deadline()
    watch.set(campaign.now)
    send_letters(campaign.now)
    letter = campaign.letters("begins", "gustav")[-1]
    faults = []
    for width, dark in ((NARROWEST, False), (1440, True)):
        with new_page(chromium, live_server.url, width, dark=dark) as page:
            page.add_init_script(OBSERVE)
            for path in ("/letters/", f"/letters/{letter.code}/"):
                page.goto(path)
                faults += [f"{path} at {width}: {fault}" for fault in _faults(page, width)]
                faults += [f"{path} at {width}: {grave}" for grave in [accessible(page)] if grave]
            page.goto(f"/games/{campaign.game.pk}/phases/{phase.number}/")
            page.get_by_role("button", name="Play the report").click()
            expect(page.locator("dialog.show .one-row.lit mark")).to_be_visible()
            box = page.locator("dialog.show").bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            faults += [f"show at {width}: {grave}" for grave in [accessible(page)] if grave]
    assert not faults, "\n".join(faults)
