"""Keep odds and ranges in one line of HTML: “5-1”, “2–4”.

Chromium and Safari end a line after a hyphen or dash between digits, whatever the style sheet says
(UAX 14, LB25, forbids it). Only markup helps that is not copied: signs that forbid the end of a
line would come with an order into a mail.
"""

from __future__ import annotations

import re


def _pairs_of(dash: str) -> re.Pattern[str]:
    """Match the dash and the second figure of a pair; the number of the last group is that of the
    digits before the dash.

    Begins with the dash, which Python looks for ten times as fast as for digits: each page is gone
    through. Neither in a tag, nor in elements that have no elements, nor in a day (2026-12-04).
    """
    first = "|".join(rf"(?<=[^\w–-][0-9]{{{digits}}}{dash})()" for digits in range(1, 5))
    elsewhere = r"[^<>]*<(?!/(?:title|textarea|option|script|style|desc|text)\b)"
    return re.compile(rf"{dash}(?:{first})[0-9]{{1,4}}(?![\w–-])(?={elsewhere})")


_PAIRS = (_pairs_of("-"), _pairs_of("–"))


def keep_whole(html: str, attribute: str = 'class="unbroken"') -> str:
    """Return HTML with each pair of figures in a `<span>` with an attribute that forbids a line to
    end in it; `class` is for pages."""
    for pairs in _PAIRS:
        pieces, done = [], 0
        for dash in pairs.finditer(html):
            begin = dash.start() - (dash.lastindex or 0)
            pieces += [html[done:begin], f"<span {attribute}>{html[begin : dash.end()]}</span>"]
            done = dash.end()
        html = "".join([*pieces, html[done:]])
    return html
