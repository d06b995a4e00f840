"""Tampering with a record that has rulings of every kind is detected (contract.md 5; issue 5.2)."""

from __future__ import annotations

import contextlib
import copy
import random
from datetime import timedelta
from typing import Any

import pytest

from games.models import Ruling
from games.rules.ruling_kinds import KINDS
from games.rules.verification import verify
from games.rules.verification.record import RecordError
from games.turns import rulings
from tests.records import played
from tests.records.forging import BOUND_BY_LETTERS, BOUND_BY_NOTHING, Path, field, is_listed
from tests.records.test_verify import at, changed, places
from tests.support.campaign import Campaign
from tests.support.examples import WHOLE, sample

Tree = dict[str, Any]
pytestmark = pytest.mark.django_db

GERMANY = {"nation": "Germany", "line": 1}
ON_ATTACKS: tuple[tuple[str, Tree], ...] = (
    ("orders", {"nation": "France", "text": None}),
    ("orders", {"nation": "Germany", "text": "ATTACK Poland: France STOCK F"}),
    ("digit", {"stock": "F", "volume": 700}),
    ("digit", {"stock": "GE", "volume": None}),
    ("digit", {"stock": "AX", "volume": 5_412_300}),
    ("result", {**GERMANY, "result": "D"}),
    ("position", {"cells": {"Poland": {"Germany": {"pf": 9}, "France": {}}}}),
    ("counter", {"nation": "Germany", "area": "Italy", "counter": "understanding", "given": True}),
    ("points", {"nation": "Germany", "points": 4}),
    ("option", {"option": "ow2.x_attacker_loss", "value": "all"}),
    ("again", {}),
)


def rule(campaign: Campaign, number: int, kind: str, what: Tree) -> Ruling:
    campaign.now += timedelta(seconds=7)
    made = rulings.rule(
        campaign.game.phases.get(number=number),
        kind,
        what,
        "The newspaper.",
        campaign.ada,
        campaign.now,
    )
    campaign.game.refresh_from_db()
    return made


@pytest.fixture(scope="module")
def ruled(django_db_setup: None, django_db_blocker: Any) -> Tree:
    """Return a record with every kind of ruling, three revocations and a rollback."""
    with played.rolled_back(django_db_blocker):
        campaign = played.begin()
        played.first_turn(campaign)
        made = [rule(campaign, 2, kind, what) for kind, what in ON_ATTACKS]
        late = campaign.game.submissions.get(late=True)
        rule(campaign, 1, "orders", {"nation": "Britain", "submission": late.number})
        first = rule(campaign, 2, "revoke", {"ruling": made[5].number})
        rule(campaign, 2, "revoke", {"ruling": made[8].number})
        rule(campaign, 2, "revoke", {"ruling": first.number})
        campaign.order("Germany", "PLACE 2 Austria")
        rule(campaign, 2, "rollback", {})
        campaign.order("Germany", "ATTACK Poland: France STOCK GE")
        campaign.pass_deadline()
        played.rest(campaign)
        assert campaign.game.status == "finished"
        return played.whole_record(campaign)


def test_record_contains_the_cases_to_verify(ruled: Tree) -> None:
    assert verify.check(ruled) == []
    others = {
        "alliance",
        "controller",
    }  # only in games with alliances or with nations nobody plays
    assert {row["kind"] for row in ruled["rulings"]} == set(KINDS) - others
    assert {phase["status"] for phase in ruled["phases"]} == {"resolved", "undone"}
    assert max(len(phase["resolutions"]) for phase in ruled["phases"]) > 10


def test_change_of_any_provable_value_is_detected(ruled: Tree) -> None:
    """Rulings, their ties to phases, and a sample of the rest: three values of each field, in a
    soak all."""
    chance = random.Random(5)
    keys = (
        "rulings",
        "previous",
        "undone_by",
        "status",
        "ruling",
        "after_ruling",
        "version",
        "what",
        "words",
        "reason",
        "revokes",
        "made",
    )
    missed = set()
    values: dict[str, list[Path]] = {}
    for path in places({"rulings": ruled["rulings"], "phases": ruled["phases"]}):
        if set(path) & set(keys) or chance.random() <= (0.08 if WHOLE else 0.03):
            values.setdefault(field(path), []).append(path)
    for path in (path for paths in values.values() for path in sample(paths, 3)):
        tree = copy.deepcopy(ruled)
        at(*path, by=changed)(tree)
        try:
            difference = next(verify.differences(tree), None)
        except RecordError:
            continue
        if difference is None:
            missed.add(field(path))
    late = "phases.*.submissions.*.late"  # orders for an undone phase are late, too
    assert {
        name for name in missed - {late} if not is_listed(name, BOUND_BY_LETTERS | BOUND_BY_NOTHING)
    } == set()


@pytest.mark.parametrize("key", ["rulings", "previous", "undone_by", "ruling", "after_ruling"])
def test_removed_tie_between_ruling_and_phase_is_detected(ruled: Tree, key: str) -> None:
    tree = copy.deepcopy(ruled)
    holders = (
        [tree] if key == "rulings" else tree["phases"] if key in ("previous", "undone_by") else []
    )
    holders = holders or [row for phase in tree["phases"] for row in phase["resolutions"]]
    for holder in holders:
        holder.pop(key, None)
    differences: list[Any] = ["it is no record"]
    with contextlib.suppress(RecordError):
        differences = verify.check(tree)
    assert differences


def test_key_that_no_ruling_of_its_kind_has_is_named(ruled: Tree) -> None:
    """A reader would take it for a part of the ruling."""
    for place, row in enumerate(ruled["rulings"]):
        tree = copy.deepcopy(ruled)
        tree["rulings"][place]["what"]["bonus"] = 3
        (found,) = verify.check(tree)
        assert f"the key “rulings[{place}].what.bonus” is recorded as 3" in str(found), row


def test_changed_reason_is_detected(ruled: Tree) -> None:
    for place, row in enumerate(ruled["rulings"]):
        tree = copy.deepcopy(ruled)
        tree["rulings"][place]["reason"] = "Because I like Germany."
        assert verify.check(tree), row  # some kinds are in no report; a record entry covers each


def test_removed_ruling_is_detected(ruled: Tree) -> None:
    """Numbering the others again does not hide it."""
    for place in range(len(ruled["rulings"])):
        tree = copy.deepcopy(ruled)
        del tree["rulings"][place]
        assert verify.check(tree), ruled["rulings"][place]


def test_swapped_rulings_are_detected(ruled: Tree) -> None:
    for place in range(len(ruled["rulings"]) - 1):
        tree = copy.deepcopy(ruled)
        ruling, other = tree["rulings"][place], tree["rulings"][place + 1]
        tree["rulings"][place : place + 2] = [
            {**other, "number": ruling["number"], "made": ruling["made"]},
            {**ruling, "number": other["number"], "made": other["made"]},
        ]
        assert verify.check(tree), ruling
