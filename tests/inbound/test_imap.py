"""Letters fetched from a mailbox of pymap, which runs as a process (issue 4, item 1)."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import DatabaseError
from imap_tools import AND, BaseMailBox, MailBoxUnencrypted
from pytest_django import Settings

from games.base import clock
from games.models import Letter
from orders.inbound import queue
from orders.inbound.transports import imap
from orders.models import Handling, Mail, Submission
from tests.inbound.writing import address_of, written
from tests.support.campaign import Campaign
from tests.support.processes import eventually, free_port

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    port = free_port()
    command = [
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--no-tls",
        "--no-service",
        "managesieve",
        "--no-service",
        "admin",
    ]
    pymap = Path(sys.executable).with_name("pymap")
    log = (tmp_path_factory.mktemp("pymap") / "log").open("wb")
    server = subprocess.Popen([str(pymap), *command, "dict", "--demo-data"], stdout=log, stderr=log)
    try:
        eventually("the IMAP server", lambda: _open(port))
        yield port
    finally:
        server.terminate()
        server.wait(20)
        log.close()


def _open(port: int) -> bool:
    with (
        contextlib.suppress(OSError, Exception),
        MailBoxUnencrypted("127.0.0.1", port).login("demouser", "demopass"),
    ):
        return True
    return False


@pytest.fixture
def mailbox(port: int, settings: Settings) -> Iterator[BaseMailBox]:
    """Return an empty mailbox as its owner sees it."""
    settings.IMAP_URL = f"imap://demouser:demopass@127.0.0.1:{port}/INBOX"
    settings.IMAP_HANDLED = "Handled"
    with MailBoxUnencrypted("127.0.0.1", port).login("demouser", "demopass") as mailbox:
        for folder in ("INBOX", "Handled"):
            if mailbox.folder.exists(folder):
                mailbox.folder.set(folder)
                mailbox.delete(mailbox.uids())
        mailbox.folder.set("INBOX")
        yield mailbox


@pytest.fixture
def campaign() -> Campaign:
    return Campaign.begin(clock.now())


def put(mailbox: BaseMailBox, campaign: Campaign, text: str) -> None:
    to = address_of(campaign, "Germany")
    raw = written(
        "gustav@example.org", to, text, Return_Path="<gustav@example.org>", Delivered_To=to
    )
    mailbox.append(raw.replace(b"\n", b"\r\n"), "INBOX")


def count(mailbox: BaseMailBox, folder: str) -> int:
    mailbox.folder.set(folder)
    number = len(mailbox.uids())
    mailbox.folder.set("INBOX")
    return number


def test_unread_letters_are_stored_obeyed_and_moved(
    mailbox: BaseMailBox, campaign: Campaign
) -> None:
    put(mailbox, campaign, "PLACE 10 Poland\n")
    put(mailbox, campaign, "STATUS\n")
    imap.watch(threading.Event(), once=True)
    assert Mail.objects.filter(way="imap").count() == 2
    assert Submission.objects.get().counts
    assert (count(mailbox, "INBOX"), count(mailbox, "Handled")) == (0, 2)


def test_letter_that_could_not_be_stored_stays_unread(
    mailbox: BaseMailBox, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """issue 4, 1: marked and moved only once it is stored."""
    put(mailbox, campaign, "PLACE 10 Poland\n")
    real = queue.fingerprint

    def failing(*given: object, **more: object) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(queue, "fingerprint", failing)
    with pytest.raises(DatabaseError):
        imap.watch(threading.Event(), once=True)
    monkeypatch.setattr(queue, "fingerprint", real)
    imap.watch(threading.Event(), once=True)
    assert Submission.objects.count() == 1
    assert count(mailbox, "INBOX") == 0


def test_watch_waits_for_new_letters_until_stopped(
    mailbox: BaseMailBox, campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IDLE: a letter is answered within seconds of its arrival."""
    from django.db import connections

    monkeypatch.setattr(imap, "POLL_SECONDS", 600)  # no polling

    stopping, faults = threading.Event(), []

    def watching() -> None:
        try:
            imap.watch(stopping)
        except Exception as error:
            faults.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=watching)
    thread.start()
    try:
        put(mailbox, campaign, "PLACE 10 Poland\n")
        eventually("the orders", lambda: Submission.objects.exists(), within=40)
        put(mailbox, campaign, "PLACE 11 Poland\n")
        eventually("the second orders", lambda: Submission.objects.count() == 2, within=40)
    finally:
        stopping.set()
        thread.join(30)
    assert not thread.is_alive()
    assert faults == []


