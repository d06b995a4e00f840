"""Both clock changes: deadlines in the missing and in the double hour (design 5; issue 10, 2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from games.evidence import export
from games.letters import rendering
from games.models import DeadlineChange, Person, Phase, Resolution
from games.rules.verification import verify
from tests.support.campaign import Campaign

pytestmark = pytest.mark.django_db

#: Zone, local time of every Sunday's deadline, and the instant on the Sunday of the change. A time
#: that does not exist moves forward; of a time that comes twice the first one counts.
CHANGES = {
    "forward in New York": ("America/New_York", "02:30", datetime(2027, 3, 14, 7, 30, tzinfo=UTC)),
    "back in New York": ("America/New_York", "01:30", datetime(2026, 11, 1, 5, 30, tzinfo=UTC)),
    "forward in London": ("Europe/London", "01:30", datetime(2027, 3, 28, 1, 30, tzinfo=UTC)),
    "back in London": ("Europe/London", "01:30", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
    "forward on Lord Howe, by half an hour": (
        "Australia/Lord_Howe",
        "02:15",
        datetime(2026, 10, 3, 15, 45, tzinfo=UTC),
    ),
}
STEP = timedelta(minutes=10)


@pytest.mark.parametrize("change", CHANGES)
def test_deadline_during_a_clock_change_comes_once_at_the_announced_instant(change: str) -> None:
    """Ticks run through the hour before, the hour of the change and the hour after."""
    zone, time, instant = CHANGES[change]
    rule = {"every": "weekday", "weeks": 1, "weekday": "sunday", "time": time}
    campaign = Campaign.begin(instant - timedelta(days=3), zone=zone, schedule=rule)
    phase = campaign.phase
    assert phase.deadline == instant
    there = instant.astimezone(ZoneInfo(zone))  # a local time that exists
    Person.objects.update(zone=zone)
    opened = campaign.letters("opened", "gustav")[0]
    assert f"{there:%H:%M}" in rendering.render(opened).text
    in_time = campaign.order("Germany", "PLACE 10 Poland", at=instant)
    assert in_time.counts
    now = instant - timedelta(hours=2)
    while now < instant:
        campaign.wait_until(now)
        now += STEP
    assert campaign.phase == phase
    while now < instant + timedelta(hours=3):
        campaign.wait_until(now)
        now += STEP
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    assert phase.locked_at is not None
    assert instant <= phase.locked_at < instant + STEP
    assert Resolution.objects.filter(phase=phase).count() == 1
    assert campaign.board()["Poland"]["Germany"].pf == 10
    assert len(campaign.letters("board", "gustav")) == 1
    assert not DeadlineChange.objects.exists()
    following = campaign.phase.deadline.astimezone(ZoneInfo(zone))
    assert following > instant
    assert verify.check(export.record(campaign.game, private=True)) == []
