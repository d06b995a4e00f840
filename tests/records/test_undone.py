"""Which phases stand follows from the rulings and the order in which phases opened (contract.md 5).

A forger recomputes every hash, so that only what follows is found from the record.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from games.rules.verification import verify
from games.turns import rulings
from tests.records import played
from tests.records.forging import recomputed
from tests.records.test_verify import at

pytestmark = pytest.mark.django_db
Tree = dict[str, Any]


def found(tree: Tree) -> str:
    return str(next(verify.differences(recomputed(tree)), ""))


def test_phases_undone_restored_and_undone_again_verify(turned: Tree) -> None:
    standing = [(row["number"], row["status"], row["undone_by"]) for row in turned["phases"]]
    assert standing == [
        (1, "resolved", None),
        (2, "undone", 3),
        (3, "undone", 2),
        (4, "undone", 3),
        (5, "open", None),
    ]
    assert found(copy.deepcopy(turned)) == ""


@pytest.mark.parametrize(("phase", "ruling"), [(2, 1), (2, 2), (3, 1), (3, 3), (4, 2)])
def test_phase_said_to_be_undone_by_another_ruling_is_a_difference(
    turned: Tree, phase: int, ruling: int
) -> None:
    tree = copy.deepcopy(turned)
    at("phases", phase - 1, "undone_by", be=ruling)(tree)
    assert f"Phase {phase} " in found(tree)
    assert f"undone it is recorded as {ruling}, but should be" in found(tree)


def test_rollback_said_to_be_of_another_phase_is_a_difference(turned: Tree) -> None:
    """The phase after it has the same turn, and was undone, too."""
    tree = copy.deepcopy(turned)
    at("rulings", 2, "phase", be=1)(tree)
    at("rulings", 2, "words", by=lambda words: words.replace("attacks", "placement"))(tree)
    assert "the ruling that has undone it is recorded as nothing, but should be 3" in found(tree)


def test_revocation_said_to_be_of_another_ruling_or_phase_is_a_difference(turned: Tree) -> None:
    tree = copy.deepcopy(turned)
    at("rulings", 1, "what", be={"ruling": 3})(tree)
    assert 'what ruling 2 revokes is recorded as {"ruling": 3}, but should be' in found(tree)
    tree = copy.deepcopy(turned)
    at("rulings", 1, "phase", be=2)(tree)
    assert "the phase of ruling 2 is recorded as 2, but should be 1" in found(tree)


def test_phase_that_a_rollback_opened_and_another_ruling_undid_cannot_be_left_out() -> None:
    """Nothing was played upon it, and its number was the last."""
    campaign = played.turned()
    campaign.now += played.MINUTE
    made = campaign.game.rulings.get(number=3)
    rulings.revoke(made, "No slip.", campaign.ada, campaign.now)
    tree = played.whole_record(campaign)
    assert (tree["phases"][-1]["status"], found(copy.deepcopy(tree))) == ("undone", "")
    del tree["phases"][-1]
    assert "the phase that ruling 3 opened again is recorded as nothing" in found(tree)


def test_open_phase_that_is_left_out_is_a_difference(turned: Tree) -> None:
    tree = copy.deepcopy(turned)
    del tree["phases"][-1]
    assert "the phase that ruling 3 opened again is recorded as nothing" in found(tree)


def test_only_phase_that_is_left_out_is_a_difference() -> None:
    """The game would look as if it had never begun."""
    tree = played.whole_record(played.begin())
    assert verify.check(tree) == []
    tree["phases"] = []
    assert "the phase that comes next is recorded as nothing" in found(tree)


def test_running_game_said_to_be_forming_is_a_difference(turned: Tree) -> None:
    tree = copy.deepcopy(turned)
    at("status", be="forming")(tree)
    assert found(tree).startswith("whether the game has begun, by its status, is recorded as false")
