"""The proof of a phase that does not count, or has not been judged, promises nothing untrue."""

from __future__ import annotations

import pytest

from games import desk
from games.letters import proofs
from games.rules.digits import volume_of_roll
from games.turns import rulings
from tests.support.campaign import Campaign

from .conftest import Browser, Watch
from .test_proof_page import address, judged, locked, sentences, shown

pytestmark = pytest.mark.django_db


def test_proof_of_an_undone_phase_says_that_it_does_not_count(
    as_: Browser, campaign: Campaign, watch: Watch
) -> None:
    """A rollback draws new digits, and says so (docs/fairness.md)."""
    phase = judged(campaign, watch)
    assert "was undone" not in shown(as_("ada"), address(phase))
    rulings.rule(phase, "rollback", {}, "A slip.", campaign.ada, campaign.now)
    page = sentences(shown(as_("ada"), address(phase)))
    assert "This phase was undone by ruling 1 . Its digits stay readable but do not count." in page


@pytest.mark.parametrize("closed", [True, False])
def test_proof_of_a_phase_that_nobody_judged_promises_nothing(
    as_: Browser, campaign: Campaign, watch: Watch, closed: bool
) -> None:
    """Its game was abandoned: no orders close and no figure comes any more."""
    phase = locked(campaign, watch) if closed else campaign.phase
    assert "When orders close" in shown(as_("ada"), address(phase)) or closed
    desk.abandon(campaign.game, "We moved away.", campaign.ada, campaign.now)
    page = sentences(shown(as_("ada"), address(phase)))
    assert "Never judged: the game was abandoned before" in page
    assert ("This phase was never judged" if closed else "Orders never closed") in page
    for promise in ("Orders are due", "When orders close", "appear here once"):
        assert promise not in page


def test_proof_by_mail_says_whether_the_gamesmaster_has_rolled() -> None:
    """PROOF answers about the phase that closed last, which may be judged (rng.source)."""
    campaign = Campaign.begin(options={"rng.source": "gm_dice"})
    campaign.attack_in_poland("ATTACK Poland: France STOCK GE")
    phase = campaign.phase
    campaign.wait_until(phase.deadline)
    phase.refresh_from_db()
    assert proofs.other_source(phase) == (
        "The gamesmaster now rolls the digits, one by one and in order."
    )
    rulings.rule(
        phase,
        "digit",
        {"stock": "ROLL-1", "volume": volume_of_roll(7)},
        "7.",
        campaign.ada,
        campaign.now,
    )
    campaign.wait_until(campaign.now)
    phase.refresh_from_db()
    assert phase.status == phase.Status.RESOLVED
    assert proofs.other_source(phase) == (
        "The gamesmaster rolled the digits, one by one and in order."
    )
