"""`manage.py doctor`, and the same on the operator's page (issue 26, 4)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.checks import ERROR, INFO, WARNING, CheckMessage, run_checks
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from games.base import clock
from games.models import Person, Pulse
from games.operations import doctor, metrics
from orders.inbound import mail_path, queue
from tests.support.campaign import MONDAY, Campaign
from tests.support.loopback_yahoo import LoopbackYahoo

pytestmark = [pytest.mark.django_db, pytest.mark.letters]


class Back(BaseEmailBackend):
    """A mail server that delivers every letter back to the service."""

    def send_messages(self, letters: Sequence[EmailMessage]) -> int:
        for letter in letters:
            raw = letter.message().as_bytes()
            queue.keep(raw, "lmtp", "x@y.org", letter.to, MONDAY)
        return len(letters)


class Shut(BaseEmailBackend):
    def send_messages(self, letters: Sequence[EmailMessage]) -> int:
        raise ConnectionRefusedError("nobody listens")


@pytest.fixture(autouse=True)
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Set the clock to Monday, and return a function that sets it again."""

    def change(now: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: now)

    change(MONDAY)
    return change


def near(name: str) -> CheckMessage:
    (finding,) = [found for found in doctor.near() if (found.obj or "settings") == name]
    return finding


def far(settings: Settings, backend: type, wait: float = 0) -> dict[str, CheckMessage]:
    settings.EMAIL_BACKEND = f"{backend.__module__}.{backend.__name__}"
    settings.MAIL_IN = True
    with LoopbackYahoo() as yahoo:
        settings.MARKET = {**settings.MARKET, "yahoo_base_url": yahoo.url}
        return {found.obj: found for found in doctor.far(wait)}


@pytest.mark.both_databases
@pytest.mark.parametrize("name", ["settings", "database", "redis", "clock", "disk"])
def test_healthy_service_is_good(name: str, at: Callable[[datetime], None]) -> None:
    at(timezone.now())  # the clock is compared with the database's
    assert near(name).level == INFO


