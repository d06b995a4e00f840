"""Letters over the wire to a mail server, pipelined or not (RFC 5321, RFC 2920)."""

from __future__ import annotations

import smtplib

import pytest

from games.letters.delivery import Permanent, Server, ServerGone
from tests.letters.postoffice import OK, PostOffice, free_port
from tests.letters.test_wire import envelope

pytestmark = pytest.mark.parametrize("together", [False, True], ids=["one by one", "pipelining"])
DOTS = ".begins with one\n..and with two\n.\nends\n."


@pytest.fixture(autouse=True)
def offered(office: PostOffice, together: bool) -> None:
    office.extensions = ["PIPELINING"] if together else []


def test_letters_arrive_complete_over_one_connection(office: PostOffice) -> None:
    with Server() as server:
        for number in range(3):
            server.send(envelope(f"Letter {number}", DOTS, "<p>.</p>\n" + "x" * 2000))
    assert office.connections == 1
    subjects = [message["Subject"] for _, message in office.taken]
    assert subjects == ["Letter 0", "Letter 1", "Letter 2"]
    text = office.taken[0][1].get_body(("plain",))
    assert text is not None
    assert text.get_content().replace("\r\n", "\n").rstrip("\n") == DOTS


def test_envelope_of_the_next_letter_is_sent_ahead(office: PostOffice) -> None:
    """RFC 2920, 3.1: a letter that is refused or replaced leaves nothing behind and delays no
    other."""
    letters = [envelope(f"Letter {number}", DOTS, "<p>.</p>\n") for number in range(6)]
    office.at_content = [OK, OK, "550 no such words", OK]
    with Server() as server:
        for place, letter in enumerate(letters[:4]):
            server.expect(letters[place + 1])
            if place == 2:
                with pytest.raises(Permanent, match="no such words"):
                    server.send(letter)
            else:
                server.send(letter)
        assert office.connections == 2  # a new connection after the refusal
        server.send(letters[5])  # not the expected letter
        server.expect(letters[4])
        server.send(letters[0])
    assert [message["Subject"][-1] for _, message in office.taken] == ["0", "1", "3", "5", "0"]


def test_pipelined_address_refusal_stops_only_that_letter(office: PostOffice) -> None:
    office.at_address["una@example.org"] = [OK, "550 nobody here", OK]
    letters = [envelope(f"Letter {number}", "text\n", "<p>text</p>\n") for number in range(3)]
    with Server() as server:
        for letter, following in zip(letters, [*letters[1:], None], strict=True):
            server.expect(following)
            if letter is letters[1]:
                with pytest.raises(Permanent, match="nobody here"):
                    server.send(letter)
            else:
                server.send(letter)
    assert [message["Subject"] for _, message in office.taken] == ["Letter 0", "Letter 2"]


def test_address_refusal_stops_only_that_letter(office: PostOffice) -> None:
    office.at_address["una@example.org"] = ["550 nobody here", OK]
    with Server() as server:
        with pytest.raises(Permanent, match="550 nobody here"):
            server.send(envelope("One", "text\n", "<p>text</p>\n"))
        server.send(envelope("Two", "text\n", "<p>text</p>\n"))
    assert [message["Subject"] for _, message in office.taken] == ["Two"]
    assert office.connections == 2  # a refusal closes the connection


def test_temporary_refusal_is_not_permanent(office: PostOffice) -> None:
    office.at_address["una@example.org"] = ["451 later", OK]
    office.at_content = ["452 no room", OK]
    with Server() as server:
        with pytest.raises(smtplib.SMTPRecipientsRefused, match="later"):
            server.send(envelope("One", "text\n", "<p>text</p>\n"))
        with pytest.raises(smtplib.SMTPDataError, match="no room"):
            server.send(envelope("Two", "text\n", "<p>text</p>\n"))
        server.send(envelope("Three", "text\n", "<p>text</p>\n"))
    assert [message["Subject"] for _, message in office.taken] == ["Three"]


def test_unreachable_server_is_tried_once(
    office: PostOffice, settings: pytest.FixtureRequest
) -> None:
    settings.EMAIL_PORT = free_port()  # type: ignore[attr-defined]
    with Server() as server:
        for _ in range(2):
            with pytest.raises(ServerGone):
                server.send(envelope("One", "text\n", "<p>text</p>\n"))
    assert not office.taken
