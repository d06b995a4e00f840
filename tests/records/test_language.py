"""Records are verified with the order language of their game (contract 3a)."""

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


@pytest.mark.parametrize(("language", "number"), [("canonical", 0), ("plain", 5)])
def test_record_is_verified_in_the_language_of_its_game(language: str, number: int) -> None:
    record = played(language)
    assert placed(record) == number
    assert verify.check(record) == []


def test_plain_language_does_not_change_a_canonical_record() -> None:
    """In plain language the line would place 5; in the record's own language it places none."""
    record = played("canonical")
    record["options"]["orders.language"] = "plain"
    assert any("whether submission" in difference.what for difference in verify.check(record))
