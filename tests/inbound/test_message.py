"""Parsing a message: headers, parts, automatic mail (RFC 5322, 2045 to 2049, 3834, 3464)."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest

from orders.inbound.parsing import headers, parts
from orders.inbound.parsing.message import Address, Message, parse

from . import corpus


def message(*lines: str, body: str = "PASS", envelope_from: str | None = None) -> Message:
    raw = "\r\n".join(["From: Gustav <gustav@example.org>", *lines, "", body, ""]).encode()
    return parse(
        raw, envelope_from, own_domain="play.example.net", own_addresses=["orders@play.example.net"]
    )


def test_headers_are_parsed() -> None:
    parsed = message(
        'To: "Ada, the gamesmaster" <ORDERS+x@play.example.net>, b@example.org',
        "Cc: Friends: c@example.org;",
        "Delivered-To: orders+x@play.example.net",
        "Date: Tue, 3 Nov 2026 10:00:00 +0100",
        "Message-ID: <1@mail.example.org>",
        "In-Reply-To: <game-1@play.example.net> (Ada's letter)",
        "References: <a@b>\r\n <game-1@play.example.net>",
    )
    assert parsed.from_ == Address("Gustav", "gustav@example.org")
    assert parsed.to == (
        Address("Ada, the gamesmaster", "orders+x@play.example.net"),
        Address("", "b@example.org"),
    )
    assert [address.address for address in parsed.cc] == ["c@example.org"]
    assert parsed.delivered_to == ("orders+x@play.example.net",)
    assert parsed.date == datetime(2026, 11, 3, 9, 0, tzinfo=UTC)
    assert (parsed.message_id, parsed.in_reply_to) == (
        "<1@mail.example.org>",
        "<game-1@play.example.net>",
    )
    assert parsed.references == ("<a@b>", "<game-1@play.example.net>")


@pytest.mark.parametrize(
    ("value", "addresses"),
    [
        ('"ada@example.org" <evil@example.net>', ["evil@example.net"]),
        ("ada@example.org <evil@example.net>", ["evil@example.net"]),
        ("Ada (ada@example.org) <evil@example.net>", ["evil@example.net"]),
        ("<ada@example.org> <evil@example.net>", ["ada@example.org", "evil@example.net"]),
        ("ada@example.org, evil@example.net", ["ada@example.org", "evil@example.net"]),
        ("=?utf-8?Q?ada=40example.org=2C?= <evil@example.net>", ["evil@example.net"]),
        ('"unclosed <evil@example.net>', []),
        ("nobody", []),
        ("<@>", []),
    ],
)
def test_display_name_is_never_an_address(value: str, addresses: list[str]) -> None:
    assert [address for _, address in headers.addresses(value)] == addresses


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "Auto-Submitted: auto-replied (vacation)",
            "it says of itself “Auto-Submitted: auto-replied (vacation)”",
        ),
        (
            "Auto-Submitted: auto-generated; owner-email=x@example.org",
            "it says of itself “Auto-Submitted: auto-generated”",
        ),
        ("Return-Path: <>", "it came without a return path, as bounces do"),
        ("Precedence: Junk", "it says of itself “Precedence: junk”"),
        ("List-Id: Games <games.example.org>", "it has the header List-Id"),
        ("X-Autoreply: yes", "it has the header X-Autoreply"),
        ("X-Autorespond: 1", "it has the header X-Autorespond"),
        ("X-Loop: x", "it has the header X-Loop"),
        (
            "X-Auto-Response-Suppress: DR, OOF, AutoReply",
            "it asks not to be answered (X-Auto-Response-Suppress)",
        ),
        (
            "Message-ID: <game-1.phase-3.receipt-4.p7.0badcafe@play.example.net>",
            "it has a Message-ID of ours: our own letter come back",
        ),
    ],
)
def test_automatic_mail_is_recognized(line: str, why: str) -> None:
    assert message(line).auto == why
    assert message(line).kind == "automatic"


@pytest.mark.parametrize(
    "line",
    [
        "Auto-Submitted: no",
        "Return-Path: <gustav@example.org>",
        "Precedence: normal",
        "X-Auto-Response-Suppress: DR, RN",
        "Subject: Out of office",  # alone it proves nothing
        # a player whose mail server is in our domain
        "Message-ID: <0badcafe-11d0@play.example.net>",
    ],
)
def test_personal_letter_is_not_automatic(line: str) -> None:
    assert message(line).kind == "commands"


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("Automatic reply: turn 3", "I am on vacation until Monday."),
        ("Abwesenheit: Zug 3", "Ich bin derzeit nicht im Büro."),
        ("Réponse automatique : tour 3", "Je suis absent jusqu'au 9."),
        ("Respuesta automática: turno 3", "Estoy de vacaciones."),
        ("Risposta automatica: turno 3", "Sono in ferie."),
        ("Automatisch antwoord: beurt 3", "Ik ben afwezig."),
        ("Autosvar: drag 3", "Jag är på semester."),
        ("Odpowiedź automatyczna", "Jestem na urlopie."),
        ("Автоответ", "Я в отпуске."),
    ],
)
def test_out_of_office_note_is_recognized_by_two_signs(subject: str, body: str) -> None:
    assert message(f"Subject: {subject}", body=body).kind == "automatic"
    assert message(f"Subject: {subject}", body=f"PASS\n{body}").kind == "commands"
    assert message("Subject: Re: turn 3", body=body).kind == "commands"


def test_empty_envelope_sender_is_automatic_and_an_unknown_one_is_not() -> None:
    assert message(envelope_from="").kind == "automatic"
    assert message(envelope_from=None).kind == "commands"
    assert message(envelope_from="gustav@example.org").kind == "commands"


def test_success_report_is_not_a_bounce() -> None:
    """RFC 3464 2.3.3: delivered and relayed are successes."""
    raw = corpus.raw("bounce-postfix").replace(b"Action: failed", b"Action: relayed")
    assert (corpus.parsed(raw).bounce, corpus.parsed(raw).kind) == (None, "automatic")


def test_quoted_bounce_is_not_a_bounce() -> None:
    body = "550 5.1.1 could not be delivered, I read. PASS"
    assert message("Subject: Undeliverable?", body=body).bounce is None


def test_only_short_plain_text_attachments_are_read() -> None:
    def attached(name: str, kind: str, body: str) -> Message:
        part = (
            f"--b\r\nContent-Type: {kind}\r\nContent-Disposition: attachment;"
            f' filename="{name}"\r\n\r\n{body}\r\n--b--'
        )
        return message("Content-Type: multipart/mixed; boundary=b", body=part)

    assert attached("a.TXT", "text/plain", "PASS").attachments[0].text == "PASS"
    assert attached("a.txt", "text/plain", "x" * (parts.LARGEST_ATTACHMENT + 1)).attachments == ()
    assert attached("a.txt.html", "text/html", "PASS").attachments == ()
    assert attached("a.txt", "text/html", "PASS").attachments == ()


def test_flowed_lines_are_joined_within_one_quote_depth() -> None:
    """RFC 3676 4.1 to 4.5."""
    assert (
        parts.join_flowed("a \nb\n> c \n> d\n>> e \n> f\n-- \ng", del_sp=False)
        == "a b\n> c d\n>> e \n> f\n-- \ng"
    )
    assert parts.join_flowed(" > no quotation\nx \ny", del_sp=True) == "> no quotation\nxy"


def test_long_message_is_cut_at_a_line_end() -> None:
    parsed = message(body="PLACE 4 Poland\n" * 100_000)
    assert len(parsed.text) <= parts.LONGEST_TEXT
    assert set(parsed.text.split("\n")) == {"PLACE 4 Poland"}


@pytest.mark.parametrize(
    "raw",
    [
        b"From: a@example.org\r\n\r\n" + b">" * 900_000,
        b"From: a@example.org\r\n\r\n" + b"On 1 May 2026\n" * 60_000,
        b"From: a@example.org\r\n\r\n" + b"a wrote:\n" * 100_000,
        b"From: a@example.org\r\n\r\n" + b"From:\n\n\n" * 100_000,
        b"From: a@example.org\r\n\r\n" + b"ABSENT " + b"1." * 400_000,
        b"From: a@example.org\r\n\r\n" + b"PRESS TO x\n" * 90_000,
        b"From: " + b"<" * 900_000 + b"\r\n\r\nPASS",
        b"From: " + b"=?utf-8?Q?" * 90_000 + b"\r\n\r\nPASS",
        b"From: a@example.org\r\nContent-Type: text/html\r\n\r\n" + b"<div>" * 180_000,
        b"From: a@example.org\r\nContent-Type: text/html\r\n\r\n<style>" + b".a{" * 300_000,
        b"From: a@example.org\r\nContent-Type: text/html\r\n\r\n"
        + b"<p style='"
        + b"x:y;" * 200_000
        + b"'>PASS",
        b"From: a@example.org\r\nContent-Type: text/plain; "
        + b"a*0=b; " * 100_000
        + b"\r\n\r\nPASS",
        b"From: a@example.org\r\nContent-Type: multipart/mixed;\r\n"
        + b" a=b;\r\n" * 100_000
        + b"\r\n\r\nPASS",
        b"From: a@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
        + b"--b\r\n\r\nPASS\r\n" * 30_000,
        b"From: a@example.org\r\n\r\n" + b"PRESS TO " + b"a, " * 300_000 + b"\nx\nEND",
        b"From: a@example.org\r\n\r\n" + b"ATTACK Poland:\n" * 1_990,
        b"From: a@example.org\r\nSubject: out of office"
        + b" vacation" * 90_000
        + b"\r\n\r\n"
        + b"on " * 300_000,
    ],
)
def test_pathological_megabyte_is_parsed_in_time(raw: bytes) -> None:
    """Issue 4: messages up to a megabyte are accepted, and none may stop the service."""
    begun = time.process_time()
    corpus.understood(corpus.parsed(raw))
    assert time.process_time() - begun < 5


def test_ordinary_letter_is_read_in_two_milliseconds() -> None:
    """In CPU time; the fastest of several tries is the cost of the code itself."""
    raw = corpus.raw("gmail-ios-wrapped")
    taken = []
    for _ in range(20):
        begun = time.process_time()
        for _ in range(10):
            corpus.understood(corpus.parsed(raw))
        taken.append((time.process_time() - begun) / 10)
    assert min(taken) < 0.002


def test_plain_mail_loads_no_slow_libraries() -> None:
    """No BeautifulSoup, dkimpy or mail-parser-reply for plain mail; no models for parsing."""
    program = (
        "import sys; from orders.inbound.identity import trust;"
        " from orders.inbound.parsing import message, reading\nm ="
        f" message.parse({corpus.raw('gmail-ios-wrapped')!r}); reading.understand(m);"
        " trust.authenticate(m, b'', 'results', 'x')\nassert m.text and not {'bs4', 'dkim',"
        " 'mailparser_reply', 'django'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=corpus.FOLDER.parents[2], check=True)


SIGNED = """-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

