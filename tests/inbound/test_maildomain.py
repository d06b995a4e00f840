"""Checks of a domain's mail records (issue 4, item 6)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from orders.inbound import domain_check
from tests.operations.test_doctor import Back, Stripping

KEY = "A" * 392
GOOD = f"""
; what dig prints
games.example.org. 300 IN MX 10 mail.example.org.
games.example.org. 300 IN TXT "v=spf1 mx -all"
mail._domainkey.games.example.org. 300 IN TXT "v=DKIM1; k=rsa; " "p={KEY}"
_dmarc.games.example.org TXT v=DMARC1; p=quarantine; rua=mailto:postmaster@games.example.org
"""


def marks(text: str, name: str = "games.example.org") -> dict[str, str]:
    """Return the worst mark of each record."""
    worst: dict[str, str] = {}
    for finding in domain_check.judge(name, domain_check.read(text)):
        if worst.get(finding.about, "good") in ("good", "hint"):
            worst[finding.about] = finding.mark
    return worst


def test_complete_domain_is_good() -> None:
    assert marks(GOOD) == {"MX": "good", "SPF": "good", "DKIM": "good", "DMARC": "good"}


def test_domain_without_records_lacks_each_with_a_hint() -> None:
    findings = domain_check.judge("games.example.org", [])
    assert {finding.mark for finding in findings} == {"missing"}
    assert all("Add" in finding.words or "add" in finding.words for finding in findings)
    assert not domain_check.is_sound(findings)


@pytest.mark.parametrize(
    ("old", "new", "about", "mark"),
    [
        ("v=spf1 mx -all", "v=spf1 mx +all", "SPF", "wrong"),
        ("v=spf1 mx -all", "v=spf1 mx", "SPF", "wrong"),
        ("v=spf1 mx -all", "v=spf1 mx ?all", "SPF", "wrong"),
        ("v=spf1 mx -all", "v=spf1 -all", "SPF", "wrong"),
        ("v=spf1 mx -all", "v=spf1 mx ~all", "SPF", "good"),
        (
            "v=spf1 mx -all",
            "v=spf1 " + " ".join(f"include:s{n}.example.org" for n in range(11)) + " -all",
            "SPF",
            "wrong",
        ),
        ("v=spf1 mx -all", "v=spf1 redirect=example.org", "SPF", "good"),
        ("v=spf1 mx -all", "v=spf2.0/pra mx", "SPF", "missing"),
        (f"p={KEY}", "p=", "DKIM", "wrong"),
        (f"p={KEY}", "p=" + "A" * 216, "DKIM", "wrong"),
        (f'k=rsa; " "p={KEY}', 'k=ed25519; " "p=' + "A" * 44, "DKIM", "good"),
        ("v=DKIM1; k=rsa", "v=DKIM1; t=y; k=rsa", "DKIM", "hint"),
        ("p=quarantine", "p=none", "DMARC", "hint"),
        ("p=quarantine", "p=", "DMARC", "wrong"),
        ("_dmarc.games.", "_dmarc.", "DMARC", "good"),
        ("10 mail.example.org.", "10 192.0.2.1", "MX", "wrong"),
        ("10 mail.example.org.", "0 .", "MX", "wrong"),
    ],
)
def test_each_record_fault_is_detected(old: str, new: str, about: str, mark: str) -> None:
    assert old in GOOD
    assert marks(GOOD.replace(old, new))[about] == mark


def test_duplicate_record_is_wrong() -> None:
    """RFC 7208, 4.5; RFC 7489, 6.6.3."""
    assert marks(GOOD + 'games.example.org TXT "v=spf1 a -all"\n')["SPF"] == "wrong"
    assert marks(GOOD + '_dmarc.games.example.org TXT "v=DMARC1; p=none"\n')["DMARC"] == "wrong"


def test_maildomain_names_faults_and_exits_with_an_error(tmp_path: Path) -> None:
    file, out = tmp_path / "records", io.StringIO()
    file.write_text(GOOD)
    call_command("maildomain", str(file), domain="games.example.org", stdout=out)
    assert "The records of games.example.org are complete." in out.getvalue()
    file.write_text(GOOD.replace("mx -all", "mx +all"))
    with pytest.raises(CommandError, match="not complete"):
        call_command("maildomain", str(file), domain="games.example.org", stdout=out)
    assert "anybody may send in your name" in out.getvalue()
    file.write_text("what is this\n")
    with pytest.raises(CommandError, match="“what is this” is no record"):
        call_command("maildomain", str(file), domain="games.example.org", stdout=out)
    with pytest.raises(CommandError, match="Cannot read"):
        call_command("maildomain", str(tmp_path / "none"), domain="games.example.org", stdout=out)


@pytest.mark.django_db
@pytest.mark.parametrize(("server", "believed"), [(Back, True), (Stripping, False)])
def test_command_fails_if_a_forged_proof_is_believed(
    tmp_path: Path, settings: Settings, server: type, believed: bool
) -> None:
    """reviews/fairness.md F10: where mail comes in, a letter goes the real way."""
    records, out = tmp_path / "records", io.StringIO()
    records.write_text(GOOD)
    settings.MAIL_IN, settings.MAIL_TRUST = True, "results"
    settings.MAIL_AUTHSERV_ID = "mx.games.test"
    settings.EMAIL_BACKEND = f"{server.__module__}.{server.__name__}"

    def run(*more: str) -> None:
        call_command("maildomain", str(records), *more, domain="games.example.org", stdout=out)

    if believed:
        with pytest.raises(CommandError, match="Mail does not come in as it should"):
            run("--wait=0")
        assert "anybody can send orders in a player's name" in out.getvalue()
        run("--near")
    else:
        run("--wait=0")
    assert "The records of games.example.org are complete." in out.getvalue()
