"""Letters handed over to a mail server (RFC 5321)."""

from __future__ import annotations

import smtplib
from typing import Any

import pytest
from django.core import mail
from pytest_django import Settings

from games.letters.delivery import Permanent, Server, ServerGone
from tests.letters.postoffice import OK, PostOffice, free_port, open_post_office
from tests.letters.test_mime import message_of

pytestmark = pytest.mark.letters

DOTS = ".begins with one\n..and with two\n.\nends\n."


def test_letters_arrive_complete_over_one_connection(office: PostOffice) -> None:
    with Server() as server:
        for number in range(3):
            server.send(message_of(f"Letter {number}", DOTS, "<p>.</p>\n" + "x" * 2000))
    assert office.connections == 1
    subjects = [message["Subject"] for _, message in office.taken]
    assert subjects == ["Letter 0", "Letter 1", "Letter 2"]
    text = office.taken[0][1].get_body(("plain",))
    assert text is not None
    assert text.get_content().replace("\r\n", "\n").rstrip("\n") == DOTS


def test_address_refusal_stops_only_that_letter(office: PostOffice) -> None:
    office.at_address["una@example.org"] = [OK, "550 nobody here", OK]
    with Server() as server:
        server.send(message_of("One", "text\n", "<p>text</p>\n"))
        with pytest.raises(Permanent, match="550 nobody here"):
            server.send(message_of("Two", "text\n", "<p>text</p>\n"))
        server.send(message_of("Three", "text\n", "<p>text</p>\n"))
    assert [message["Subject"] for _, message in office.taken] == ["One", "Three"]
    assert office.connections == 2  # a refusal closes the connection


def test_temporary_refusal_is_not_permanent(office: PostOffice) -> None:
    office.at_address["una@example.org"] = ["451 later", OK]
    office.at_content = ["452 no room", OK]
    with Server() as server:
        with pytest.raises(smtplib.SMTPRecipientsRefused, match="later"):
            server.send(message_of("One", "text\n", "<p>text</p>\n"))
        with pytest.raises(smtplib.SMTPDataError, match="no room"):
            server.send(message_of("Two", "text\n", "<p>text</p>\n"))
        server.send(message_of("Three", "text\n", "<p>text</p>\n"))
    assert [message["Subject"] for _, message in office.taken] == ["Three"]


def test_refused_text_is_permanent_and_stops_no_other_letter(office: PostOffice) -> None:
    office.at_content = ["550 no such words", OK]
    with Server() as server:
        with pytest.raises(Permanent, match="no such words"):
            server.send(message_of("One", "text\n", "<p>text</p>\n"))
        server.send(message_of("Two", "text\n", "<p>text</p>\n"))
    assert [message["Subject"] for _, message in office.taken] == ["Two"]


def test_letter_too_large_for_the_server_is_refused_for_good(
    office: PostOffice, settings: Settings
) -> None:
    """Servers that name their largest SIZE refuse at the sender's address (RFC 1870, 6.1), such as
    Postfix by its message_size_limit. It was tried 12 times, for a day and a half."""
    with open_post_office(largest=10_000) as (smaller, port):
        settings.EMAIL_PORT = port
        with Server() as server:
            with pytest.raises(Permanent, match="552"):
                server.send(message_of("One", "text\n" * 3000, "<p>text</p>\n"))
            server.send(message_of("Two", "text\n", "<p>text</p>\n"))
    assert [message["Subject"] for _, message in smaller.taken] == ["Two"]


def test_letter_without_an_address_does_not_count_as_sent(office: PostOffice) -> None:
    """Django's backend skips it without a word."""
    with Server() as server, pytest.raises(Permanent, match="Nothing was sent"):
        server.send(message_of("One", "text\n", "<p>text</p>\n", to=""))
    assert not office.taken


def test_unreachable_server_is_tried_once(office: PostOffice, settings: Settings) -> None:
    settings.EMAIL_PORT = free_port()
    with Server() as server:
        for _ in range(2):
            with pytest.raises(ServerGone):
                server.send(message_of("One", "text\n", "<p>text</p>\n"))
    assert not office.taken


def test_mail_provider_gets_all_parts_of_a_letter(settings: Settings) -> None:
    """Backends of anymail read the attributes of a message instead of its MIME."""
    settings.EMAIL_BACKEND = "anymail.backends.test.EmailBackend"
    with Server() as server:
        server.send(
            message_of("Größe", "text\n", "<p>text</p>\n", entry="BEGIN:VCALENDAR", picture=b"png")
        )
    sent: Any = mail.outbox[-1]
    given = sent.anymail_test_params
    assert (given["subject"], given["text_body"]) == ("Größe", "text\n")
    assert given["html_body"] == "<p>text</p>\n"
    assert given["from"].addr_spec == "gm@example.org"
    assert given["extra_headers"]["Auto-Submitted"] == "auto-generated"
    picture, entry = given["attachments"]
    assert (picture.inline, picture.cid, picture.content) == (True, "board@example.org", b"png")
    assert (entry.name, entry.mimetype, entry.inline) == ("deadline.ics", "text/calendar", False)
