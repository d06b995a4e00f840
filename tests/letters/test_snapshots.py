"""Every kind of letter, in text and HTML, compared with a stored copy, so that a change of words is
noticed (issue 6, Must show).

`SNAPSHOTS=write pytest tests/letters/test_snapshots.py` writes the copies. Read the changes before
you commit them.
"""

from __future__ import annotations

import html as html_of
import os
import re
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from django.template.loader import get_template
from django.test import override_settings
from icalendar import Calendar

from games.accounts import tokens
from games.letters import messages, rendering
from games.letters.context import BUILDERS, OUTDATED
from games.letters.environment import ENGINE
from games.outbox.messages import KINDS, report_letters
from games.rules.registry import GUESTS
from tests.letters import every_letter, mail_html
from tests.letters.postoffice import parts

pytestmark = pytest.mark.letters

FOLDER = Path(__file__).parent / "snapshots"
WRITE = os.environ.get("SNAPSHOTS") == "write"
#: What differs in every run: keys, salts and digests; row numbers in addresses; the name of a
#: picture.
_HEX = re.compile(r"(?<![0-9a-f])[0-9a-f]{20,64}(?![0-9a-f])")
_NUMBER = re.compile(r"(?<=/)\d+(?=[/-])")
_GAME = re.compile(r"(?<=(?:of|to) game )\d+(?=:)")
#: The random code of a letter between nations.
_CODE = re.compile(r"(?<=ANSWER )\d{5}|(?<=[?]answer=)\d{5}|(?<=question-)\d{5}|(?<=No\. )\d{5}")
#: The proof of a code that is drawn.
_PROOF = re.compile(r"(?<=[0-9a-f]{24}-)[A-Za-z0-9_-]{43}(?=/)")
_LINK = re.compile(r"http://games\.test/[^\s\"<]*")


def steady(text: str) -> str:
    """Replace what differs in every run; only addresses change their length."""
    text = _GAME.sub("0", _LINK.sub(lambda link: _NUMBER.sub("0", link[0]), text))
    text = _PROOF.sub("0" * 43, _CODE.sub("10203", text))
    return _HEX.sub(lambda found: ("0123456789abcdef" * 4)[: len(found[0])], text)


#: Only a guest writes letters about reports.
OF_REPORTS = {report_letters.DUE.id, report_letters.WAITS.id, report_letters.RECEIPT.id}
WRITTEN = set(KINDS) - (set() if GUESTS else OF_REPORTS)


@dataclass(frozen=True)
class Set:
    """A rendered letter with its kind and recipient, and as the mail server gets it."""

    kind: str
    address: str
    said: rendering.RenderedLetter
    sent: bytes


_ALL: dict[str, Set] = {}


@pytest.fixture
def letters(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, Set]:
    """Return every letter; they are created once, because it takes seconds."""
    if not _ALL:
        monkeypatch.setattr(tokens, "login_code", lambda key: "012345")
        staged = every_letter.stage()
        with override_settings(**every_letter.SETTINGS):
            for name, letter in staged.items():
                content = rendering.render(letter)
                message = messages.message_of(letter, content, letter.written_at).message()
                sent = message.as_bytes(linesep="\r\n")
                _ALL[name] = Set(letter.kind, letter.address, content, sent)
    return _ALL


def test_letters_match_their_snapshots(letters: dict[str, Set]) -> None:
    """Text first, and complete; HTML beside it."""
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


def test_letters_have_no_long_dates(letters: dict[str, Set]) -> None:
    """Issue 44, sentence 5: “Sat 28 Nov, 08:08”; the year where it is another."""
    long = re.compile(r"\b[A-Z][a-z]+day \d|\b\d{1,2} [A-Z][a-z]+ 2026")
    for name, letter in letters.items():
        told = " ".join(f"{letter.said.subject} {letter.said.text}".split())
        assert long.findall(told) == [], name


def test_every_kind_of_letter_has_name_context_and_templates() -> None:
    """docs/design.md 7: a kind is declared once, and complete."""
    assert sorted(kind.id for kind in KINDS.values() if not kind.name) == []
    assert sorted(BUILDERS) == sorted(WRITTEN)
    assert set(OUTDATED) <= set(KINDS)
    for kind in WRITTEN:
        for ending in (".subject.txt", ".txt", ".html"):
            get_template(f"mail/{kind}{ending}", using=ENGINE)  # or it raises


def test_every_kind_of_letter_has_a_snapshot(letters: dict[str, Set]) -> None:
    assert sorted(WRITTEN - {letter.kind for letter in letters.values()}) == []
    assert [name for name, letter in letters.items() if letter.kind != name.partition("-")[0]] == []


def test_letter_html_is_safe_for_mail_programs(letters: dict[str, Set]) -> None:
    """Issue 6, Must show: the HTML passes a check against what mail programs support."""
    assert [
        f"{name}: {fault}"
        for name, letter in letters.items()
        for fault in mail_html.faults(letter.said.html)
    ] == []