5 in Poland
- - 5 in Austria
-----BEGIN PGP SIGNATURE-----

iQEzBAEBCAAdFiEE
=abcd
-----END PGP SIGNATURE-----"""


def test_armor_of_an_inline_pgp_signature_is_removed() -> None:
    parsed = message(body=SIGNED.replace("\n", "\r\n"))
    assert parsed.text.split() == ["5", "in", "Poland", "-", "5", "in", "Austria"]
    assert not parsed.encrypted


def test_armor_without_its_end_is_left() -> None:
    cut = SIGNED.partition("=abcd")[0] + "PASS"
    assert message(body=cut.replace("\n", "\r\n")).text.split()[-1] == "PASS"


@pytest.mark.parametrize(
    "content_type",
    [
        'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b',
        'application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"',
        'application/x-pkcs7-mime; smime-type=signed-data; name="smime.p7m"',
    ],
)
def test_encrypted_message_is_recognized(content_type: str) -> None:
    body = "--b\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--b--"
    parsed = message(f"Content-Type: {content_type}", body=body)
    assert (parsed.encrypted, parsed.text, parsed.files) == (True, "", ())


def test_inline_encrypted_message_is_recognized() -> None:
    body = "-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA\r\n=abcd\r\n-----END PGP MESSAGE-----"
    parsed = message(body=body)
    assert (parsed.encrypted, parsed.text.strip()) == (True, "")
