"""Letters delivered by a mail server over a real socket (issue 4, item 1; RFC 2033)."""

from __future__ import annotations

import asyncio
import contextlib
import smtplib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import DatabaseError, connections
from pytest_django import Settings

from games.base import clock
from orders.inbound import queue
from orders.inbound.transports import lmtp
from orders.models import Mail, Submission
from tests.inbound import corpus
from tests.inbound.writing import address_of, written
from tests.support.campaign import Campaign
from tests.support.processes import eventually, free_port, service

pytestmark = pytest.mark.django_db(transaction=True)


class Running:
    """Run the server in a thread."""

    def __init__(self, listen: str) -> None:
        self.listen = listen
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        asyncio.run(self._serve())
        connections.close_all()

    async def _serve(self) -> None:
        self.loop, self.task = asyncio.get_running_loop(), asyncio.current_task()
        with contextlib.suppress(asyncio.CancelledError):
            await lmtp.serve(self.listen, ready=lambda server: self.ready.set())

    def __enter__(self) -> Running:
        self.thread.start()
        assert self.ready.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        assert self.task is not None
        self.loop.call_soon_threadsafe(self.task.cancel)
        self.thread.join(20)

    def client(self) -> smtplib.LMTP:
        if lmtp.is_path(self.listen):
            return smtplib.LMTP(self.listen)
        host, port = lmtp.place(self.listen)
        return smtplib.LMTP(host, port)


@pytest.fixture
def server() -> Iterator[Running]:
    with Running(f"127.0.0.1:{free_port()}") as server:
        yield server


@pytest.fixture
def campaign() -> Campaign:
    """Begin a game on the machine's clock, which the server uses."""
    return Campaign.begin(clock.now())


@pytest.mark.both_databases
def test_orders_by_lmtp_are_stored_and_obeyed(server: Running, campaign: Campaign) -> None:
    to = address_of(campaign, "Germany")
    with server.client() as client:
        assert (
            client.sendmail(
                "gustav@example.org", [to], written("gustav@example.org", to, "PLACE 10 Poland\n")
            )
            == {}
        )
    assert Mail.objects.get().envelope_to == [to]
    assert Submission.objects.get().counts


def test_lmtp_replies_per_recipient(server: Running, campaign: Campaign) -> None:
    """RFC 2033, 4.2: after the message, one reply line per accepted recipient."""
    recipients = [address_of(campaign, "Germany"), address_of(campaign, "France")]
    raw = written("gustav@example.org", recipients[0], "STATUS\n")
    with server.client() as client:
        client.ehlo("mail.example.org")  # which smtplib says as LHLO
        client.mail("gustav@example.org")
        for recipient in recipients:
            assert client.rcpt(recipient)[0] == 250
        client.putcmd("data")
        assert client.getreply()[0] == 354
        client.send(raw.replace(b"\n", b"\r\n") + b"\r\n.\r\n")
        assert [client.getreply()[0] for _ in recipients] == [250, 250]
    assert Mail.objects.count() == 2


def test_lmtp_refuses_a_foreign_address(server: Running, campaign: Campaign) -> None:
    with server.client() as client, pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        client.sendmail("gustav@example.org", ["somebody@example.net"], b"Subject: x\r\n\r\nx\r\n")
    assert refused.value.recipients["somebody@example.net"][0] == 550
    assert not Mail.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        (b"x" * 70 + b"\r\n") * 100,
        b"x" * 7000 + b"\r\n",
        b"Subject: x\r\n\r\n" + b"x" * 1995 + b"\r\n",
        b"x" * 1999 + b"\r\n" + b"x" * 70 + b"\r\n",
    ],
    ids=["short lines", "one line", "longest line", "a line of the size"],
)
def test_lmtp_refuses_an_oversized_message_permanently(
    campaign: Campaign, settings: Settings, body: bytes
) -> None:
    """issue 4, 6: refused on receipt, with 552."""
    settings.MAIL_LARGEST = 2000
    to = address_of(campaign, "Germany")
    with Running(f"127.0.0.1:{free_port()}") as server, server.client() as client:
        client.ehlo("mail.example.org")  # which smtplib says as LHLO
        client.mail("gustav@example.org")
        client.rcpt(to)
        client.rcpt(address_of(campaign, "France"))
        client.putcmd("data")
        client.getreply()
        client.send(body + b".\r\n")
        assert [client.getreply()[0] for _ in range(2)] == [552, 552]
        assert client.noop()[0] == 250
    assert not Mail.objects.exists()