def test_sent_letters_have_the_same_content(letters: dict[str, Set]) -> None:
    """RFC 5322, 2.1.1: ASCII in lines of at most 998 octets, headers of at most 78 where they can
    be folded. Mail programs read from it what was rendered, with its picture and its entry."""
    entries = 0
    for name, letter in letters.items():
        assert letter.sent.isascii(), name
        assert max(map(len, letter.sent.split(b"\r\n"))) <= 998, name
        head = letter.sent.partition(b"\r\n\r\n")[0].decode("ascii")
        assert all(len(line) <= 78 or len(line.split()) <= 1 for line in head.split("\r\n")), name
        message = message_from_bytes(letter.sent, policy=default)
        assert isinstance(message, EmailMessage)
        assert not any(part.defects for part in message.walk()), name
        assert message["Subject"] == letter.said.subject, name
        assert message["To"] == letter.address, name
        text, html = parts(message)
        assert (text, html) == (letter.said.text, letter.said.html), name
        pictures = [part for part in message.walk() if part.get_content_type() == "image/png"]
        shown = [(part["Content-ID"], part.get_content()) for part in pictures]
        picture = letter.said.picture
        assert shown == ([] if picture is None else [(f"<{picture.cid}>", picture.png)]), name
        for part in message.walk():
            if part.get_content_type() == "text/calendar":
                content = part.get_content()
                assert max(len(line.encode()) for line in content.split("\r\n")) <= 75, name
                events = Calendar.from_ical(content).walk("VEVENT")
                assert events, name
                assert {str(event["STATUS"]) for event in events} <= {"CONFIRMED", "CANCELLED"}
                entries += len(events)
    assert entries > 10


def test_letter_to_a_gamesmaster_without_a_seat_asks_for_no_orders(letters: dict[str, Set]) -> None:
    """Ada plays only in the game that is still forming."""
    for name, letter in letters.items():
        if letter.address == "ada@example.org" and name != "declined":
            text = " ".join(letter.said.text.split())
            assert "Reply with orders" not in text, name
            assert "You play this game" not in text, name


def test_no_preheader_repeats_its_subject(letters: dict[str, Set]) -> None:
    """Issue 22, 1: an inbox shows both side by side."""
    repeated = []
    for name, letter in letters.items():
        preheader = re.search(r"opacity:0\">(.*?)</div>", letter.said.html, flags=re.S)
        assert preheader is not None, name
        shown = html_of.unescape(preheader[1]).strip().rstrip(".").lower()
        subject = letter.said.subject.partition("] ")[2] or letter.said.subject
        if shown and (shown in subject.lower() or subject.lower() in shown):
            repeated.append((name, subject, shown))
    assert repeated == []


def test_first_paragraph_does_not_repeat_the_heading(letters: dict[str, Set]) -> None:
    """Voice 8: “The game is paused”, and below it “The game is paused.”"""
    repeated = []
    for name, letter in letters.items():
        match = re.search(r"<h1[^>]*>(.*?)</h1>(.*)", letter.said.html, flags=re.S)
        assert match is not None, name
        paragraphs = re.findall(r"<p [^>]*>(.*?)</p>", match[2], flags=re.S)
        heading = match[1].strip().rstrip(".")
        if any(paragraph.strip().rstrip(".") == heading for paragraph in paragraphs):
            repeated.append((name, heading))
    assert repeated == []


#: Phrases that reviewers of an earlier version criticized (reviews/mail.md L2, L4, L6, L8;
#: player.md S2, S9; gamesmaster.md U14).
STRUCK_OUT = (
    "A letter of its own",
    "Answer this letter with one order a line",
    "All of them are the usual ones",
    "of the new ones",
    "is over since",
    "has won",
    "in a hundred",
    "are wanted",
    "The house offers",
    "which sent no orders, go",
    "Nobody is immune",
    "immune to nobody",
    "You cannot go on",
    "nothing before",
    "reconstruction). A",
    "the same circle",
    "Who is moved",
    "the market is asked",
    "go home to",
    "has been taken out",
)


def test_letters_have_no_phrase_that_reviews_criticized(letters: dict[str, Set]) -> None:
    phrases = [
        (name, phrase)
        for name, letter in letters.items()
        for phrase in STRUCK_OUT
        if phrase.lower() in " ".join(letter.said.text.split()).lower()
    ]
    assert phrases == []


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ("<script>1</script>", "<script> is not shown"),
        ('<p class="x">a</p>', "class x"),
        ('<pre class="quiet">a</pre>', "<pre class>"),
        ("<style>p { color: #123456; }</style>", "more than the colors"),
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
def test_html_check_finds_faults(html: str, fault: str) -> None:
    """A check that never fails checks nothing."""
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta'
        f' charset="utf-8"><title>t</title></head><body>{html}</body></html>'
    )
    assert any(fault in sentence for sentence in mail_html.faults(page)), mail_html.faults(page)
    assert mail_html.faults(page.replace(html, "<p>a</p>")) == []
