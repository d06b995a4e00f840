"""Records of whole games played by bots verify."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.evidence import export
from games.rules.origins_ww2 import programs
from games.rules.verification import verify
from tests.support.campaign import NATIONS, Campaign

pytestmark = pytest.mark.django_db


@pytest.mark.soak
@pytest.mark.parametrize(
    ("card", "options"),
    [
        ("historical", {}),
        (
            "french-policy",
            {
                "ow2.resolution": "frozen_odds",
                "rng.duplicate_stock": "reserve_always",
                "ow2.tie": "more_control",
            },
        ),
        (
            "british-us-alliance",
            {"ow2.running_score": "hidden", "ow2.u_loss": "u_first", "rng.no_stock": "attack_void"},
        ),
    ],
)
def test_record_of_a_whole_game_verifies(
    card: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = programs.orders
    # Bots draw their play from row numbers, which depend on the tests that ran before; some of
    # those games have no attack.
    monkeypatch.setattr(
        programs,
        "orders",
        lambda state, nation, salt, promises: real(
            state, nation, f"whole games {nation}", promises
        ),
    )
    campaign = Campaign.begin(
        card_name=card,
        options=options,
        seats={"USA": "una@example.org", **dict.fromkeys(NATIONS[1:], "bot")},
    )
    for number in range(12):
        campaign.wait_until(campaign.now)
        campaign.pass_deadline()
        if number == 6:
            assert (
                verify.check(json.loads(export.text(export.record(campaign.game, private=False))))
                == []
            )
    assert campaign.game.status == "finished"
    tree = json.loads(export.text(export.record(campaign.game, private=False)))
    assert [str(difference) for difference in verify.check(tree)] == []
    counts = verify.counts(tree)
    assert (counts.phases, counts.judged, counts.withheld) == (12, 12, 0)
    assert counts.digits > 0, "a game without a single attack proves little"


def test_queries_of_a_record_do_not_grow_with_its_phases() -> None:
    """Except for two, of figures and draws, from the first attack on."""
    campaign = Campaign.begin(
        seats={"USA": "una@example.org", **dict.fromkeys(NATIONS[1:], "bot")},
    )
    counts = []
    for number in range(1, 9):
        campaign.wait_until(campaign.now)
        campaign.pass_deadline()
        if number in (2, 8):
            with CaptureQueriesContext(connection) as queries:
                export.record(campaign.game, private=True, people=True)
            counts.append(len(queries))
    assert counts[1] <= min(counts[0] + 2, 16)