@pytest.mark.parametrize("length", [998, 1000, 1001, 70_000, 200_000])
def test_lmtp_accepts_lines_of_any_length(server: Running, campaign: Campaign, length: int) -> None:
    """RFC 5322, 2.1.1 allows 998 bytes; Exim, OpenSMTPD and others hand on what is longer."""
    to = address_of(campaign, "Germany")
    head = written("gustav@example.org", to, "PLACE 3 Poland\n").rstrip(b"\n") + b"\n\n> "
    raw = (head + b"x" * (length - 2) + b"\n").replace(b"\n", b"\r\n")
    with server.client() as client:
        assert client.sendmail("gustav@example.org", [to], raw) == {}
    assert b"x" * (length - 2) + b"\r\n" in bytes(Mail.objects.get().raw)
    assert Submission.objects.get().counts


def test_lmtp_accepts_html_in_one_long_line(server: Running, campaign: Campaign) -> None:
    to = address_of(campaign, "Germany")
    raw = corpus.raw("long-html-line")
    assert max(map(len, raw.split(b"\r\n"))) > 1001
    with server.client() as client:
        assert client.sendmail("gustav@example.org", [to], raw) == {}
    assert Submission.objects.get().counts


def test_lmtp_still_limits_the_length_of_commands(server: Running, campaign: Campaign) -> None:
    with server.client() as client:
        client.ehlo("mail.example.org")
        assert client.docmd("NOOP " + "x" * 2000)[0] == 500
        assert client.noop()[0] == 250


@pytest.mark.both_databases
def test_lmtp_refuses_temporarily_while_the_database_fails(
    server: Running, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """issue 4, 1: 250 only once it is stored."""
    real = queue.fingerprint

    def failing(*given: object, **more: object) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(queue, "fingerprint", failing)
    to = address_of(campaign, "Germany")
    raw = written("gustav@example.org", to, "PLACE 10 Poland\n")
    with server.client() as client, pytest.raises(smtplib.SMTPDataError) as refused:
        client.sendmail("gustav@example.org", [to], raw)
    assert refused.value.smtp_code == 451
    monkeypatch.setattr(queue, "fingerprint", real)
    with server.client() as client:
        client.sendmail("gustav@example.org", [to], raw)
    assert Submission.objects.count() == 1


def test_lmtp_listens_on_a_unix_socket(tmp_path: Path, campaign: Campaign) -> None:
    path = str(tmp_path / "lmtp")
    left_behind = socket.socket(socket.AF_UNIX)
    left_behind.bind(path)  # by a run that was killed
    left_behind.close()
    to = address_of(campaign, "Germany")
    with Running(path) as server, server.client() as client:
        client.sendmail("gustav@example.org", [to], written("gustav@example.org", to, "STATUS\n"))
    assert Mail.objects.count() == 1


@pytest.mark.parametrize("listen", ["8024", "127.0.0.1", "127.0.0.1:lmtp", "127.0.0.1:99999"])
def test_invalid_listen_address_is_refused_with_a_sentence(listen: str) -> None:
    with pytest.raises(ValueError, match=f"“{listen}” is no place to listen on"):
        lmtp.place(listen)


@pytest.mark.processes
def test_lmtp_command_receives_letters_until_terminated(tmp_path: Path) -> None:
    """issue 4, 1: `manage.py lmtp`."""
    port = free_port()
    with service(tmp_path, LMTP_LISTEN=f"127.0.0.1:{port}") as running:
        import sys

        running.start("lmtp", [sys.executable, "manage.py", "lmtp"])
        eventually("the LMTP server", lambda: "Receiving mail by LMTP" in running.said(), running)
        with smtplib.LMTP("127.0.0.1", port) as client:
            client.sendmail(
                "x@example.org",
                ["orders@127.0.0.1"],
                written("x@example.org", "orders@127.0.0.1", "HELP\n"),
            )
        assert running.rows("SELECT status FROM orders_handling") == [("ignored",)]
        running.running["lmtp"].terminate()
        assert running.running["lmtp"].wait(timeout=20) == 0
