"""Manifest, icons and fonts: what a browser needs to install the service as an application (issue
24, Deliver 9; review player S10, B15)."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urljoin
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from PIL import Image
from playwright.sync_api import expect

from tests.support.browser import OpenPage
from tests.support.browsing import Visitor

MANIFEST = "manifest.webmanifest"
DISPLAYS = {"fullscreen", "standalone", "minimal-ui", "browser"}


def stored(address: str) -> bytes:
    """Return the static file at an address of a page or of the manifest."""
    path = finders.find(address.removeprefix(static("")))
    assert path is not None, address
    return Path(str(path)).read_bytes()


@pytest.mark.django_db
def test_manifest_is_valid_and_linked_by_every_page() -> None:
    page = Visitor().read("/")
    assert f'<link rel="manifest" href="{static(MANIFEST)}">' in page
    manifest = json.loads(stored(static(MANIFEST)))
    assert manifest["name"]
    assert len(manifest["short_name"]) <= 12, "it stands below an icon"
    assert manifest["display"] in DISPLAYS
    assert Visitor().get(manifest["start_url"]).status_code == 200
    for color in ("background_color", "theme_color"):
        assert re.fullmatch("#[0-9a-f]{6}", manifest[color])
    sizes = set()
    for icon in manifest["icons"]:
        data = stored(urljoin(static(MANIFEST), icon["src"]))
        if icon["type"] == "image/svg+xml":
            assert data.startswith(b"<svg")
            assert icon["sizes"] == "any"
            continue
        picture = Image.open(BytesIO(data))
        assert Image.MIME[str(picture.format)] == icon["type"]
        assert icon["sizes"] == f"{picture.width}x{picture.height}"
        sizes.add(picture.width)
    assert sizes >= {192, 512}, "browsers install nothing without these"


@pytest.mark.django_db
def test_icons_of_a_page_exist() -> None:
    page = Visitor().read("/")
    links = dict(re.findall(r'<link rel="(icon|apple-touch-icon)" href="([^"]+)"', page))
    assert ElementTree.fromstring(unquote(links["icon"].partition(",")[2])).tag.endswith("svg")
    assert Image.open(BytesIO(stored(links["apple-touch-icon"]))).size == (180, 180)
    assert Image.open(BytesIO(stored(static("favicon.ico")))).format == "ICO"


def test_fonts_are_local_files() -> None:
    for path in Path(str(finders.find("gamesmaster.css"))).parent.glob("*.css"):
        for address in re.findall(r'url\("?([^")]+)"?\)', path.read_text()):
            if address.startswith("#"):  # an element of the page
                continue
            assert stored(static(address)).startswith(b"wOF2"), f"{path.name}: {address}"


def test_all_pages_are_in_the_same_language() -> None:
    pages = [path.read_text() for path in (settings.BASE_DIR / "templates").rglob("*.html")]
    languages = {found for page in pages for found in re.findall(r'<html lang="([^"]*)"', page)}
    assert languages <= {"en", "en-US"}


@pytest.mark.parametrize("name", ["gamesmaster.css", "orders.css"])
def test_bar_that_sends_does_not_cover_what_has_the_focus(name: str) -> None:
    """A browser scrolls to what Tab reaches, but not out from under a bar it knows nothing of."""
    style = Path(str(finders.find(name))).read_text()
    blocks = re.split(r"(?m)^(?=@media)", style)
    (block,) = (rule for rule in blocks if re.search(r"\.send { position: (?:sticky|fixed);", rule))
    assert "html:has(.send) { scroll-padding-bottom: 6rem; }" in block


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/", "/rules/origins-ww2/", "/practice/"])
def test_headings_and_text_use_the_bundled_fonts(open_page: OpenPage, path: str) -> None:
    hosts = set()
    page = open_page("about:blank", 1440)
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    page.goto(path)
    heading = page.locator("h1").first
    expect(heading).to_be_visible()
    page.evaluate("document.fonts.ready")
    family = heading.evaluate("one => getComputedStyle(one).fontFamily")
    assert family.startswith('"EB Garamond"')
    loaded = page.evaluate(
        "[...document.fonts].filter(one => one.status === 'loaded').map(one => one.family)"
    )
    drawn = {font.strip('"') for font in loaded}
    assert drawn >= {"EB Garamond", "Source Sans"}, "drawn with them, not only named"
    assert len(hosts) == 1, hosts
