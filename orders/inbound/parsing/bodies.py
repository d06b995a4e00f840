"""Convert HTML mail to text: what a reader sees and the sender wrote, without quotations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import Tag

_NEVER_SHOWN = (
    "style",
    "script",
    "head",
    "title",
    "meta",
    "template",
    "noscript",
    "object",
    "iframe",
    "svg",
    "select",
    "textarea",
)
#: Classes and ids that mark a quotation in Gmail, Yahoo, Thunderbird, Proton, Zoho, Fastmail,
#: Samsung, Apple.
_QUOTED = re.compile(
    r"(?:^|[\s_-])(?:gmail_quote\w*|gmail_extra|gmail_attr|yahoo_quoted|yahoo-quoted|moz-cite-prefix|moz-forward-container|protonmail_quote"
    r"|zmail_extra|quoted-text|qt|OutlookMessageHeader|WordSection1_quote|cite)(?:$|\s)",
    re.IGNORECASE,
)
#: Classes, ids and names of signatures: gmail_signature, messageSignatureSection, moz-signature.
_SIGNATURE = re.compile(r"signature", re.IGNORECASE)
#: Ids after which everything is quoted: Outlook on the web and desktop, Windows Mail.
_REST_IS_QUOTED = re.compile(
    r"(?:divRplyFwdMsg|appendonsend|OLK_SRC_BODY_SECTION|replyforwardheader|mail-editor-reference)",
    re.I,
)
_HIDDEN = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|mso-hide:all|font-size:0(?:[a-z%;!]|$)|opacity:0(?:[;!]|\.0|$)|max-height:0|line-height:0(?:[a-z;!]|$)"
    r"|(?<![-\w])(?:height|width):0(?:[a-z%;!]|$)|text-indent:-\d{3}|(?:left|top|right):-\d{3}|clip:rect\(0|transform:scale\(0"
    r"|(?<![-\w])color:(?:#f{3}(?:f{3}|f{5})?(?![0-9a-f])|white|transparent|rgba?\(255,255,255|rgba\(\d+,\d+,\d+,0\)|#fefefe)"
)
_NO_BORDER = re.compile(r"border(?:-(?:width|style))?:(?:none|0(?:px)?|medium)+")
_HIDING_CLASS = re.compile(r"\.([\w-]{1,60})[^{}]{0,200}\{([^{}]{0,2000})\}")
_CROSSED_OUT = ("s", "del", "strike")
_LINE_THROUGH = re.compile(r"(?:^|;)text-decoration(?:-line)?:[^;]*line-through")
_LINES = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "center",
            "dd",
            "div",
            "dl",
            "dt",
            "fieldset",
            "figure",
            "footer",
            "form",
        ),
        *(
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
            "html",
            "li",
            "main",
            "nav",
            "ol",
            "p",
            "pre",
            "section",
            "table",
            "tbody",
        ),
        *("tfoot", "thead", "tr", "ul"),
    )
)
_SPACED = frozenset(("p", "table", "ul", "ol", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "hr"))
_DEEPEST = 200
_BLANKS = re.compile(r"[ \t\n\r\f]+")


@dataclass(frozen=True)
class HtmlText:
    """The text of HTML, without what is quoted, invisible or crossed out.

    `left_out` are the lines that were quoted or invisible.
    """

    text: str
    left_out: tuple[str, ...]
    crossed_out: tuple[str, ...] = ()


def html_text(html: str) -> HtmlText:
    """Return the text that the sender wrote and a reader sees."""
    from bs4 import BeautifulSoup  # slow to import, and most mail has no HTML to read

    # Without the XML declaration, and with a line end, BeautifulSoup recognizes HTML without a
    # warning.
    soup = BeautifulSoup(re.sub(r"^\s*<\?xml[^>]{0,200}>", "", html) + "\n", "html.parser")
    hiding = {
        match[1]
        for style in soup.find_all("style")
        for match in _HIDING_CLASS.finditer(style.get_text()[:50_000])
        if _HIDDEN.search(re.sub(r"\s+", "", match[2]).lower())
    }
    writer = _Writer(hiding)
    writer.write(soup, 0, False)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(writer.lines())).strip("\n")
    return HtmlText(text, tuple(writer.left_out), tuple(writer.crossed_out))


class _Writer:
    """Walks the tree once. Blocks and breaks end lines; paragraphs are separated by blank lines."""

    def __init__(self, hiding: set[str]) -> None:
        self.hiding = hiding
        self.rows: list[tuple[list[str], bool]] = [([], False)]
        self.left_out: list[str] = []
        self.crossed_out: list[str] = []
        self.own: int | None = None  # how many rows stand above the mark of a quoted rest

    def lines(self) -> list[str]:
        """Return the lines, and add those below the mark of a quoted rest to `left_out`."""
        lines = [
            "".join(row).rstrip() if pre else _BLANKS.sub(" ", "".join(row)).strip()
            for row, pre in self.rows
        ]
        if self.own is None:
            return lines
        self.left_out += [line for line in lines[self.own :] if line.strip()]
        return lines[: self.own]

    def _end_line(self, pre: bool, *, always: bool = False) -> None:
        if always or "".join(self.rows[-1][0]).strip():
            self.rows.append(([], pre))

    def write(self, tag: Tag, depth: int, pre: bool) -> None:
        from bs4 import Tag
        from bs4.element import NavigableString, PreformattedString

        for node in tag.children:
            if isinstance(node, Tag):
                self._tag(node, depth + 1, pre)
            elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
                self._text(str(node), pre)

    def _text(self, text: str, pre: bool) -> None:
        if not pre:
            self.rows[-1][0].append(_BLANKS.sub(" ", text))
            return
        for at, line in enumerate(text.split("\n")):
            if at:
                self._end_line(True, always=True)
            self.rows[-1][0].append(line)

    def _tag(self, tag: Tag, depth: int, pre: bool) -> None:
        name = tag.name.lower()
        if name in _NEVER_SHOWN:
            if name == "head":  # malformed HTML may have its text there
                self.write(tag, depth, pre)
            return
        if depth > _DEEPEST:
            self.left_out.append("")
            return
        classes = " ".join(str(each) for each in tag.get_attribute_list("class") if each)
        marks = f"{tag.get('id') or ''} {classes}"
        if self.own is None and _REST_IS_QUOTED.search(marks):
            # The tag itself may be empty, only marking the start of the quotation.
            self._end_line(pre)
            self.own = len(self.rows) - 1
        quoted = _QUOTED.search(marks) is not None or (
            name == "blockquote" and not _is_indented(tag)
        )
        if self._is_hidden(tag, marks):
            self.left_out += _lines_of(tag)
            self._end_line(pre)
            return
        if quoted or _SIGNATURE.search(f"{marks} {tag.get('name') or ''}"):
            self._quote(tag, depth, pre)
            return
        if name in _CROSSED_OUT or _LINE_THROUGH.search(_style(tag)):
            self._cross_out(tag, pre)
            return
        if name == "br":
            self._end_line(pre, always=True)
            return
        if name == "input" and str(tag.get("type")).lower() == "checkbox":
            self.rows[-1][0].append("[ ] " if tag.get("checked") is None else "[x] ")
        if name in ("td", "th"):
            self.rows[-1][0].append(" ")
        if name in _LINES:
            self._end_line(pre)
        if name == "hr":
            self.rows[-1][0].append("________________________________")
        if name == "li" and tag.parent is not None and tag.parent.name == "ol":
            self.rows[-1][0].append("- ")
        self.write(tag, depth, pre or name == "pre")
        if name in _LINES:
            self._end_line(pre)
            if (
                name in _SPACED
                and self.rows[-1][0] == []
                and len(self.rows) > 1
                and self.rows[-2][0]
            ):
                self.rows.append(([], pre))

    def _quote(self, tag: Tag, depth: int, pre: bool) -> None:
        """Write a quotation or signature with the marks that plain text gives to quotations."""
        inner = _Writer(self.hiding)
        inner.write(tag, depth, pre)
        lines = inner.lines()
        self.left_out += inner.left_out
        self._end_line(pre)
        self.rows += [([f"> {line.strip()}"], pre) for line in lines if line.strip()]
        if any(lines):
            self.rows += [([], pre), ([], pre)]

    def _cross_out(self, tag: Tag, pre: bool) -> None:
        """Leave out what the sender crossed out, and remember it."""
        if self.own is None:
            self.crossed_out += _lines_of(tag)
        if tag.name.lower() in _LINES or tag.find(["br", *_LINES]) is not None:
            self._end_line(pre)
        else:
            self.rows[-1][0].append(" ")

    def _is_hidden(self, tag: Tag, marks: str) -> bool:
        if tag.has_attr("hidden") or str(tag.get("aria-hidden", "")).lower() == "true":
            return True
        style = _style(tag)
        if style and tag.name not in ("body", "html") and _HIDDEN.search(style):
            return True
        if str(tag.get("color") or "").lower() in ("white", "#fff", "#ffffff"):
            return True
        return bool(self.hiding) and any(mark in self.hiding for mark in marks.split())


def _style(tag: Tag) -> str:
    return re.sub(r"\s+", "", str(tag.get("style") or "")[:2000]).lower()


def _is_indented(tag: Tag) -> bool:
    """Return whether a blockquote is the work of an indent button, as in Gmail.

    It has no border at all, and no mark of a quotation. Outlook gives a quotation “border:none”,
    and then a border on the left.
    """
    borders = re.findall(r"(?:^|;)(border[\w-]*:[^;]*)", _style(tag))
    cited = tag.has_attr("cite") or str(tag.get("type") or "").lower() == "cite"
    return not cited and bool(borders) and all(map(_NO_BORDER.fullmatch, borders))


def _lines_of(tag: Tag) -> list[str]:
    """Return the nonblank lines of a tag that is left out."""
    lines = (" ".join(line.split()) for line in tag.get_text("\n").split("\n"))
    return [line for line in lines if line]
