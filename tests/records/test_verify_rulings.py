"""A tampered record with rulings of every kind is found out (contract.md 5; issue 5.2)."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from games.evidence import export
from games.models import Ruling
from games.rules.rulings import KINDS
from games.rules.verification import verify
from games.rules.verification.record import RecordError
from games.turns import rulings
from tests.records import played
from tests.records.forging import BOUND_BY_LETTERS, BOUND_BY_NOTHING, field, is_listed
from tests.records.test_verify import at, changed, places
from tests.support.campaign import Campaign
from tests.support.examples import WHOLE

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
    """Rulings of every kind, two revoked, a revocation revoked, a game turned back."""
    with (
        django_db_blocker.unblock(),
        pytest.MonkeyPatch.context() as monkeypatch,
        transaction.atomic(),
    ):
        played.short_card(monkeypatch)
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
        tree: Tree = json.loads(export.text(export.record(campaign.game, private=True)))
        transaction.set_rollback(True)
    return tree


def test_the_record_has_what_it_is_to_prove(ruled: Tree) -> None:
    assert verify.check(ruled) == []
    others = {
        "alliance",
        "controller",
    }  # of games with alliances, and of those with nations that nobody holds
    assert {row["kind"] for row in ruled["rulings"]} == set(KINDS) - others
    assert {phase["status"] for phase in ruled["phases"]} == {"resolved", "undone"}
    assert max(len(phase["resolutions"]) for phase in ruled["phases"]) > 10


def test_no_value_that_can_be_proved_can_be_changed(ruled: Tree) -> None:
    """Every value of the rulings and the phases' ties to them; of the rest a choice."""
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
    for path in places({"rulings": ruled["rulings"], "phases": ruled["phases"]}):
        if not set(path) & set(keys) and chance.random() > (0.08 if WHOLE else 0.03):
            continue
        tree = copy.deepcopy(ruled)
        at(*path, by=changed)(tree)
        try:
            found = next(verify.differences(tree), None)
        except RecordError:
            continue
        if found is None:
            missed.add(field(path))
    late = "phases.*.submissions.*.late"  # the phase may have been undone when they came
    assert {
        name for name in missed - {late} if not is_listed(name, BOUND_BY_LETTERS | BOUND_BY_NOTHING)
    } == set()


@pytest.mark.parametrize("key", ["rulings", "previous", "undone_by", "ruling", "after_ruling"])
def test_what_ties_a_ruling_to_the_phases_cannot_be_taken_out(ruled: Tree, key: str) -> None:
    tree = copy.deepcopy(ruled)
    holders = (
        [tree] if key == "rulings" else tree["phases"] if key in ("previous", "undone_by") else []
    )
    holders = holders or [row for phase in tree["phases"] for row in phase["resolutions"]]
    for holder in holders:
        holder.pop(key, None)
    found: list[Any] = ["it is no record"]
    with contextlib.suppress(RecordError):
        found = verify.check(tree)
    assert found


def test_a_reason_that_reports_tell_is_proved(ruled: Tree) -> None:
    for place, row in enumerate(ruled["rulings"]):
        tree = copy.deepcopy(ruled)
        tree["rulings"][place]["reason"] = "Because I like Germany."
        assert verify.check(tree), (
            row
        )  # no report tells that of some kinds: an entry of the record hash covers each


def test_each_ruling_left_out_is_missed(ruled: Tree) -> None:
    """And numbering the others anew does not hide it."""
    for place in range(len(ruled["rulings"])):
        tree = copy.deepcopy(ruled)
        del tree["rulings"][place]
        assert verify.check(tree), ruled["rulings"][place]


def test_rulings_cannot_change_places(ruled: Tree) -> None:
    for place in range(len(ruled["rulings"]) - 1):
        tree = copy.deepcopy(ruled)
        one, other = tree["rulings"][place], tree["rulings"][place + 1]
        tree["rulings"][place : place + 2] = [
            {**other, "number": one["number"], "made": one["made"]},
            {**one, "number": other["number"], "made": other["made"]},
        ]
        assert verify.check(tree), one
