"""No page has a serious fault for a screen reader, a keyboard or weak eyes: axe-core, in Chromium
(issue 6, Must show).

Every page of tests/support/pictures.py, as whoever opens it there (gamesmaster, player, stranger),
light and dark, at a telephone's width and a desk's: at both in a soak, else at one of them, the
pages by turns, and of every two pages at one width one in the dark.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from gamesmaster import clock
from tests.support import axe
from tests.support.browser import Browser, BrowserMissing, browser, executable
from tests.support.examples import WHOLE
from tests.support.pictures import AT, log_in, pages
from tests.support.staging import Stage
from tests.support.stored import stored

WIDTHS = (390, 1440)
#: For several processes to look at; where that is soon done, one stage is set up and not one for
# each.
PARTS = 4 if WHOLE else 1


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    try:
        executable()
    except BrowserMissing as missing:
        pytest.skip(f"NOT CHECKED: {missing}")
    with browser() as page:
        yield page


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("letters_with_pictures")
@pytest.mark.parametrize("part", range(PARTS))
def test_no_page_has_a_serious_fault(
    chromium: Browser, live_server: Any, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    stage = stored("a game at every stage", lambda: Stage.set_up(AT))
    monkeypatch.setattr(clock, "now", lambda: AT + timedelta(minutes=1))
    found: dict[str, list[str]] = {}
    for page in pages(stage)[part::PARTS]:
        log_in(chromium, live_server.url, page.who)
        for width in WIDTHS if WHOLE else (WIDTHS[zlib.crc32(page.name.encode()) % 2],):
            chromium.look(width)
            chromium.open(live_server.url + page.path)
            if page.then:
                (chromium.leave if "click()" in page.then else chromium.run)(page.then)
            axe.put_into(chromium)
            faults = axe.faults(chromium)
            if WHOLE or zlib.crc32(f"{page.name} dark".encode()) % 2:
                chromium.look(width, dark=True)
                faults += [
                    f"dark: {fault}" for fault in axe.faults(chromium, only=("color-contrast",))
                ]
            if faults:
                found[f"{page.name} at {width}"] = faults
    told = "\n".join(f"{name}:\n  - " + "\n  - ".join(faults) for name, faults in found.items())
    assert not found, told
