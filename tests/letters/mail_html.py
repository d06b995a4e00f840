"""Check that the HTML of a letter uses only what common mail programs show correctly.

The tables follow caniemail.com/features, Google (“CSS support” in Gmail) and Microsoft (“HTML and
CSS rendering capabilities in Outlook”) about Gmail, Outlook with and without Word's engine, Apple
Mail, Yahoo and Thunderbird, reduced to what our letters need. Look there before adding anything:
what is not in these tables is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

LARGEST = 100_000  # Gmail cuts a letter at 102 kB
WIDEST = 600  # pixels: Outlook's reading pane and telephones scroll sideways beyond it

#: Allowed attributes by element. `style` if inline CSS works there.
ELEMENTS: dict[str, set[str]] = {
    "html": {"lang"},
    "head": set(),
    "meta": {"charset", "name", "content"},
    "title": set(),
    # Gmail keeps it in the head, and drops what it does not know; see `_dark_colors`
    "style": set(),
    "body": {"style", "class"},
    "div": {"style", "class"},
    "p": {"style", "class"},
    "h1": {"style"},
    "h2": {"style"},
    "h3": {"style"},
    "a": {"href", "style", "class"},
    "b": set(),
    "strong": {"style"},
    "em": {"style"},
    "i": set(),
    "br": set(),
    "span": {"style", "class"},
    "code": {"style"},
    "pre": {"style"},
    "blockquote": {"style"},
    "ul": {"style"},
    "ol": {"style"},
    "li": {"style"},
    "img": {"src", "width", "height", "alt", "style"},
    "table": {
        *("role", "width", "cellpadding", "cellspacing", "border", "style", "align", "bgcolor"),
        "class",
    },
    "tr": {"style"},
    "td": {"style", "class", "bgcolor", "align", "valign", "width", "colspan", "rowspan"},
    "th": {"style", "align", "valign", "width", "colspan", "rowspan", "scope"},
}
VOID = {"meta", "br", "img"}

#: Where a property fails and why that does no harm, by property; empty if it works nearly
#: everywhere.
PROPERTIES = {
    "background-color": "",
    "border": "",
    "border-bottom": "",
    "border-collapse": "",
    "border-left": "",
    "border-top": "",
    "color": "",
    "font": "",
    "font-family": "",
    "font-size": "",
    "font-style": "",
    "font-weight": "",
    "height": "",
    "letter-spacing": "Outlook for Windows rounds it",
    "line-height": "",
    "list-style": "",
    "margin": (
        "on div and p Outlook for Windows takes it, on a it does not: a button's margin is its"
        " paragraph's"
    ),
    "padding": "Outlook for Windows knows it on td, p and div, not on a: a button is smaller there",
    "text-align": "",
    "text-decoration": "",
    "vertical-align": "",
    "white-space": "",
    "width": "",
    "display": "only of pictures, buttons and the words for the list of letters",
    "max-width": "Outlook for Windows fills the window instead",
    "max-height": "only of the words for the list of letters",
    "overflow": "only of the words for the list of letters",
    "opacity": "Outlook for Windows shows small print as dark as the rest",
    "border-radius": "Outlook for Windows shows square corners",
    "overflow-wrap": "Outlook for Windows breaks long words anyhow",
    "word-break": "likewise",
    "-webkit-text-size-adjust": "keeps telephones from enlarging some lines; others pass it over",
}
#: Nothing may be loaded from other sites: it would be blocked, and tell them when the letter is
#: read.
_SOURCES = re.compile(r"cid:board\.[0-9a-f]+@[a-z0-9.-]+")
_LINKS = re.compile(r"(https?://|mailto:|tel:)\S+")
_FORBIDDEN = re.compile(
    r"url\(|expression|@import|javascript:|position|float|flex|grid|!important", re.I
)
_PIXELS = re.compile(r"(?:^|;)\s*(?:min-)?width:\s*(\d+)px")


#: Classes that a letter may use: those for which the dark scheme has colors. What is not in
#: `<style>` is in the elements, because many programs drop it.
_CLASSES = {"paper", "sheet", "quiet", "none", "button", "plain"}
_DARK = re.compile(
    r"@media \(prefers-color-scheme: dark\) \{\s*"
    r"(?:[.a-z*, ]+\{ (?:(?:background-|border-)?color: #[0-9a-f]{6} !important; )+\}\s*)+\}"
)


def faults(html: str) -> list[str]:
    """Return a sentence for every fault of a letter."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    sentences = reader.faults
    if len(html.encode()) > LARGEST:
        sentences.append(f"it is {len(html.encode())} octets large")
    if not re.match(r"\s*<!doctype html>", html, re.I):
        sentences.append("it does not begin as HTML 5")
    if reader.language is None:
        sentences.append("it does not say in which language it is written")
    if reader.charset != "utf-8":
        sentences.append("it does not say that it is UTF-8")
    if not reader.title.strip():
        sentences.append("it has no title")
    if reader.sheet.strip() and not _DARK.fullmatch(reader.sheet.strip()):
        sentences.append("its style has more than the colors of the dark scheme")
    if reader.open:
        sentences.append(f"{', '.join(reader.open)} never end")
    return sentences


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.open: list[str] = []
        self.language: str | None = None
        self.charset = ""
        self.title = ""
        self.sheet = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag not in VOID:
            self.open.append(tag)
        if tag not in ELEMENTS:
            self.faults.append(f"<{tag}> is not shown everywhere")
            return
        self.faults += [
            f"<{tag} {name}> does nothing, or harm"
            for name in attributes
            if name not in ELEMENTS[tag]
        ]
        self.faults += [f"<{tag} style>: {fault}" for fault in _styles(attributes.get("style", ""))]
        if classes := set(attributes.get("class", "").split()) - _CLASSES:
            self.faults.append(f"nothing is said of the class {', '.join(sorted(classes))}")
        match tag:
            case "html":
                self.language = attributes.get("lang")
            case "meta":
                self.charset = attributes.get("charset", self.charset).lower()
            case "img":
                self.faults += _image(attributes)
            case "a" if not _LINKS.fullmatch(attributes.get("href", "")):
                self.faults.append(
                    f"“{attributes.get('href')}” is no address that a mail program opens"
                )
            case "table" if attributes.get("role") != "presentation":
                pass  # a table of figures: its headings are checked in the text of the letter
        if (
            tag in ("table", "td", "th", "img")
            and attributes.get("width", "").isdigit()
            and int(attributes["width"]) > WIDEST
        ):
            self.faults.append(f"<{tag}> is {attributes['width']} pixels wide")

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            self.faults.append(f"</{tag}> ends what has no end")
        elif not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> ends what is not open")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "title":
            self.title += data
        if self.open and self.open[-1] == "style":
            self.sheet += data

    def handle_comment(self, data: str) -> None:
        self.faults.append("comments are read by Outlook as conditions")


def _styles(style: str) -> Iterator[str]:
    for declared in filter(None, (declaration.strip() for declaration in style.split(";"))):
        name, colon, value = declared.partition(":")
        if not colon or not value.strip():
            yield f"“{declared}” says nothing"
        elif name.strip() not in PROPERTIES:
            yield f"{name.strip()} is not shown everywhere"
        if _FORBIDDEN.search(declared):
            yield f"“{declared}” is not shown everywhere"
    for pixels in _PIXELS.findall(style):
        if int(pixels) > WIDEST:
            yield f"{pixels} pixels are too wide"


def _image(given: dict[str, str]) -> Iterator[str]:
    if not _SOURCES.fullmatch(given.get("src", "")):
        yield f"a picture comes from “{given.get('src')}”, not with the letter"
    if not given.get("alt", "").strip():
        yield "a picture has no words for those who do not see it"
    if "width" not in given:
        yield "a picture has no width: Outlook for Windows would show it at twice its size"
