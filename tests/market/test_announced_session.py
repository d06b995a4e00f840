"""The announced deadline fixes the session, however late the lock (rules.md 0.1; promise 3)."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from games import market
from games.desk import closures, session_changes
from games.market import Report
from games.models import MarketClosure, Phase
from games.timing import schedule
from tests.support.campaign import Campaign

from .conftest import Ticker

NEW_YORK = ZoneInfo("America/New_York")
pytestmark = pytest.mark.django_db


def ny(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


def attacking(**given: Any) -> Campaign:
    """Begin a game whose attacks, one on GE, are due Tuesday 17 November, 09:00."""
    rule = {"every": "trading_morning", "sessions": 1, "time": "09:00"}
    options = {"rng.settle": "agreed_readings", **given.pop("options", {})}
    campaign = Campaign.begin(
        ny("2026-11-15 12:00"), market="yahoo", schedule=rule, options=options, **given
    )
    campaign.place_in_poland()
    assert campaign.phase.deadline == ny("2026-11-17 09:00")
    campaign.order("Germany", "ATTACK Poland: France STOCK GE")
    return campaign


@pytest.mark.parametrize(
    "tick",
    [
        "2026-11-17 09:00",
        "2026-11-17 09:29:59",
        "2026-11-17 09:30",
        "2026-11-17 17:00",
        "2026-11-19 09:00",
    ],
)
def test_a_late_lock_draws_on_the_announced_session(ticker: Ticker, tick: str) -> None:
    """Otherwise a person who can delay the tick could choose among sessions."""
    campaign = attacking()
    announced = market.announcement(campaign.game, campaign.phase.deadline).session
    campaign.wait_until(ny(tick))
    phase = campaign.phase
    assert (phase.status, phase.locked_at) == (Phase.Status.DRAWING, ny(tick))
    assert market.session_of(phase) == announced
    assert phase.session == "2026-11-17"


def test_phase_locked_two_days_late_is_read_and_published(ticker: Ticker) -> None:
    """rng.settle: hours count from the close, and the second reading still comes 2 hours later."""
    campaign = attacking()
    phase, late = campaign.phase, ny("2026-11-19 09:00")
    campaign.wait_until(late)
    campaign.wait_until(late + timedelta(hours=2))
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED
    assert ticker.asked == [("GE", late), ("GE", late + timedelta(hours=2))]


def test_an_early_lock_draws_on_the_first_session_after_it(ticker: Ticker) -> None:
    """All orders are final: the session follows that instant, not the deadline."""
    rule = {"every": "weekday", "weekday": "friday", "weeks": 1, "time": "09:00"}
    campaign = Campaign.begin(
        ny("2026-11-15 12:00"), market="yahoo", schedule=rule, may_lock_early=True
    )
    campaign.place_in_poland()
    campaign.now = ny("2026-11-23 12:00")
    assert campaign.phase.deadline == ny("2026-11-27 09:00")
    for nation in ("USA", "France", "Britain", "Russia"):
        campaign.order(nation, "PASS", final=True)
    campaign.order("Germany", "ATTACK Poland: France STOCK GE", final=True)
    campaign.wait_until(ny("2026-11-23 12:01"))
    assert (campaign.phase.locked_at, campaign.phase.session) == (
        ny("2026-11-23 12:01"),
        "2026-11-24",
    )


@pytest.mark.parametrize("tick", ["2026-11-17 11:00", "2026-11-18 15:00"])
def test_grace_hours_move_the_announced_session(ticker: Ticker, tick: str) -> None:
    """orders.grace_hours: orders count until Tuesday 11:00, so Wednesday decides."""
    campaign = attacking(options={"orders.grace_hours": 2})
    campaign.order("France", "ATTACK Poland: Germany STOCK KO", at=ny("2026-11-17 10:30"))
    campaign.wait_until(ny(tick))
    assert campaign.phase.session == "2026-11-18"


def test_session_opens_after_every_order_that_counts() -> None:
    """Promise 3, even if the clock that received an order was ahead of the one that locked."""
    campaign = attacking()
    campaign.order("France", "ATTACK Poland: Germany STOCK KO", at=ny("2026-11-17 08:59"))
    phase = campaign.phase
    phase.locked_at = ny("2026-11-16 08:00")
    assert market.session_basis(phase) == ny("2026-11-17 08:59")


def test_late_orders_do_not_move_the_session(ticker: Ticker) -> None:
    """Late orders do not count, and neither does their time."""
    campaign = attacking()
    late = campaign.order("France", "ATTACK Poland: Germany STOCK KO", at=ny("2026-11-17 12:00"))
    assert late.late
    campaign.wait_until(ny("2026-11-18 12:00"))
    assert campaign.phase.session == "2026-11-17"


def test_closure_moves_a_late_lock_to_the_next_session_after_its_deadline(
    ticker: Ticker,
) -> None:
    """rules.md 0.1: the rule of the first session fixes the new one, not the lock's instant."""
    campaign = attacking()
    ticker.says |= dict.fromkeys(("GE", *campaign.game.reserves), Report("later"))
    campaign.wait_until(ny("2026-11-19 09:45"))
    closure, _ = closures.enter(
        "XNYS", date(2026, 11, 17), "A day of mourning", campaign.ada, ny("2026-11-19 10:00")
    )
    MarketClosure.objects.filter(pk=closure.pk).update(confirmed_at=ny("2026-11-19 10:00"))
    closure.refresh_from_db()
    session_changes.fix_again(closure, closure.reason, campaign.ada, ny("2026-11-19 10:00"))
    assert campaign.phase.session == "2026-11-18"


def test_refereed_turn_draws_after_its_referee_report() -> None:
    """A referee report ends its phase long before the deadline, so the lock's instant counts."""
    phase = attacking().phase
    phase.deadline, phase.locked_at = schedule.STANDS, ny("2026-11-20 12:00")
    assert market.session_basis(phase) == ny("2026-11-20 12:00")
