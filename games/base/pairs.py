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
    through. Not in a day (2026-12-04).
    """
    first = "|".join(rf"(?<=[^\w–-][0-9]{{{digits}}}{dash})()" for digits in range(1, 5))
    return re.compile(rf"{dash}(?:{first})[0-9]{{1,4}}(?![\w–-])")


_PAIRS = (_pairs_of("-"), _pairs_of("–"))
#: The ends of elements that have no elements.
_ENDS = ("</title", "</textarea", "</option", "</script", "</style", "</desc", "</text")


def keep_whole(html: str, attribute: str = 'class="unbroken"') -> str:
    """Return HTML with each pair of figures in a `<span>` with an attribute that forbids a line to
    end in it; `class` is for pages.

    Looks once for the tag after a text, however many pairs a player has written in it.
    """
    for pairs in _PAIRS:
        pieces, done, tag, within = [], 0, -1, -1
        for dash in pairs.finditer(html):
            end = dash.end()
            if tag < end:
                tag = html.find("<", end)
                within = html.rfind(">", end, tag)  # until there: in a tag
            if tag == -1:
                break
            if end <= within or html.startswith(_ENDS, tag):
                continue
            begin = dash.start() - (dash.lastindex or 0)
            pieces += [html[done:begin], f"<span {attribute}>{html[begin:end]}</span>"]
            done = end
        html = "".join([*pieces, html[done:]])
    return html
