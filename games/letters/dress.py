"""Dress the HTML of a letter in the site's colors and type.

Templates write plain elements, with a class where one needs more than its kind: `<p class="box">`;
the class is in the template as it is, because `dress` works on templates before they are filled in.
Many mail programs drop `<style>`, so `dress` writes the style of each element into it. Only the
colors of the dark scheme are in a `<style>` (`mail/base.html`): without it a letter stays light.

The values are those of static/gamesmaster.css, which mail programs cannot read.
"""

from __future__ import annotations

import re

ACCENT, LINE, QUIET = "#7a2e1d", "#cbbd9c", "#665b47"
#: The first name is one that Outlook for Windows has: it shows Times if it lacks the first.
DISPLAY = "'Palatino Linotype','EB Garamond',Palatino,'Book Antiqua',P052,Georgia,serif"
TEXT = "'Segoe UI',system-ui,-apple-system,'Noto Sans','Liberation Sans',Arial,sans-serif"
MONO = "Consolas,Menlo,'Liberation Mono',monospace"

_UNDER = f"border-bottom:1px solid {LINE};vertical-align:top"
_KEPT = f"{MONO};white-space:pre-wrap;overflow-wrap:anywhere"
_QUOTED = f"margin:0 0 18px;border-left:3px solid {LINE}"
_BOX = f"margin:0 0 14px;padding:10px 12px;border:1px solid {LINE};overflow-wrap:anywhere"
#: Styles by element, and by element and class; a class adds to its element.
STYLES = {
    "h1": f"margin:0 0 16px;font:bold 27px/33px {DISPLAY}",
    "h2": f"margin:26px 0 8px;font:bold 19px/25px {DISPLAY}",
    "p": "margin:0 0 14px",
    "ul": "margin:0 0 14px;padding:0 0 0 20px",
    "ol": "margin:0 0 14px;padding:0 0 0 28px",
    "li": "margin:0 0 6px",
    "a": f"color:{ACCENT}",
    "pre": f"{_BOX};font:14px/21px {_KEPT}",
    "pre.small": "font-size:12px;line-height:18px",
    "p.act": "margin:18px 0",
    "p.box": _BOX,
    "p.code": f"font:bold 26px/34px {MONO};letter-spacing:4px",
    "p.near": "margin:0 0 5px",
    "p.quiet": f"margin:0 0 6px;color:{QUIET};font-size:13px;line-height:18px",
    "div.quiet": f"color:{QUIET};font-size:13px;line-height:18px;overflow-wrap:anywhere",
    "span.quiet": f"color:{QUIET};font-size:14px",
    "span.note": "font-size:14px",
    "span.hash": f"font:13px/18px {MONO};overflow-wrap:anywhere;word-break:break-all",
    "li.near": "margin:0",
    "ul.deal": f"{_QUOTED};padding:2px 0 2px 32px",
    "div.quote": f"{_QUOTED};padding:2px 0 2px 14px;white-space:pre-wrap;overflow-wrap:anywhere",
    "a.plain": "color:inherit",
    "a.button": (
        "display:inline-block;padding:11px 20px;border-radius:3px;color:#fdf8ec;font-weight:bold;"
        f"background-color:{ACCENT};text-decoration:none"
    ),
    "table.rows": "border-collapse:collapse;margin:0 0 14px",
    "table.board": f"border-collapse:collapse;margin:0 0 6px;font:14px/21px {TEXT}",
    "td": f"padding:4px 8px 4px 0;{_UNDER}",
    "td.form": f"font:13px/18px {MONO};overflow-wrap:anywhere",
    "td.figure": "text-align:right;white-space:nowrap",
    "td.own": "padding:3px 0 3px 4px;font-weight:bold;white-space:nowrap",
    "td.none": f"padding:3px 0 3px 4px;color:{QUIET}",
    "td.stated": "padding:3px 0 3px 6px",
    "th": f"padding:4px 8px 4px 0;{_UNDER};font-size:13px;font-weight:bold;text-align:left",
    "th.area": "overflow-wrap:anywhere",  # beside five nations “Czechoslovakia” needs 390 pixels
    "th.form": f"font:13px/18px {MONO}",
    "th.nation": "padding:2px 0 2px 3px;font-size:11px;line-height:15px;text-align:right",
}
#: Classes that stay, because the dark scheme has other colors for them.
_DARK = ("quiet", "none", "button", "plain")
_ELEMENT = re.compile(r"<(h[12]|[pa]|[uo]l|li|pre|div|span|table|t[dh])((?: [^<>]*)?)>")
_CLASS = re.compile(r' class="(\w+)"')
_STYLE = re.compile(r' style="([^"]*)"')


def dress(html: str) -> str:
    """Write the styles of elements and classes into them; a style that a template has wins."""
    return _ELEMENT.sub(_dressed, html)


def _dressed(match: re.Match[str]) -> str:
    element, attributes = match.groups()
    named, own = _CLASS.search(attributes), _STYLE.search(attributes)
    if named and named[1] in ("paper", "sheet"):  # only the page around the letter
        return match[0]
    words = [STYLES.get(element, ""), STYLES.get(f"{element}.{named[1]}", "") if named else ""]
    style = ";".join(filter(None, [*words, own[1] if own else ""]))
    if named and named[1] not in _DARK:
        attributes = _CLASS.sub("", attributes)
    attributes = _STYLE.sub("", attributes)
    return f'<{element}{attributes} style="{style}">' if style else f"<{element}{attributes}>"
