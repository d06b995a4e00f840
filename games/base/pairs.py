"""Keep odds and ranges in one line of HTML: “5-1”, “2–4”.

Chromium and Safari end a line after a hyphen or dash between digits, whatever the style sheet says
(UAX 14, LB25, forbids it). Only markup helps that is not copied: signs that forbid the end of a
line would come with an order into a mail.
"""

from __future__ import annotations

import re

#: Not in a tag, nor in elements that have no elements. A day such as 2026-12-04 is no pair.
_PAIR = re.compile(
    r"(?<![\w–-])(\d{1,4}[-–]\d{1,4})(?![\w–-])"
    r"(?=[^<>]*<(?!/(?:title|textarea|option|script|style|desc|text)\b))"
)


def keep_whole(html: str, attribute: str = 'class="unbroken"') -> str:
    """Return HTML with each pair of figures in a `<span>` with an attribute that forbids a line to
    end in it; `class` is for pages."""
    return _PAIR.sub(rf"<span {attribute}>\1</span>", html)
