"""Odds and ranges stand in one line of pages and letters, and are copied as they were written."""

from __future__ import annotations

import re
import time

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory
from playwright.sync_api import Browser

from games.base.pairs import keep_whole
from games.pages.middleware import WholePairs

WHOLE = re.compile("<b w>(.*?)</b>")
NARROW = '<pre style="width: 9ch; white-space: pre-line">xxxxx (5-1)\nyyyyyy 2–4</pre>'
LINES = """[...document.querySelectorAll("span")].map(pair => pair.getClientRects().length)"""


@pytest.mark.parametrize(
    ("html", "whole"),
    [
        ("<p>8 to 3 (2-1), below 1-1.</p>", ["2-1", "1-1"]),
        ("<td>4-1!</td><td>“5-1”/“1-2”</td>", ["4-1", "5-1", "1-2"]),
        ("<li>10 to 24 hours, turns 2–4, 1936–1941</li>", ["2–4", "1936–1941"]),
        ("<li>MIN 2-1</li>", ["2-1"]),
        # no pairs of figures
        ("<p>2026-12-04, rules K1-K20, PRACTICE-2, -1-2, 3-day, 1–2–3, 20261204-7</p>", []),
        # no element may stand there
        ('<p data-odds="2-1" title="MIN 2-1"><a href="/games/1-2/">it</a></p>', []),
        ("<title>At 2-1</title><option>2-1</option><textarea>MIN 2-1\n</textarea>", []),
        ("<script>'2-1'</script><svg><text>2-1</text><desc>2-1</desc></svg><!-- 2-1 --><p>", []),
    ],
)
def test_pairs_of_figures_are_marked_in_text_alone(html: str, whole: list[str]) -> None:
    marked = keep_whole(html, "w").replace("<span", "<b").replace("</span>", "</b>")
    assert WHOLE.findall(marked) == whole
    assert re.sub("</?b( w)?>", "", marked) == html


@pytest.mark.parametrize("element", ["p", "textarea"])
def test_text_of_nothing_but_pairs_is_shown_at_once(element: str) -> None:
    """20,000 characters took each page that shows them two seconds, and 200,000 a minute."""
    html = f"<{element}>{'2-1 ' * 50_000}</{element}>"
    begun = time.process_time()
    marked = keep_whole(html, "w")
    assert time.process_time() - begun < 5
    assert marked.count("<span w>") == (50_000 if element == "p" else 0)


def test_pages_are_marked_and_nothing_else_is() -> None:
    """Files that are sent in pieces, and what programs read, stay as they are."""

    def answer(response: HttpResponse | StreamingHttpResponse) -> HttpResponse:
        request = RequestFactory().get("/")
        return WholePairs(lambda request: response)(request)  # type: ignore[arg-type, return-value]

    page = answer(HttpResponse("<p>At 2-1 – “Ελλάδα”.</p>"))
    assert page.content.decode() == '<p>At <span class="unbroken">2-1</span> – “Ελλάδα”.</p>'
    assert answer(HttpResponse("<p>2-1</p>", content_type="text/plain")).content == b"<p>2-1</p>"
    pieces = answer(StreamingHttpResponse([b"<p>2-1</p>"]))
    assert b"".join(pieces) == b"<p>2-1</p>"


@pytest.mark.browser
def test_line_ends_beside_a_pair_not_in_it(chromium: Browser) -> None:
    """Chromium ends a line after the hyphen of “5-1”; what is selected is copied as it was."""
    page = chromium.new_page()
    page.set_content(keep_whole(NARROW, "") + keep_whole(NARROW, 'style="white-space:nowrap"'))
    assert page.evaluate(LINES) == [2, 2, 1, 1]
    first, second = page.locator("pre").all()
    assert second.inner_text() == first.inner_text() == "xxxxx (5-1)\nyyyyyy 2–4"
    page.close()
