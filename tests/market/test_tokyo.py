"""A Tokyo game by mail: its days, sessions and stocks (rules.md 0.1, `rng.market`)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from games import market
from games.market import bank
from games.models import Phase
from games.rules.markets import MARKETS
from games.turns import load
from tests.inbound.post import answer, send
from tests.support.campaign import Campaign
from tests.support.letters import letter_text
from tests.support.loopback_yahoo import LoopbackYahoo

from .conftest import Ticker

pytestmark = pytest.mark.django_db
#: Just after a lock stops waiting for unread mail that came in time.
MAIL_READ = load.MAIL_PATIENCE + timedelta(seconds=1)


def tokyo(source: str) -> Campaign:
    """Begin a game with placement due Friday 20 November, 8:30 in Tokyo; the 23rd is a holiday."""
    return Campaign.begin(
        datetime(2026, 11, 19, 12, tzinfo=UTC),
        market=source,
        zone="Asia/Tokyo",
        schedule={"every": "trading_morning", "sessions": 1, "time": "08:30"},
        options={"rng.market": "tokyo", "rng.settle": "agreed_readings"},
    )


def attack(campaign: Campaign, stocks: str) -> str:
    """Place for both; attack France in Poland by mail. Return the answer to the attack."""
    send(campaign, campaign.players["Germany"], "PLACE 10 Poland")
    send(campaign, campaign.players["France"], "PLACE 6 Poland")
    campaign.pass_deadline()
    return answer(campaign, campaign.players["Germany"], f"ATTACK Poland: France STOCK {stocks}")


def test_tokyo_game_by_mail_from_begin_to_result(yahoo: LoopbackYahoo) -> None:
    """From the first letter to the result: announced, ordered, locked, read, decided."""
    yahoo.volumes["2026-11-24", "7203.T"] = 21_450_312
    campaign = tokyo("yahoo")
    first = letter_text(campaign.letters("begins", "gustav")[0])
    assert "Tokyo sales as Yahoo reports them; symbols end in .T, such as 7203.T" in first
    assert "Exchange: Tokyo Stock Exchange." in first

    answered = " ".join(attack(campaign, "GE/7203.T").split())
    assert "ATTACK Poland: France STOCK GE/7203.T" in answered
    assert (
        "names GE, but this game uses Tokyo, where symbols end in .T, such as 7203.T:"
        " skipped" in answered
    )

    phase = campaign.phase
    assert phase.deadline == datetime(2026, 11, 23, 23, 30, tzinfo=UTC), (
        "8:30 in Tokyo on the day after the holiday"
    )
    announced = market.announcement(campaign.game, phase.deadline)
    assert (
        announced.sentence
        == "orders lock Tue 08:30 Tokyo; Tuesday's sales decide; the digit is expected Wed"
        " 07:30"
    )
    campaign.wait_until(phase.deadline + MAIL_READ)
    phase.refresh_from_db()
    assert (phase.status, phase.exchange, phase.session, phase.stocks) == (
        Phase.Status.DRAWING,
        "XTKS",
        "2026-11-24",
        ["7203.T"],
    )
    assert (phase.session_opens, phase.session_closes) == (
        datetime(2026, 11, 24, 0, 0, tzinfo=UTC),
        datetime(2026, 11, 24, 6, 30, tzinfo=UTC),
    )
    proof = " ".join(answer(campaign, campaign.players["Germany"], "PROOF").split())
    assert "The sales of Tue 24 Nov are read from Tue 24 Nov, 20:30 UTC;" in proof

    campaign.pass_deadline()
    assert set(yahoo.charts_asked) >= {"7203.T"}
    assert "GE" not in yahoo.charts_asked
    (event,) = [event for event in campaign.resolution(phase).events if event["kind"] == "attack"]
    assert (event["stock"], event["volume"], event["digit"]) == ("7203.T", 21_450_312, 3)


def test_newspaper_game_uses_sessions_of_its_exchange(ticker: Ticker) -> None:
    """Issue 19, 3: the gamesmaster reads a Tokyo newspaper."""
    campaign = tokyo("newspaper")
    attack(campaign, "7203.T")
    campaign.wait_until(campaign.phase.deadline + MAIL_READ)
    phase = campaign.phase
    assert (phase.exchange, phase.session) == ("XTKS", "2026-11-24")
    market.enter_figure(
        phase, "7203.T", 21_450_300, campaign.ada, datetime(2026, 11, 24, 7, tzinfo=UTC)
    )
    campaign.wait_until(datetime(2026, 11, 24, 7, 1, tzinfo=UTC))
    phase.refresh_from_db()
    assert phase.status in (Phase.Status.DRAWING, Phase.Status.RESOLVED)
    assert phase.figures.get(symbol="7203.T").volume == 21_450_300


def test_attack_without_a_stock_uses_the_exchanges_reserve_list(ticker: Ticker) -> None:
    campaign = tokyo("yahoo")
    campaign.attack_in_poland("ATTACK Poland: France")
    phase = campaign.pass_deadline()
    (event,) = [event for event in campaign.resolution(phase).events if event["kind"] == "attack"]
    assert event["stock"] == bank.usual(MARKETS["tokyo"])[0]
