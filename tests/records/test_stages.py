"""A phase of a record says no more than can be known at its stage (docs/fairness.md).

No hash covers the rest, so that anybody could write there who missed, or held which seat.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from games.evidence import export
from games.rules.verification import verify
from tests.records import played
from tests.records.test_verify import at
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db
Tree = dict[str, Any]


@pytest.fixture
def running() -> Tree:
    """Return the private record of a game whose second phase is open."""
    campaign = Campaign.begin()
    campaign.pass_deadline()
    return played.whole_record(campaign)


def found(tree: Tree) -> Iterator[str]:
    return map(str, verify.differences(tree))


def test_open_phase_without_anything_of_a_lock_verifies(running: Tree) -> None:
    assert [phase["status"] for phase in running["phases"]] == ["resolved", "open"]
    assert list(found(running)) == []


@pytest.mark.parametrize(
    ("key", "said", "sentence"),
    [
        ("holders", {"Germany": [7]}, "the list of who held the seats"),
        ("teams", {"Germany": [1, 2]}, "the list of teams"),
        ("missed", ["France"], "the list of those who sent nothing"),
        ("digest", "f" * 64, "the digest"),
        ("seed", "f" * 64, "the seed"),
    ],
)
def test_open_phase_that_says_what_only_a_lock_can_is_a_difference(
    running: Tree, key: str, said: object, sentence: str
) -> None:
    running["phases"][1][key] = said
    assert next(found(running)).startswith(f"Phase 2 (turn 1, attacks): {sentence} is recorded as")


def test_open_phase_called_closed_is_a_difference(running: Tree) -> None:
    running["phases"][1]["status"] = "approval"
    assert next(found(running)) == (
        "Phase 2 (turn 1, attacks): the status is recorded as “approval”, but should be “open or"
        " held”."
    )


@pytest.mark.parametrize("status", ["open", "held", "locked"])
def test_judged_phase_called_unjudged_is_a_difference(whole: Tree, status: str) -> None:
    tree = copy.deepcopy(whole)
    at("phases", 0, "status", be=status)(tree)
    assert "the status is recorded as" in next(found(tree))
    assert "but should be “resolved”" in next(found(tree))


def test_public_record_of_a_running_game_has_nothing_of_a_lock_in_its_open_phase() -> None:
    campaign = Campaign.begin()
    campaign.pass_deadline()
    tree: Tree = json.loads(export.text(export.record(campaign.game, private=False)))
    assert list(found(tree)) == []
