"""Stage practice games of guests, for pictures: just begun, and with judged attacks."""

from __future__ import annotations

from datetime import datetime, timedelta

from games import positions
from games.desk import practice
from tests.support.campaign import Campaign, person


def begun(now: datetime) -> Campaign:
    """Stage a guest's game in its first phase, with nothing sent."""
    guest = practice.new_guest("192.0.2.1", now)
    game = practice.begin(guest, "Britain", now)
    game.refresh_from_db()
    return Campaign(game, now, person("ada"), {"Britain": guest})


def judged(now: datetime) -> Campaign:
    """Stage another guest's game after its first placement and attacks."""
    campaign = begun(now - timedelta(hours=5))
    for _ in range(2):
        state = positions.state_of(campaign.phase)
        campaign.order("Britain", campaign.game.rules.bot.orders(state, "Britain", "practice"))
        campaign.pass_deadline()
    campaign.now = now
    return campaign
