"""Stage a class that plays, and scenarios that a person typed in, for pictures."""

from __future__ import annotations

from datetime import datetime

from games import desk
from games.desk import classroom, presets, roster, scenarios
from games.models import Scenario
from games.rules import cards
from tests.support.campaign import NATIONS, Campaign, person

PUPILS = (
    "Anna Berg, France\nBen Cole, France\nCara Diaz, France\nDan Evans, cara@example.org,"
    " France\nEva Fox\nFinn Gray\nGrace Hall\nHugo Ives\nIda Jones\nJack Kent\nKim Lee\nLena Moss"
)


def school(now: datetime) -> Campaign:
    """Stage the first phase of a class: pupils with codes in five teams."""
    campaign = Campaign.open(
        now,
        title="History, form 10b",
        seats=dict.fromkeys(NATIONS, ""),
        options=presets.presets()["classroom"].options,
        public=False,
    )
    pupils = roster.deal_teams(
        roster.read_list(PUPILS, NATIONS), NATIONS, presets.printed_teams(), {}
    )
    classroom.seat_class(campaign.game, pupils, person("ada"), now)
    desk.start(campaign.game, now)
    campaign.game.refresh_from_db()
    return campaign


def scenario(now: datetime) -> Scenario:
    """Stage a shared scenario of Felix and return one of Ada's."""
    card = cards.load("origins-ww2", "historical")
    theirs = scenarios.keep(
        person("felix"),
        "origins-ww2",
        {**card, "title": "A quiet Balkans", "name": "quiet", "note": "Made up."},
        now,
    )
    scenarios.share(theirs, True, person("felix"))
    note = "From the club’s sheet of 1974, with its two misprints put right."
    return scenarios.keep(
        person("ada"),
        "origins-ww2",
        {**card, "title": "The club’s sheet", "name": "club", "note": note},
        now,
    )
