"""No page is wider than the narrowest telephone, and nothing on it moves while it loads (issue 24,
Show)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from gamesmaster import clock
from tests.support.browser import new_page
from tests.support.examples import WHOLE
from tests.support.pictures import AT, WIDE, pages
from tests.support.staging import Stage
from tests.support.stored import stored

NARROWEST = 320
#: How much of a window may move, as browsers count it ("cumulative layout shift").
MOST_SHIFT = 0.05
#: Seen by everybody, and so looked at on a desk's screen too.
SEEN_MOST = ("home", "home-ada", "game", "orders", "phase", "board", "over", "summary", "what-if")
OBSERVE = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shift += one.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("letters_with_pictures")
def test_no_page_overflows_the_narrowest_telephone_or_moves_as_it_loads(
    chromium: Browser, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = stored("a game at every stage", lambda: Stage.set_up(AT))
    monkeypatch.setattr(clock, "now", lambda: AT + timedelta(minutes=1))
    faults = []
    for shown in pages(stage):
        for width in (NARROWEST, 1440) if WHOLE or shown.name in SEEN_MOST else (NARROWEST,):
            with new_page(chromium, live_server.url, width, who=shown.who) as page:
                page.add_init_script(OBSERVE)
                shown.open(page)
                faults += [f"{shown.name} at {width}: {fault}" for fault in _faults(page, width)]
    assert not faults, "\n".join(faults)


def _faults(page: Page, width: int) -> list[str]:
    page.evaluate("document.fonts.ready")
    wide, shift = page.evaluate("[document.documentElement.scrollWidth, window.shift]")
    return [
        *([f"{wide} pixels wide: {page.evaluate(WIDE)}"] if wide > width else []),
        *([f"{shift:.3f} of the window moves"] if shift >= MOST_SHIFT else []),
    ]
