"""Readings behind figures that no sales decide are listed as the service writes them.

Such figures do not settle from readings, so that the list itself is all there is to check.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from games.rules.verification import verify
from tests.records import played
from tests.records.forging import recomputed
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db


def test_reading_listed_twice_or_not_at_all_behind_a_digit_of_the_seed_is_a_difference() -> None:
    campaign = Campaign.begin(options={"rng.source": "commit_reveal"})
    campaign.attack_in_poland("ATTACK Poland: France STOCK GE")
    campaign.pass_deadline()
    whole: dict[str, Any] = played.whole_record(campaign)
    assert verify.check(whole) == []
    (phase,) = [phase for phase in whole["phases"] if phase["figures"]]
    place = whole["phases"].index(phase)
    for listed in ([1, 1], []):
        tree = copy.deepcopy(whole)
        tree["phases"][place]["figures"][0]["readings"] = listed
        found = str(next(verify.differences(recomputed(tree)), ""))
        assert f"behind the figure of ROLL-1 is recorded as {listed}, but should be" in found
