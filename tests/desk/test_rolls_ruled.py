"""Rulings on rolls: digits that no stock has sold (`rng.source`)."""

from __future__ import annotations

import html
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from games import desk
from games.models import Phase
from games.rules.digits import volume_of_roll
from games.turns import rulings
from tests.desk.conftest import Browser, Watch
from tests.support.campaign import Campaign
from tests.support.letters import letter_text

pytestmark = [pytest.mark.django_db, pytest.mark.letters]

REASON = "Read wrongly from the die."


def begin(**given: Any) -> Campaign:
    """Return a game whose attack has been judged by the gamesmaster's roll of 3."""
    campaign = Campaign.begin(options={"rng.source": "gm_dice"}, **given)
    campaign.order("Germany", "PLACE 10 Poland")
    campaign.order("France", "PLACE 6 Poland")
    campaign.pass_deadline()
    campaign.order("Germany", "ATTACK Poland: France")
    phase = campaign.pass_deadline()
    desk.enter_rolls(phase, [3], campaign.ada, campaign.now, "Red die, before witnesses.")
    campaign.wait_until(campaign.now)
    return campaign


def rule(campaign: Campaign) -> None:
    """Rule that the roll is a 5."""
    phase = campaign.game.phases.get(number=2)
    stock = phase.figures.get().symbol
    ruled = {"stock": stock, "volume": volume_of_roll(5)}
    rulings.rule(phase, "digit", ruled, REASON, campaign.ada, campaign.now)


@pytest.fixture
def rolled(watch: Watch) -> Campaign:
    campaign = begin()
    watch.set(campaign.now)
    return campaign


def test_ruling_on_a_roll_asks_for_its_digit_and_speaks_of_no_shares(
    rolled: Campaign, as_: Browser
) -> None:
    """The form said that 1,300 shares had been sold, as which a 3 is stored."""
    address = reverse("desk-ruling-new", args=[rolled.game.pk, 2, "digit"])
    ada = as_("ada")
    page = html.unescape(ada.read(address))
    assert "hares" not in page.replace("shares no", "")
    assert "1,300" not in page
    assert 'data-label="Digit">3<' in page
    stock = ada.get(address).context["form"].decided()[0][0]
    refused = html.unescape(ada.post(address, {"stock": stock, "step": "preview"}).content.decode())
    assert "Enter the digit." in refused
    typed = ada.post(address, {"stock": stock, "hundreds": "12", "step": "preview"})
    assert "“12” is too large. It must be at most 9." in html.unescape(typed.content.decode())
    previewed = ada.post(address, {"stock": stock, "hundreds": "5", "step": "preview"})
    assert f"{stock} counts as 5." in previewed.content.decode()


def test_proof_and_report_tell_a_roll_its_note_and_the_ruling_on_it(
    rolled: Campaign, as_: Browser
) -> None:
    """The note was on no page, and a 3 that a ruling replaced had “settled at 1,300 shares”."""
    proof = reverse("proof", args=[rolled.game.pk, 2])
    gustav = as_("gustav")
    page = html.unescape(gustav.read(proof))
    assert "3, “Red die, before witnesses.”" in page
    assert "1,300" not in page
    assert "Shares sold" not in page
    rule(rolled)
    rolled.wait_until(rolled.now)
    page = html.unescape(gustav.read(proof))
    assert "by a ruling of the gamesmaster; the roll had been 3" in page
    assert "Ruling 1, in place of 3." in page
    assert "1,300" not in page
    assert "1,500" not in page


def test_report_gives_a_roll_as_it_was_ruled() -> None:
    """It gave the digit that the ruling had replaced, beside results of the new one."""
    campaign = begin(approval_hours=2)
    phase = campaign.game.phases.get(number=2)
    assert phase.status == Phase.Status.APPROVAL
    rule(campaign)
    campaign.wait_until(campaign.now + timedelta(hours=3))
    report = letter_text(campaign.letters("board", "gustav")[-1])
    assert "Digit 5" in report
    assert "ruling 1, in place of 3" in report
