"""Every kind of letter as it is set, in text and HTML, kept beside the tests: a change of words is
seen, and meant (issue 6, Must show).

`SNAPSHOTS=write pytest tests/letters/test_snapshots.py` writes them anew. Read what has changed
before it is committed.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.test import override_settings

from games.accounts import tokens
from games.letters import builders, rendering
from tests.letters import every_letter, mail_html

FOLDER = Path(__file__).parent / "snapshots"
WRITE = os.environ.get("SNAPSHOTS") == "write"
#: What differs from run to run and means nothing: keys, salts and digests; numbers of rows in
# addresses; the name of a picture.
_HEX = re.compile(r"(?<![0-9a-f])[0-9a-f]{20,64}(?![0-9a-f])")
_NUMBER = re.compile(r"(?<=/)\d+(?=[/-])")
_GAME = re.compile(r"(?<=(?:of|to) game )\d+(?=:)")
#: The code of a letter, at random.
_CODE = re.compile(r"(?<=ANSWER )\d{5}|(?<=[?]answer=)\d{5}|(?<=question-)\d{5}|(?<=No\. )\d{5}")
_LINK = re.compile(r"http://games\.test/[^\s\"<]*")


def steady(text: str) -> str:
    """Level what another run would have otherwise; only addresses change their length."""
    text = _GAME.sub("0", _LINK.sub(lambda link: _NUMBER.sub("0", link[0]), text))
    text = _CODE.sub("10203", text)
    return _HEX.sub(lambda found: ("0123456789abcdef" * 4)[: len(found[0])], text)


@dataclass(frozen=True)
class Set:
    """A letter as it is set, and to whom."""

    kind: str
    address: str
    said: rendering.Rendered


_ALL: dict[str, Set] = {}


@pytest.fixture
def letters(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, Set]:
    """Every letter; staged once, for it takes seconds."""
    if not _ALL:
        monkeypatch.setattr(tokens, "login_code", lambda key: "012345")
        staged = every_letter.stage()
        with override_settings(**every_letter.SETTINGS):
            for name, letter in staged.items():
                _ALL[name] = Set(letter.kind, letter.address, rendering.render(letter))
    return _ALL


def test_every_letter_is_set_as_it_was(letters: dict[str, Set]) -> None:
    """Text first, and complete; HTML beside it; both as they were last read and found good."""
    FOLDER.mkdir(exist_ok=True)
    files = {}
    for name, letter in letters.items():
        files[f"{name}.txt"] = steady(f"Subject: {letter.said.subject}\n\n{letter.said.text}")
        files[f"{name}.html"] = steady(letter.said.html)
    changed = [
        name
        for name, content in files.items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text() != content
    ]
    gone = sorted({path.name for path in FOLDER.iterdir()} - set(files))
    if WRITE:
        for name in changed:
            (FOLDER / name).write_text(files[name])
        for name in gone:
            (FOLDER / name).unlink()
    assert WRITE or (changed, gone) == (
        [],
        [],
    ), "letters have changed: read them, then write the snapshots anew (see above)"


def test_no_kind_of_letter_is_without_a_snapshot(letters: dict[str, Set]) -> None:
    assert sorted(set(builders.BUILDERS) - {letter.kind for letter in letters.values()}) == []
    assert [name for name, letter in letters.items() if letter.kind != name.partition("-")[0]] == []


def test_every_letter_is_html_that_mail_programs_show(letters: dict[str, Set]) -> None:
    """Issue 6, Must show: the HTML passes a check against what mail programs support."""
    assert [
        f"{name}: {fault}"
        for name, letter in letters.items()
        for fault in mail_html.faults(letter.said.html)
    ] == []


def test_no_line_of_a_letter_is_too_long_for_the_mail(letters: dict[str, Set]) -> None:
    """RFC 5322, 2.1.1: over 998 octets it needs quoted-printable, larger and slower."""
    lines = [
        (name, line)
        for name, letter in letters.items()
        for line in f"{letter.said.text}\n{letter.said.html}".splitlines()
    ]
    assert [(name, line[:60]) for name, line in lines if len(line.encode()) > 998] == []


def test_a_letter_to_who_only_runs_the_game_asks_him_for_no_orders(letters: dict[str, Set]) -> None:
    """Ada plays in the game that is still forming alone."""
    for name, letter in letters.items():
        if letter.address == "ada@example.org" and name != "declined":
            text = " ".join(letter.said.text.split())
            assert "Answer it to send orders" not in text, name
            assert "because you play" not in text, name


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ("<script>1</script>", "<script> is not shown"),
        ('<p class="x">a</p>', "<p class>"),
        ('<p style="position:absolute">a</p>', "position"),
        ('<p style="display:flex">a</p>', "flex"),
        ('<img src="https://a.example/x.png" alt="x" width="9">', "not with the letter"),
        ('<img src="cid:board.ab@a.example" width="9">', "no words"),
        ('<table width="640"></table>', "640 pixels"),
        ('<p style="width:700px">a</p>', "700 pixels"),
        ('<a href="javascript:x">a</a>', "no address"),
        ("<p>", "never end"),
        ("<b><i></b></i>", "ends what is not open"),
        ("<p>" + "x" * 100_001 + "</p>", "octets"),
    ],
)
def test_the_check_of_html_finds(html: str, fault: str) -> None:
    """A check that never fails checks nothing."""
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta'
        f' charset="utf-8"><title>t</title></head><body>{html}</body></html>'
    )
    assert any(fault in found for found in mail_html.faults(page)), mail_html.faults(page)
    assert mail_html.faults(page.replace(html, "<p>a</p>")) == []
