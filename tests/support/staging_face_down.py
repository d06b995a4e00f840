"""Stage games with counters face down, for pictures: before and after placement."""

from __future__ import annotations

from datetime import datetime

from games import positions
from tests.support.campaign import NATIONS, Campaign


def laying(now: datetime) -> Campaign:
    """Stage the second placement; counters of the first turn have been turned up."""
    campaign = Campaign.begin(
        now, title="The sealed envelopes", options={"ow2.hidden": "face_down"}
    )
    for _ in range(2):
        _sent(campaign)
        campaign.pass_deadline()
    campaign.order("Germany", "PLACE 6 Poland AS 5+1\nPLACE 4 Austria AS 3+1\nBLANKS 2 Rumania")
    return campaign


def lying(now: datetime) -> Campaign:
    """Stage the second attacks; counters lie face down beside those of the first turn."""
    campaign = laying(now)
    campaign.game.title = "The sealed envelopes, opened tomorrow"
    campaign.game.save(update_fields=["title"])
    _sent(campaign, leave_out="Germany")
    campaign.pass_deadline()
    return campaign


def _sent(campaign: Campaign, leave_out: str = "") -> None:
    rules, state = campaign.game.rules, positions.state_of(campaign.phase)
    for nation in NATIONS:
        if nation != leave_out:
            campaign.order(
                nation,
                rules.bot.orders(rules.view(state, nation), nation, f"covered/{nation}"),
            )