def test_sender_of_an_oversized_letter_in_the_mailbox_is_notified(
    mailbox: BaseMailBox, campaign: Campaign, settings: Settings
) -> None:
    """ways-in.md B4: it was marked as read and moved, and its sender was not notified."""
    settings.MAIL_LARGEST = 2000
    put(mailbox, campaign, "x" * 60 + "\n" + ("y" * 60 + "\n") * 100)
    imap.watch(threading.Event(), once=True)
    assert Handling.objects.get().kind == queue.TOO_LARGE
    assert Letter.objects.get(kind="word").address == "gustav@example.org"
    assert (count(mailbox, "INBOX"), count(mailbox, "Handled")) == (0, 1)


def test_wrong_size_of_a_letter_stops_no_other_letter(
    mailbox: BaseMailBox,
    campaign: Campaign,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some servers only estimate RFC822.SIZE: the letter was refused, and those after it waited."""
    settings.MAIL_LARGEST = 2_000
    monkeypatch.setattr(imap, "_number", lambda mailbox, uid: 10)
    put(mailbox, campaign, ("y" * 60 + "\n") * 100)
    put(mailbox, campaign, "PLACE 10 Poland\n")
    imap.watch(threading.Event(), once=True)
    assert Letter.objects.filter(kind="word").count() == 1
    assert Submission.objects.get().counts
    assert (count(mailbox, "INBOX"), count(mailbox, "Handled")) == (0, 2)


def test_bcc_letter_is_handled_by_its_delivery_address(
    mailbox: BaseMailBox, campaign: Campaign
) -> None:
    """Issue 23, 8: neither To nor Cc names an address of ours."""
    ours = address_of(campaign, "Germany")
    raw = written(
        "gustav@example.org",
        "friend@elsewhere.example",
        "PLACE 10 Poland\n",
        Return_Path="<gustav@example.org>",
        Delivered_To=ours,
    )
    mailbox.append(raw.replace(b"\n", b"\r\n"), "INBOX")
    imap.watch(threading.Event(), once=True)
    assert Submission.objects.get().seat == campaign.seat("Germany")
    assert count(mailbox, "Handled") == 1


def test_letter_for_a_foreign_address_stays_in_the_mailbox(mailbox: BaseMailBox) -> None:
    """ways-in.md B6: in a mailbox for a whole domain, only our letters are read."""
    raw = written("gustav@example.org", "webmaster@elsewhere.example", "PLACE 10 Poland\n")
    mailbox.append(raw.replace(b"\n", b"\r\n"), "INBOX")
    imap.watch(threading.Event(), once=True)
    assert not Mail.objects.exists()
    assert (count(mailbox, "INBOX"), len(mailbox.uids(AND(seen=False)))) == (1, 0)


def test_stored_letter_left_behind_is_moved_at_the_next_look(
    mailbox: BaseMailBox, campaign: Campaign
) -> None:
    """ways-in.md F7: when the reply to STORE or MOVE was lost, it stayed in INBOX forever."""
    put(mailbox, campaign, "PLACE 10 Poland\n")
    foreign = written("gustav@example.org", "webmaster@elsewhere.example", "Hello.\n")
    mailbox.append(foreign.replace(b"\n", b"\r\n"), "INBOX")
    stored_uid, unknown = mailbox.uids()
    raw = imap._raw(mailbox, stored_uid)
    queue.keep(raw, "imap", None, [], campaign.now)
    mailbox.flag([stored_uid, unknown], "\\Seen", True)
    imap.watch(threading.Event(), once=True)
    assert count(mailbox, "Handled") == 1
    assert mailbox.uids() == [unknown]
    assert not Submission.objects.exists()


def test_letter_moved_back_after_a_restore_is_read_again(
    mailbox: BaseMailBox, campaign: Campaign
) -> None:
    """docs/operations.md, “Backup and restore”: it was marked as read, and so was nobody's."""
    put(mailbox, campaign, "PLACE 10 Poland\n")
    mailbox.flag(mailbox.uids(), "\\Seen", True)
    imap.watch(threading.Event(), once=True)
    assert Submission.objects.get().counts
    assert (count(mailbox, "INBOX"), count(mailbox, "Handled")) == (0, 1)


@pytest.mark.parametrize(
    "url", ["", "imaps://", "http://u:secret@h/", "imaps://host/INBOX", "imaps://u:secret@h:port/"]
)
def test_invalid_imap_url_is_refused_without_showing_the_password(url: str) -> None:
    with pytest.raises(ValueError, match="IMAP_URL") as refused:
        imap.box(url)
    assert "secret" not in str(refused.value)


def test_imap_url_is_percent_decoded() -> None:
    box = imap.box("imaps://gm%40example.org:p%2Fw@imap.example.org/Games/In")
    assert (box.user, box.password, box.port, box.folder) == (
        "gm@example.org",
        "p/w",
        993,
        "Games/In",
    )
