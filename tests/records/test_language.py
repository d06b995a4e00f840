"""Records are verified with the reading of their time (contract 3a; issue 23, 5)."""

from __future__ import annotations

from typing import Any

import pytest

from games.evidence import export
from games.rules.verification import verify
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db

WORDS = "5 to Poland"


def played(language: str) -> dict[str, Any]:
    """The record of a placement in which Germany writes plain words."""
    campaign = Campaign.begin(options={"orders.language": language})
    campaign.order("Germany", WORDS)
    campaign.pass_deadline()
    record: dict[str, Any] = export.record(campaign.game, private=True)
    return record


def placed(record: dict[str, Any]) -> int:
    board = record["phases"][0]["board"]
    return int(board.get("Poland", {}).get("Germany", {}).get("pf", 0))


@pytest.mark.parametrize(("language", "number"), [("canonical", 0), ("plain", 5)])
def test_a_record_is_verified_in_the_language_that_its_game_was_opened_with(
    language: str, number: int
) -> None:
    record = played(language)
    assert placed(record) == number
    assert verify.check(record) == []


def test_a_record_from_before_there_was_a_choice_is_read_as_canonical() -> None:
    record = played("canonical")
    del record["options"]["orders.language"]
    told = [one for one in verify.check(record) if "submission" in one.what or "orders" in one.what]
    assert told == []


def test_plain_words_do_not_change_what_a_canonical_record_says() -> None:
    """The words of the text would place 5; the record's own language says that they place none."""
    record = played("canonical")
    record["options"]["orders.language"] = "plain"
    assert any("whether submission" in one.what for one in verify.check(record))
