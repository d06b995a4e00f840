"""System checks name missing or dangerous mail settings, with hints (issue 4, items 1 and 2)."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from orders.inbound import checks


def test_default_settings_have_no_fault() -> None:
    assert checks.mail_comes_in_safely() == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"MAIL_TRUST": "everybody"}, "E020"),
        ({"MAIL_UNPROVEN": "obey"}, "E021"),
        ({"MAIL_REPLY": "orders+x@games.test"}, "E022"),
        ({"MAIL_BOUNCES": "orders@games.test", "MAIL_REPLY": "orders@games.test"}, "E022"),
        ({"MAIL_LARGEST": 10}, "E023"),
        ({"LMTP_LISTEN": "8024"}, "E024"),
        ({"LMTP_LISTEN": "0.0.0.0:8024"}, "W020"),
        ({"IMAP_URL": "imaps://nobody"}, "E025"),
        ({"IMAP_URL": "imap://u:p@imap.example.org"}, "W021"),
        ({"MAIL_WEBHOOK": "pigeon", "ANYMAIL": {}}, "E026"),
        ({"MAIL_WEBHOOK": "postmark", "ANYMAIL": {}}, "E027"),
        ({"MAIL_WEBHOOK": "postmark", "ANYMAIL": {"WEBHOOK_SECRET": ""}}, "E027"),
        ({"MAIL_IN": True, "MAIL_TRUST": "results", "MAIL_AUTHSERV_ID": ""}, "E028"),
        ({"MAIL_IN": True, "SITE_URL": "https://games.example.org"}, "W023"),
        ({"MAIL_IN": True, "MAIL_REPLY": "orders@127.0.0.1"}, "W022"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_fault_is_reported_with_a_hint(
    settings: Settings, changes: dict[str, Any], code: str
) -> None:
    for name, value in changes.items():
        setattr(settings, name, value)
    faults = checks.mail_comes_in_safely()
    assert [fault.id for fault in faults] == [f"gamesmaster.{code}"]
    assert faults[0].hint
    assert "p@imap" not in faults[0].msg  # no password in a log
