"""Seat small teams for France and Germany, as in the classroom of F1."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from games import desk
from games.models import Person
from orders.intake import ledger
from orders.models import Submission
from tests.support.campaign import MONDAY, Campaign, person
from tests.support.stored import stored

#: Members of each team by first name, in the order in which they join.
TEAMS = {"France": ("felix", "flora", "fred"), "Germany": ("gustav", "greta")}


def begin(rule: str, now: datetime = MONDAY, **given: Any) -> Campaign:
    """Start a campaign whose teams follow `ow2.team` = rule."""

    def begun() -> Campaign:
        options = {"ow2.team": rule, **given.pop("options", {})}
        campaign = Campaign.open(now, options=options, **given)
        for nation, names in TEAMS.items():
            for name in names[1:]:
                join(campaign, nation, name, now)
        desk.start(campaign.game, now)
        campaign.game.refresh_from_db()
        return campaign

    return stored(("teams begin", rule, now, repr(given)), begun)


def join(campaign: Campaign, nation: str, name: str, now: datetime) -> Person:
    """Invite a person into a team and accept."""
    seat, who = campaign.seat(nation), person(name)
    desk.accept(desk.invite(seat, who.email, campaign.ada, now, joins=True), who, now)
    return who


def order(
    campaign: Campaign,
    name: str,
    nation: str,
    text: str,
    *,
    at: datetime | None = None,
    final: bool = False,
) -> Submission:
    """Send orders by page as a member of a team."""
    return ledger.receive(
        campaign.seat(nation),
        text,
        ledger.Arrival("web", person(name), at or campaign.now),
        final=final,
    )
