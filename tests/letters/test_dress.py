"""Letters are in the site's dress in every mail program that shows HTML (issue 44, sentence 5).

The stored copies of tests/letters/test_snapshots.py are shown in Chromium: as they are, without
their `<style>` (as Gmail may show them), and without any style at all (the worst of Outlook).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser

from games.letters.dress import dress
from gamesmaster.settings import TEMPLATE_DIRS
from tests.support.axe import faults
from tests.support.examples import sample

pytestmark = pytest.mark.long

LETTERS = sorted((Path(__file__).parent / "snapshots").glob("*.html"))
PALETTE = Path(__file__).parents[2] / "static" / "gamesmaster.css"
WIDTHS = (360, 700)
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
#: A letter is one column, not a page with landmarks.
NO_PAGE = {"region": {"enabled": False}, "landmark-one-main": {"enabled": False}}
#: Show a letter in the window; return its width in pixels.
SHOW = """html => new Promise(done => {
  document.open();
  addEventListener("load", () => done(document.documentElement.scrollWidth));
  document.write(html);
  document.close();
})"""
_SHEET = re.compile(r"<style>.*?</style>", re.S)
_STYLE = re.compile(r' style="[^"]*"')
_COLOR = re.compile(r"#[0-9a-f]{6}")


def undressed(html: str) -> dict[str, tuple[str, Scheme]]:
    """Return a letter as mail programs show it, each with the scheme: light or dark."""
    plain = _SHEET.sub("", html)
    return {
        "light": (html, "light"),
        "dark": (html, "dark"),
        "without <style>": (plain, "light"),
        "without any style": (_STYLE.sub("", plain), "light"),
    }


@pytest.mark.browser
def test_letters_fit_and_can_be_read_in_every_dress(chromium: Browser) -> None:
    """360 and 700 pixels, light and dark; contrast and names by axe, in some letters each day."""
    assert len(LETTERS) > 70
    examined = sample(LETTERS, 12)
    found: dict[str, object] = {}
    windows = {
        (width, scheme): chromium.new_page(
            viewport={"width": width, "height": 800}, color_scheme=scheme
        )
        for width in WIDTHS
        for scheme in SCHEMES
    }
    for letter in LETTERS:
        for dressed, (html, scheme) in undressed(letter.read_text()).items():
            # without CSS the column is 600 pixels wide, for the pane of Outlook
            for width in WIDTHS if dressed != "without any style" else WIDTHS[1:]:
                wide = windows[width, scheme].evaluate(SHOW, html)
                if wide > width:
                    found[f"{letter.stem}, {dressed}, {width}"] = f"{wide} pixels wide"
            if letter in examined and (seen := faults(windows[WIDTHS[1], scheme], rules=NO_PAGE)):
                found[f"{letter.stem}, {dressed}"] = seen
    for page in windows.values():
        page.close()
    assert found == {}


@pytest.mark.browser
def test_board_with_the_longest_names_of_areas_fits_a_telephone(chromium: Browser) -> None:
    """Beside five nations “Czechoslovakia” needed 390 pixels, and more with Understandings."""
    rows = [{"area": "Czechoslovakia", "cells": ["13+U", "8+U", "U", "12+U", "5+U"]}]
    nations = ["USA", "France", "Britain", "Russia", "Germany"]
    table = render_to_string("mail/_table.html", {"rows": rows, "nations": nations})
    page = chromium.new_page(viewport={"width": 344, "height": 800})  # without the sheet's padding
    assert page.evaluate(SHOW, f'<body style="margin:0">{dress(table)}') == 344
    page.close()


def test_letters_are_small_and_have_one_dress() -> None:
    """Under 100 kB; Gmail cuts longer letters. Buttons, headings and paper are those of the site,
    and follow the first sentence."""
    palette = set(_COLOR.findall(PALETTE.read_text()))
    for letter in LETTERS:
        html = letter.read_text()
        assert len(html.encode()) < 100_000, letter.stem
        assert set(_COLOR.findall(html)) <= palette, letter.stem
        assert 'bgcolor="#f3ead6"' in html, letter.stem
        assert "Times" not in html, letter.stem


@pytest.mark.parametrize("name", ["board", "board-attacks", "opened", "reminder", "receipt"])
def test_button_is_right_under_the_first_sentence(name: str) -> None:
    html = next(letter for letter in LETTERS if letter.stem == name).read_text()
    told = html.partition("</h1>")[2].partition("<h2")[0]
    greeting, sentence, button = re.findall(r"<p[^>]*>(.*?)</p>", told, flags=re.S)[:3]
    assert greeting.startswith("Dear "), told
    assert re.search(r"[A-Z][a-z]{2} \d+ [A-Z][a-z]{2}, \d\d:\d\d", sentence), sentence
    assert 'class="button"' in button, button


def test_style_of_a_template_wins_and_classes_without_dark_colors_go() -> None:
    assert dress('<p class="box" style="margin:0">a</p>').endswith(';margin:0">a</p>')
    assert "class" not in dress('<p class="box">a</p>')
    assert dress('<a href="x" class="button">a</a>').startswith('<a href="x" class="button" style=')
    assert dress("<strong>&lt;p&gt;</strong>") == "<strong>&lt;p&gt;</strong>"


def test_templates_of_letters_have_their_classes_as_they_are() -> None:
    """Templates are dressed before they are filled in."""
    folders = [Path(folder) / "mail" for folder in TEMPLATE_DIRS]
    templates = [file for folder in folders for file in folder.rglob("*.html")]
    assert len(templates) > 70
    assert [file.name for file in templates if re.search(r"class=[^ >]*{", file.read_text())] == []
