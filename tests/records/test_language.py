"""Records are verified with the order language of their time (contract 3a; issue 23, 5)."""

from __future__ import annotations

from typing import Any

import pytest

from games.evidence import export
from games.rules.verification import verify
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db

WORDS = "5 to Poland"


def played(language: str) -> dict[str, Any]:
    """Return the record of a placement for which Germany sent a plain order."""
    campaign = Campaign.begin(options={"orders.language": language})
    campaign.order("Germany", WORDS)
    campaign.pass_deadline()
    record: dict[str, Any] = export.record(campaign.game, private=True)
    return record


def placed(record: dict[str, Any]) -> int:
    board = record["phases"][0]["board"]
    return int(board.get("Poland", {}).get("Germany", {}).get("pf", 0))


@pytest.mark.parametrize(
    ("language", "number"), [("canonical", 0), ("plain", 5), ("plain_2", 5), ("plain_3", 5)]
)
def test_record_is_verified_in_the_language_of_its_game(language: str, number: int) -> None:
    record = played(language)
    assert placed(record) == number
    assert verify.check(record) == []


def test_record_in_version_1_refuses_lines_of_version_2() -> None:
    """Issue 23, 5."""
    campaign = Campaign.begin(options={"orders.language": "plain"})
    campaign.order("Germany", "Poland gets 5\nPASS")
    campaign.pass_deadline()
    record: dict[str, Any] = export.record(campaign.game, private=True)
    assert placed(record) == 0
    assert verify.check(record) == []
    record["options"]["orders.language"] = "plain_2"
    assert verify.check(record)


def test_record_without_a_language_is_canonical() -> None:
    record = played("canonical")
    del record["options"]["orders.language"]
    differences = [
        difference
        for difference in verify.check(record)
        if "submission" in difference.what or "orders" in difference.what
    ]
    assert differences == []


def test_plain_language_does_not_change_a_canonical_record() -> None:
    """In plain language the line would place 5; in the record's own language it places none."""
    record = played("canonical")
    record["options"]["orders.language"] = "plain"
    assert any("whether submission" in difference.what for difference in verify.check(record))
