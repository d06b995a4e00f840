"""Games from the time when drand's beacon could end a reserve list (issue 26, 9: no longer read).

`tests/records/records/drand.json` is the record of such a game, written by the code of that time.
"""

from __future__ import annotations

import copy
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from games import market
from games.evidence import export
from games.models import Game, Phase
from games.rules.digits import volume_of_roll
from games.rules.verification import checker, record
from games.turns import rulings
from tests.support.campaign import Campaign

RECORD = Path(__file__).parents[1] / "records" / "records" / "drand.json"


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(RECORD.read_text())
    return tree


def test_old_drand_record_verifies_and_names_unchecked_signatures(recorded: dict[str, Any]) -> None:
    follows, sentence = checker.verdict(recorded)
    assert follows
    assert "1 digit of drand’s beacon follows from the signature in the record." in sentence
    assert "Whether drand signed it is not checked here" in sentence


def test_verdict_on_a_record_without_drand_does_not_mention_it() -> None:
    tree = json.loads(RECORD.with_name("version-1.json").read_text())
    assert "drand" not in checker.verdict(tree)[1]


def test_changed_drand_signature_does_not_verify(recorded: dict[str, Any]) -> None:
    tree = copy.deepcopy(recorded)
    (reading,) = [row for row in tree["phases"][1]["readings"] if row["source"] == "drand"]
    reading["raw"]["signature"] = "00" * 48
    reading["hash"] = record.reading_hash(reading)
    follows, sentence = checker.verdict(tree)
    assert not follows
    assert "from drand's signature" in sentence


@pytest.mark.django_db
def test_old_drand_record_is_imported_with_the_same_digit(recorded: dict[str, Any]) -> None:
    call_command("importgame", str(RECORD), stdout=io.StringIO())
    tree = json.loads(json.dumps(export.record(Game.objects.get(), private=True)))
    assert tree["phases"][1]["draws"] == recorded["phases"][1]["draws"]
    assert tree["phases"][1]["readings"] == recorded["phases"][1]["readings"]


@pytest.mark.django_db
def test_phase_that_reaches_drand_waits_for_a_ruling() -> None:
    campaign = Campaign.begin(market="newspaper")
    game = campaign.game
    game.options["rng.reserve_list"] = [*game.reserves[:20], "DRAND-1"]
    game.reserves = game.options["rng.reserve_list"]
    game.save()
    campaign.attack_in_poland("ATTACK Poland: France")
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert phase.session_closes is not None
    campaign.now = phase.session_closes + timedelta(hours=1)
    for stock in game.reserves[:20]:
        market.enter_no_report(phase, stock, campaign.ada, campaign.now)
    for _ in range(6):
        phase.refresh_from_db()
        campaign.wait_until((phase.due_at or campaign.now) + timedelta(seconds=1))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.DRAWING
    (letter,) = campaign.letters("overdue", "ada")
    assert letter.about["stocks"][0][0] == "DRAND-1"
    assert "Rule at the desk which digit counts" in letter.about["stocks"][0][1]
    what = {"stock": "DRAND-1", "volume": volume_of_roll(7)}
    rulings.rule(phase, "digit", what, "A die", campaign.ada, campaign.now)
    campaign.wait_until(campaign.now + timedelta(hours=1))
    (event,) = [row for row in campaign.resolution(phase).events if row["kind"] == "attack"]
    assert (event["stock"], event["digit"]) == ("DRAND-1", 7)
