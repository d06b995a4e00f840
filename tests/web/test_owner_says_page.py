"""The order page asks owners what a partial loss takes first (K17; ow2.u_loss = owner_says)."""

from __future__ import annotations

import pytest
from django.urls import reverse

from games.evidence import export
from games.rules.verification import verify
from tests.support.campaign import Campaign
from tests.web.conftest import Browser, Watch

pytestmark = pytest.mark.django_db
LINE = "LOSE UNDERSTANDING FIRST"


@pytest.mark.parametrize(("value", "told"), [("owner_says", True), ("pf_first", False)])
def test_order_page_explains_the_loss_line_only_if_it_is_allowed(
    value: str, told: bool, watch: Watch, as_: Browser
) -> None:
    campaign = Campaign.begin(options={"ow2.u_loss": value})
    campaign.pass_deadline()
    campaign.order("France", f"{LINE} ALL\nPASS")
    watch.set(campaign.now)
    page = as_("felix").read(reverse("orders", args=[campaign.game.pk, campaign.seat("France").pk]))
    assert (f"<code>{LINE} Poland</code>" in page) == told
    assert ("takes the same first for everybody" in page) != told
    campaign.pass_deadline()
    assert not list(verify.check(export.record(campaign.game, private=True)))
