"""`verify` repeats which orders in doubt counted, and finds any other (contract 3a.4)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from games.evidence import export
from games.records import archive
from games.rules import doubts
from games.rules.verification import verify
from games.rules.verification.difference import Difference
from tests.support.campaign import Campaign, person

from .forging import recomputed

pytestmark = pytest.mark.django_db
SUBJECT = "the list of orders in doubt that count"
Tree = dict[str, Any]


def played(*orders: str, **options: Any) -> Tree:
    """Return the record of a placement in which Germany sent these orders."""
    campaign = Campaign.begin(options={"orders.language": "plain", **options})
    for text in orders:
        campaign.order("Germany", text)
    campaign.pass_deadline()
    record: Tree = export.record(campaign.game, private=True)
    return record


def forged(record: Tree, change: Callable[[Tree, list[Tree]], None]) -> list[Difference]:
    """Return the differences of a record after a change that recomputes all its hashes."""
    tree = copy.deepcopy(record)
    change(tree, tree["phases"][0]["submissions"])
    return list(verify.check(recomputed(tree)))


def about_doubt(differences: list[Difference]) -> list[Difference]:
    return [difference for difference in differences if difference.what == SUBJECT]


def leave_out(tree: Tree, rows: list[Tree]) -> None:
    rows[:] = [row for row in rows if row["channel"] != doubts.CHANNEL]


def change_text(tree: Tree, rows: list[Tree]) -> None:
    rows[-1]["text"] = "PLACE 4 Austria"


def turn_off(tree: Tree, rows: list[Tree]) -> None:
    tree["options"][doubts.OPTION] = "never"


def write_clearly(tree: Tree, rows: list[Tree]) -> None:
    rows[0] |= {"text": "PLACE 3 Austria", "counts": True}


@pytest.mark.parametrize("change", [leave_out, change_text, turn_off, write_clearly])
def test_verify_finds_an_entry_that_is_left_out_changed_or_not_due(
    change: Callable[[Tree, list[Tree]], None],
) -> None:
    record = played("Also 3 in Austria")
    assert record["phases"][0]["submissions"][-1]["channel"] == doubts.CHANNEL
    assert verify.check(record) == []
    assert about_doubt(forged(record, change))


def test_verify_finds_an_entry_beside_other_orders() -> None:
    record = played("PLACE 5 Poland", "Also 3 in Austria")

    def enter(tree: Tree, rows: list[Tree]) -> None:
        entry = {"number": 3, "seat_number": 3, "channel": doubts.CHANNEL, "counts": True}
        deadline = tree["phases"][0]["deadline"]
        rows.append({**rows[-1], **entry, "text": "PLACE 3 Austria", "received": deadline})

    assert verify.check(record) == []
    assert about_doubt(forged(record, enter))


def test_verify_finds_an_entry_at_another_time() -> None:
    record = played("Also 3 in Austria")

    def backdate(tree: Tree, rows: list[Tree]) -> None:
        rows[-1]["received"] = rows[0]["received"]

    assert any("the time of submission" in found.what for found in forged(record, backdate))


def test_imported_record_keeps_the_question() -> None:
    copied = archive.restore(played("Also 3 in Austria"), person("ada"))
    first, entry = copied.submissions.order_by("number")
    assert first.question is not None
    assert (entry.channel, entry.text) == (doubts.CHANNEL, "\n".join(first.question.lines))
