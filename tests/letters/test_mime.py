"""A letter as a MIME message, read again with the standard library (RFC 2045 to 2047, RFC 5322)."""

from __future__ import annotations

import email
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.letters.mime import Message, file_part, picture_part

SIGNS = "abcé—😀\u0085\u2028\u00a0\x0b\x1c=. \t\n<&F"
TEXTS = st.text(alphabet=SIGNS, max_size=60)
LONG = st.builds(lambda text, times: text * times, TEXTS, st.sampled_from([1, 1, 2, 40]))
HEADERS = st.text(alphabet="abc éß—😀=?_[]", max_size=100).map(lambda text: " ".join(text.split()))
MESSAGE_ID = "<game-1.phase-3.board-v1.p7.5f3a09c1@example.org>"


def message_of(
    subject: str,
    text: str,
    html: str,
    *,
    entry: str | None = None,
    picture: bytes | None = None,
    to: str = "una@example.org",
    sender: str = "Gamesmaster <gm@example.org>",
) -> Message:
    attachments = []
    if picture is not None:
        attachments.append(picture_part(picture, "board@example.org"))
    if entry is not None:
        attachments.append(file_part(entry.encode(), "text/calendar", "deadline.ics"))
    return Message(
        subject,
        text,
        "gm@example.org",
        [to],
        reply_to=["orders+key@example.org"],
        headers={
            "Message-ID": MESSAGE_ID,
            "Date": "Mon, 05 Jan 2026 12:00:00 +0000",
            "From": sender,
            "Auto-Submitted": "auto-generated",
            "References": "<game-1@example.org> <another@example.org>",
            "List-Unsubscribe": (
                f"<mailto:orders+{'k' * 60}@example.org?subject=MUTE>,"
                f" <http://games.test/mute/1/{'k' * 60}/>"
            ),
        },
        alternatives=[(html, "text/html")],
        attachments=attachments,
    )


def written(message: Message) -> bytes:
    data: bytes = message.message().as_bytes(linesep="\r\n")
    return data


def read(data: bytes) -> EmailMessage:
    message = email.message_from_bytes(data, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def contents(data: bytes) -> list[tuple[str, bytes]]:
    """Return the content of each part, the line ends as they are in a letter."""
    decoded = [
        (part.get_content_type(), part.get_payload(decode=True))
        for part in read(data).walk()
        if not part.is_multipart()
    ]
    return [
        (kind, data.replace(b"\r\n", b"\n") if kind in ("text/plain", "text/html") else data)
        for kind, data in decoded
        if isinstance(data, bytes)
    ]


@settings(deadline=None)
@given(HEADERS, LONG, LONG, st.none() | TEXTS, st.none() | st.binary(max_size=300))
def test_letter_survives_parsing_by_a_mail_program(
    subject: str, text: str, html: str, entry: str | None, picture: bytes | None
) -> None:
    """ASCII in lines of at most 998 octets (RFC 5322, 2.1.1), whatever people have written."""
    text, html = f"{text}\n", f"{html}\n"
    data = written(message_of(subject, text, html, entry=entry, picture=picture))
    assert data.isascii()
    assert max(map(len, data.split(b"\r\n"))) <= 998
    assert b"\n" not in data.replace(b"\r\n", b"")
    message = read(data)
    assert not any(part.defects for part in message.walk())
    assert message["Subject"] == subject or not subject
    expected = [("text/plain", text.encode()), ("text/html", html.encode())]
    if picture is not None:
        expected.append(("image/png", picture))
    if entry is not None:
        expected.append(("text/calendar", entry.encode()))
    assert contents(data) == expected


@pytest.mark.parametrize(
    ("html", "encoding"),
    [
        ("<p>Dear Una</p>\n", "7bit"),
        ("x" * 998, "7bit"),
        ("x" * 999, "quoted-printable"),
        ("é", "quoted-printable"),
        ("<p>a</p>\n" + "<td>é</td>" * 300, "quoted-printable"),
        ("From the start\n.\n..\n-- \nends \n", "7bit"),
        ("", "7bit"),
    ],
)
def test_only_texts_that_need_it_are_encoded(html: str, encoding: str) -> None:
    """RFC 5322, 2.1.1: no line is longer than 998 octets."""
    data = written(message_of("Board", "text\n", html))
    shown = read(data).get_body(("html",))
    assert shown is not None
    assert shown["Content-Transfer-Encoding"] == encoding
    assert max(map(len, data.split(b"\r\n"))) <= 998
    assert contents(data)[1] == ("text/html", html.encode())


def test_long_headers_are_folded_and_links_are_not_encoded() -> None:
    """RFC 5322, 2.1.1; RFC 8058, 4: mail programs look for the links as they are."""
    data = written(message_of("Größe und Länge, " * 12 + "Ende", "text\n", "<p>text</p>\n"))
    head = data.partition(b"\r\n\r\n")[0].decode("ascii")
    assert all(len(line) <= 78 or len(line.split()) <= 1 for line in head.split("\r\n"))
    message = read(data)
    assert message["Subject"] == "Größe und Länge, " * 12 + "Ende"
    assert message["Message-ID"] == MESSAGE_ID
    links = message["List-Unsubscribe"].split(", ")
    assert links[1] == f"<http://games.test/mute/1/{'k' * 60}/>"
    assert "=?" not in head.partition("List-Unsubscribe")[2]


def test_names_and_domains_beyond_ascii_are_encoded() -> None:
    """RFC 2047, 5; RFC 5890, 2.3.2.1."""
    message = read(
        written(
            message_of(
                "Orders",
                "text\n",
                "<p>text</p>\n",
                to="una@bücher.example",
                sender='"Spielleiter, Größe" <gm@example.org>',
            )
        )
    )
    assert message["To"] == "una@xn--bcher-kva.example"
    (sender,) = message["From"].addresses
    assert (sender.display_name, sender.addr_spec) == ("Spielleiter, Größe", "gm@example.org")


def test_sender_that_is_no_address_is_refused() -> None:
    """A comma ends an address unless it is quoted."""
    with pytest.raises(ValueError, match="no address"):
        written(message_of("Orders", "text", "<p>a</p>", sender="Größe, Ada <gm@example.org>"))


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n ", "\u2028"])
def test_header_with_a_line_break_is_refused(end: str) -> None:
    with pytest.raises(ValueError, match="more than one line"):
        written(message_of(f"one{end}Bcc: all@example.org", "text", "<p>text</p>"))


def test_report_files_keep_their_names() -> None:
    """RFC 2231."""
    part = file_part(b"\x89PNG" * 400, "image/png", "Größe, 1939.png")
    message = message_of("Report", "text\n", "<p>text</p>\n")
    message.attachments.append(part)
    (attached,) = read(written(message)).iter_attachments()
    assert attached.get_filename() == "Größe, 1939.png"
    assert attached.get_content_disposition() == "attachment"
    assert attached.get_payload(decode=True) == b"\x89PNG" * 400
