"""The fast serialization of a letter gives the same bytes as Django and Python, readable by
`email`."""

from __future__ import annotations

import email
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.letters import wire
from games.letters.pictures import Envelope, Picture

SIGNS = "abcé—😀\u0085\u2028\u00a0\x0b\x1c=. \t\n<&F"
TEXTS = st.text(alphabet=SIGNS, max_size=60)
LONG = st.builds(lambda text, times: text * times, TEXTS, st.sampled_from([1, 1, 2, 40]))
HEADERS = st.text(alphabet="abc éß—😀=?_[]", max_size=100)


def envelope(
    subject: str,
    text: str,
    html: str,
    *,
    name: str = "Ada",
    entry: str | None = None,
    picture: Picture | None = None,
) -> Envelope:
    made = Envelope(
        subject,
        text,
        "Gamesmaster <gm@example.org>",
        ["una@example.org"],
        reply_to=[f"{name} <orders+key@example.org>"],
        headers={
            "Message-ID": "<game-1.phase-3.board-v1.p7.5f3a09c1@example.org>",
            "Date": "Mon, 05 Jan 2026 12:00:00 +0000",
            "From": "Gamesmaster <gm@example.org>",
            "Auto-Submitted": "auto-generated",
            "References": "<game-1@example.org> <another@example.org>",
            "List-Unsubscribe": (
                f"<mailto:orders+{'k' * 60}@example.org?subject=MUTE>,"
                f" <http://games.test/mute/1/{'k' * 60}/>"
            ),
        },
    )
    made.attach_alternative(html, "text/html")
    if entry is not None:
        made.attach_entry(entry)
    if picture is not None:
        made.attach_picture(picture)
    return made


@given(
    HEADERS,
    LONG,
    LONG,
    st.none() | TEXTS,
    st.none() | st.binary(max_size=300).map(lambda png: Picture("board@example.org", png)),
)
def test_fast_and_slow_serialization_give_equal_bytes(
    subject: str, text: str, html: str, entry: str | None, picture: Picture | None
) -> None:
    made = envelope(subject, text, html, entry=entry, picture=picture)
    assert wire.whole(made) == made.message().as_bytes(linesep="\r\n")


@given(LONG, LONG)
def test_letter_survives_parsing_by_a_mail_program(text: str, html: str) -> None:
    text, html = f"{text}\n", f"{html}\n"
    read = email.message_from_bytes(wire.whole(envelope("Orders", text, html)), policy=default)
    assert isinstance(read, EmailMessage)
    bodies = {
        part.get_content_type(): part.get_payload(decode=True)
        for part in read.walk()
        if not part.is_multipart()
    }
    assert bodies["text/plain"].replace(b"\r\n", b"\n").decode() == text  # type: ignore[union-attr]
    assert bodies["text/html"].replace(b"\r\n", b"\n").decode() == html  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "html",
    [
        "<p>a</p>\n" + "<td>é</td>" * 300,
        "x" * 998,
        "x" * 999,
        "é" * 499,
        "é" * 500,
        "a \n" * 400,
        "",
    ],
)
def test_long_lines_are_encoded_as_by_django(html: str) -> None:
    """RFC 5322, 2.1.1: no line is longer than 998 octets."""
    made = envelope("Board", "text\n", html)
    assert wire._whole(made) == made.message().as_bytes(linesep="\r\n")
    assert max(map(len, wire.whole(made).split(b"\r\n"))) <= 998


def test_fast_serialization_handles_ordinary_letters() -> None:
    content = ("[Größe] Turn 1", "Dear Una,\n.\n", "<p>Dear Una</p>\n")
    assert wire._whole(envelope(*content, entry="BEGIN:VCALENDAR\r\n")) is not None


def test_header_with_a_line_break_is_refused() -> None:
    with pytest.raises(ValueError, match="newlines"):
        wire.whole(envelope("one\nBcc: all@example.org", "text", "<p>text</p>"))