def test_doctor_names_a_setting_with_its_hint(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    finding = near("settings")
    assert (finding.level, finding.msg) == (ERROR, "ALLOWED_HOSTS allows any host.")
    assert "Write only the further names of the service" in str(finding.hint)


@pytest.mark.both_databases
def test_doctor_continues_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(connection, "get_database_version", gone)
    findings = {found.obj or "settings": found for found in doctor.near()}
    assert findings["database"].level == ERROR
    assert "DATABASE_URL" in str(findings["database"].hint)
    assert {"settings", "redis", "disk"} < set(findings)


def test_doctor_reports_that_redis_is_down(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.IN_MEMORY = False
    monkeypatch.setattr(metrics, "queue_length", lambda: None)
    assert near("redis").level == ERROR


def test_doctor_reports_the_age_of_tick_and_backup(at: Callable[[datetime], None]) -> None:
    assert near("tick").level == WARNING
    assert near("backup").level == WARNING
    Campaign.open()
    assert near("backup").level == ERROR
    Pulse.objects.create(name="tick", at=MONDAY)
    metrics.note_backup(MONDAY)
    at(MONDAY + timedelta(minutes=1))
    assert (near("tick").level, near("backup").level) == (INFO, INFO)
    at(MONDAY + timedelta(days=3))
    assert (near("tick").level, near("backup").level) == (ERROR, ERROR)


@pytest.mark.both_databases
def test_doctor_reports_a_clock_that_was_ahead() -> None:
    Pulse.objects.create(name="tick", at=MONDAY + timedelta(hours=1))
    assert near("clock").level == ERROR


def test_doctor_reports_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage(NamedTuple):
        free: int

    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(10_000_000))
    assert near("disk").level == ERROR


def test_doctor_continues_if_the_disk_cannot_be_read(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "missing"
    (finding,) = doctor.disk_has_room()
    assert finding.level == ERROR
    assert finding.msg == f"{tmp_path}/missing cannot be read (No such file or directory)."
    assert "GAMESMASTER_VAR" in str(finding.hint)


@pytest.mark.both_databases
def test_doctor_receives_its_own_letter_and_reads_a_stock(settings: Settings) -> None:
    findings = far(settings, Back)
    assert [finding.level for finding in findings.values()] == [INFO] * 3, findings
    assert "GE sold" in findings["market"].msg


class Stripping(Back):
    """A mail server that removes results in its name, and writes its own, as docs/mail.md asks."""

    head = (
        b"Authentication-Results: mx.games.test; dmarc=none\n"
        b"Received: from x by mx.games.test; Mon, 16 Nov 2026 17:00:00 +0000\n"
    )

    def send_messages(self, letters: Sequence[EmailMessage]) -> int:
        for letter in letters:
            raw = re.sub(rb"(?m)^Authentication-Results: .*\n", b"", letter.message().as_bytes())
            queue.keep(self.head + raw, "lmtp", "x@y.org", letter.to, MONDAY)
        return len(letters)


class OfAnotherName(Stripping):
    """A mail server with a name in another domain than MAIL_AUTHSERV_ID."""

    head = b"Received: from x by mail.other.test; Mon, 16 Nov 2026 17:00:00 +0000\n"


class WritingAbove(Back):
    """A mail server that leaves forged results below its own, where nobody believes them."""

    def send_messages(self, letters: Sequence[EmailMessage]) -> int:
        for letter in letters:
            raw = Stripping.head + letter.message().as_bytes()
            queue.keep(raw, "lmtp", "x@y.org", letter.to, MONDAY)
        return len(letters)


class Above(Back):
    """A mail server that writes its own time above a letter, and lets forged results through."""

    def send_messages(self, letters: Sequence[EmailMessage]) -> int:
        for letter in letters:
            (received,) = re.findall(rb"(?m)^Received: .*\n", Stripping.head)
            forged = re.search(
                rb"(?m)^Authentication-Results: .*\n(?:[ \t].*\n)*", letter.message().as_bytes()
            )
            assert forged is not None
            raw = forged[0] + received + letter.message().as_bytes()
            queue.keep(raw, "lmtp", "x@y.org", letter.to, MONDAY)
        return len(letters)


@pytest.mark.parametrize(
    ("server", "trusted", "level", "words"),
    [
        (Above, "results", ERROR, "the Authentication-Results that it carried are believed"),
        (Stripping, "results", INFO, "its forged proof is not believed"),
        (WritingAbove, "results", INFO, "its forged proof is not believed"),
        (Back, "dkim", ERROR, "the time of arrival that it carried is believed"),
        (Stripping, "dkim", INFO, "The letter came back."),
        (OfAnotherName, "dkim", WARNING, "did not write its topmost Received header"),
        (OfAnotherName, "results", WARNING, "“from x by mail.other.test;"),
    ],
)
def test_forged_results_in_the_doctors_letter_must_not_be_believed(
    settings: Settings, server: type, trusted: str, level: int, words: str
) -> None:
    """reviews/fairness.md F10; RFC 8601 5: our server removes what names it, and we look."""
    settings.MAIL_TRUST, settings.MAIL_AUTHSERV_ID = trusted, "MX.games.test"
    finding = far(settings, server)["mail in"]
    assert finding.level == level, finding
    assert words in finding.msg


def test_doctors_letter_gets_no_answer(settings: Settings, mailoutbox: list[Any]) -> None:
    far(settings, Back)
    call_command("tick", stdout=io.StringIO())
    assert mailoutbox == []


def test_doctor_reports_that_no_letter_goes_out(settings: Settings) -> None:
    findings = far(settings, Shut)
    assert (findings["mail out"].level, findings["mail in"].level) == (ERROR, WARNING)
    assert "nobody listens" in findings["mail out"].msg
    assert "EMAIL_URL" in str(findings["mail out"].hint)


def test_doctor_reports_that_its_letter_did_not_come_back(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.MAIL_IN = True
    settings.DEMONSTRATION = True  # ask no market
    findings = {found.obj: found for found in doctor.far(0)}
    assert (findings["mail out"].level, findings["mail in"].level) == (INFO, ERROR)
    assert "lmtp or imap" in str(findings["mail in"].hint)


@pytest.mark.parametrize("tag", [doctor.RUNNING, doctor.NETWORK])
def test_no_check_asks_the_database_or_the_network_unless_a_database_is_named(
    monkeypatch: pytest.MonkeyPatch, tag: str
) -> None:
    """Django's convention, which keeps `manage.py check --deploy` quick and without a letter."""
    monkeypatch.setattr(mail_path, "EmailMessage", None)
    found = run_checks(tags=[tag], include_deployment_checks=True)
    assert {message.obj for message in found} <= {"redis", "disk"}


def test_checks_that_ask_run_only_for_the_doctor() -> None:
    for tag in (doctor.RUNNING, doctor.NETWORK):
        assert run_checks(tags=[tag], databases=["default"]) == []


def test_doctor_prints_a_line_per_check_and_exits_with_1_for_bad(
    settings: Settings, at: Callable[[datetime], None]
) -> None:
    at(timezone.now())  # the clock is compared with the database's
    out = io.StringIO()
    metrics.note_backup(clock.now())
    call_command("doctor", "--near", stdout=out)
    lines = out.getvalue().splitlines()
    assert len(lines) == len(doctor.near())
    assert lines[0].startswith("ok   settings: ")
    settings.ALLOWED_HOSTS = ["*"]
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", "--near", stdout=out)
    assert ended.value.code == 1


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_backup_time_is_stored(tmp_path: Any) -> None:
    call_command("backup", str(tmp_path / "copy"), "--any-database", stdout=io.StringIO())
    assert near("backup").level == INFO


def test_operators_page_shows_findings_to_administrators_only(
    client: Client, settings: Settings
) -> None:
    settings.DEMONSTRATION = True
    client.force_login(Person.objects.at("una@example.org"))
    assert client.post(reverse("operator-doctor")).status_code == 403
    client.force_login(Person.objects.at("root@example.org", is_superuser=True, is_staff=True))
    page = client.get(reverse("operator")).content.decode()
    assert "There never was one." in page
    assert reverse("admin:index") in page
    tried = client.post(reverse("operator-doctor")).content.decode()
    assert "A letter to" in tried
