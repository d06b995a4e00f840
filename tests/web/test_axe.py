"""No page has a serious fault for a screen reader, a keyboard or weak eyes: axe-core, in Chromium
(issue 6, Must show).

Every page of tests/support/pictures.py, as its usual reader opens it (gamesmaster, player,
stranger), light and dark, at a telephone's width and a desk's: at both in a soak. Each day half of
the pages, at one of the widths by turns.
"""

from __future__ import annotations

import zlib
from datetime import timedelta
from typing import Any

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from games.base import clock
from tests.support.browser import new_page
from tests.support.examples import WHOLE, chosen
from tests.support.pictures import AT, pages
from tests.support.staging import Stage
from tests.support.stored import stored

pytestmark = [pytest.mark.letters, pytest.mark.long]

WIDTHS = (390, 1440)
#: What axe calls the faults that no page may have.
GRAVE = ("serious", "critical")
#: A library draws the reference of the API, and Django the lists of a person's permissions; their
#: faults are theirs.
OF_A_LIBRARY = {"api", "admin-person"}
#: Django's field to search people has no label.
DJANGO_FIELD = {"exclude": [[".select2-search__field"]]}
#: For several processes to look at; where that is soon done, one stage is set up and not one for
# each.
PARTS = 4 if WHOLE else 1


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("letters_with_pictures")
@pytest.mark.parametrize("part", range(PARTS))
def test_no_page_has_a_serious_fault(
    chromium: Browser, live_server: Any, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    stage = stored("a game at every stage", lambda: Stage.set_up(AT))
    monkeypatch.setattr(clock, "now", lambda: AT + timedelta(minutes=1))
    found: dict[str, str] = {}
    for shown in pages(stage)[part::PARTS]:
        if shown.name in OF_A_LIBRARY or not chosen(shown.name):
            continue
        for width in WIDTHS if WHOLE else (WIDTHS[zlib.crc32(shown.name.encode()) // 2 % 2],):
            with new_page(chromium, live_server.url, width, who=shown.who) as page:
                page.emulate_media(reduced_motion="reduce")  # a report that is played
                shown.open(page)
                # What can be unfolded is looked at too; axe takes what is folded up for covering.
                page.evaluate(
                    "document.querySelectorAll('details').forEach(one => { one.open = true })"
                )
                found[f"{shown.name} at {width}"] = faults(page)
                page.emulate_media(color_scheme="dark")
                found[f"{shown.name} at {width}, dark"] = faults(page, only="color-contrast")
    told = "\n".join(f"{name}: {faults}" for name, faults in found.items() if faults)
    assert not told, told


def faults(page: Page, *, only: str = "") -> str:
    """Report every serious fault of the page as it stands, or those of one rule; "" for none."""
    # Colors in transition are between two: the admin fades from light to dark.
    page.evaluate(
        "Promise.allSettled(document.getAnimations()"
        ".filter(one => one instanceof CSSTransition).map(one => one.finished))"
    )
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if only:
        options["runOnly"] = {"type": "rule", "values": [only]}
    violations = Axe().run(page, context=DJANGO_FIELD, options=options).response["violations"]
    grave = [violation for violation in violations if violation["impact"] in GRAVE]
    return AxeResults({"violations": grave}).generate_report() if grave else ""
