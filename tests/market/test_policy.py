"""When figures are read, and how the announcement words it (rules.md 0.1, `rng.settle`)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from games.market import (
    describe_policy,
    fix_session,
    limits_in_words,
    policy_for,
    policy_of,
)
from games.models import Game, Phase
from games.rules.sessions import Session, demo_session_after, session_on
from games.rules.settling import Policy
from games.timing import local_time

from .conftest import TUESDAY

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def in_berlin(instant: datetime) -> str:
    """Return an instant in the words of a letter to a reader in Berlin."""
    return local_time.brief(instant, "Europe/Berlin", instant)


def game(market: str, **options: Any) -> Game:
    return Game(market=market, options=options)


@pytest.mark.parametrize("market", ["yahoo", "recorded"])
def test_default_policy_needs_two_agreeing_readings(market: str) -> None:
    """foundations.md 1.3: 14 hours after the close, 2 hours apart, 72 hours at most."""
    policy = Policy(
        14 * HOUR, 2 * HOUR, 72 * HOUR, 15 * MINUTE, market="new_york" if market == "yahoo" else ""
    )
    assert (
        policy_of(game(market))
        == policy_of(game(market, **{"rng.settle": "agreed_readings"}))
        == policy
    )


def test_first_reading_policy_reads_20_minutes_after_the_close() -> None:
    """rng.settle = first_reading."""
    assert policy_of(game("yahoo", **{"rng.settle": "first_reading"})) == Policy(
        20 * MINUTE, None, 72 * HOUR, 15 * MINUTE, "new_york"
    )


def test_newspaper_policy_has_no_second_reading_and_no_time_limit() -> None:
    """One typed figure is enough, and the phase waits for it."""
    policy = policy_of(game("newspaper"))
    assert (policy.agree_after, policy.give_up_after) == (None, None)


def test_demo_policy_reads_once_at_the_close() -> None:
    """The option `rng.settle` makes no difference."""
    policy = policy_of(game("demo", **{"rng.settle": "agreed_readings"}))
    assert (policy.first_after_close, policy.agree_after, policy.give_up_after) == (
        timedelta(0),
        None,
        timedelta(0),
    )


def test_policy_hours_come_from_settings(settings: Any) -> None:
    """foundations.md 9: the exact hour is open, so it can change without a code change."""
    settings.MARKET = {
        **settings.MARKET,
        "first_reading_hours": 20.0,
        "agreement_hours": 1.5,
        "give_up_hours": 48.0,
        "retry_minutes": 5.0,
    }
    assert policy_of(game("yahoo")) == Policy(
        20 * HOUR, 90 * MINUTE, 48 * HOUR, 5 * MINUTE, "new_york"
    )


def test_policy_has_market_and_floor_of_the_game() -> None:
    """`rng.market`, `rng.floor`: required only of a publisher that knows listing and median."""
    options = {"rng.market": "london", "rng.floor": 500, "rng.floor_median": 7_000}
    for market in ("yahoo", "tiingo"):
        policy = policy_of(game(market, **options))
        assert (policy.market, policy.floor, policy.floor_median) == ("london", 500, 7_000)
    for market in ("recorded", "newspaper", "demo"):
        policy = policy_of(game(market, **options))
        assert (policy.market, policy.floor, policy.floor_median) == ("", 500, 0)


def test_policy_of_a_phase_is_stored_at_the_lock(settings: Any) -> None:
    """Hours and floor are stored at the lock; later settings affect only later phases."""
    phase = Phase(game=game("yahoo", **{"rng.floor": 10_000, "rng.floor_median": 100_000}))
    fix_session(phase, TUESDAY)
    at_lock = policy_of(phase.game)
    assert phase.policy == at_lock.as_record()
    settings.MARKET = {**settings.MARKET, "first_reading_hours": 20.0}
    phase.game.options["rng.floor"] = 1
    assert policy_for(phase) == at_lock
    wednesday = session_on("XNYS", date(2026, 11, 25))
    assert wednesday is not None
    fix_session(phase, wednesday)  # a closure
    assert policy_for(phase) == at_lock
    assert phase.first_reading_at == wednesday.closes + 14 * HOUR


@pytest.mark.parametrize(
    ("market", "options", "message"),
    [
        (
            "yahoo",
            {"rng.floor": 10_000, "rng.floor_median": 100_000},
            (
                "A stock with fewer than 10,000 shares sold, or a median below 100,000 over the 20"
                " sessions before, has no usable report."
            ),
        ),
        (
            "newspaper",
            {"rng.floor": 10_000, "rng.floor_median": 100_000},
            "A stock with fewer than 10,000 shares sold has no usable report.",
        ),
        (
            "yahoo",
            {"rng.floor_median": 5_000},
            "A stock with a median below 5,000 over the 20 sessions before has no usable report.",
        ),
        (
            "yahoo",
            {"rng.market": "london"},
            (
                "that the source lists on this market count: London Stock Exchange. Any other stock"
                " has no usable report."
            ),
        ),
    ],
)
def test_the_floor_is_announced(market: str, options: dict[str, Any], message: str) -> None:
    """rules.md 0.1, `rng.floor`."""
    assert message in " ".join(limits_in_words(policy_of(game(market, **options))))


def test_game_without_a_floor_announces_none() -> None:
    assert limits_in_words(policy_of(game("newspaper"))) == []


def test_policy_in_words() -> None:
    """The proof says when figures are read, on the reader's clock."""
    first = policy_of(game("yahoo", **{"rng.settle": "first_reading"}))
    assert (
        describe_policy(policy_of(game("yahoo")), TUESDAY, in_berlin)
        == "The sales of Tue 24 Nov are read from Wed 25 Nov, 12:00 Berlin time; a figure counts"
        " once two readings at least 2 hours apart agree, and a"
        " stock without such a figure 72 hours later has no usable report."
    )
    assert (
        describe_policy(first, TUESDAY, in_berlin)
        == "The sales of Tue 24 Nov are read from Tue 24 Nov, 22:20 Berlin time; the first"
        " figure read counts, provisional as it is, and a stock without"
        " such a figure 72 hours later has no usable report."
    )
    assert describe_policy(policy_of(game("newspaper")), TUESDAY, in_berlin) == (
        "The gamesmaster types in the sales of Tue 24 Nov from the newspaper, and the"
        " first figure entered for a stock counts."
    )


def test_demo_policy_in_words_says_demo() -> None:
    """design.md 6: DEMO is shown wherever its figures appear."""
    half_past = demo_session_after(datetime(2026, 11, 24, 10, 5, 29, tzinfo=UTC))
    words = describe_policy(policy_of(game("demo")), half_past, in_berlin)
    assert (
        words == "The sales of the DEMO exchange are made up; its session closes Tue 24 Nov, 11:05"
        " Berlin time, and the figure read then counts."
    )


def test_reading_is_earlier_after_an_early_close() -> None:
    """foundations.md, policy 2: the reading time moves with the actual close."""
    opens = datetime(2026, 11, 27, 14, 30, tzinfo=UTC)
    friday = Session("XNYS", "2026-11-27", opens, opens + 3.5 * HOUR)
    assert "are read from Sat 28 Nov, 09:00 Berlin time" in describe_policy(
        policy_of(game("yahoo")), friday, in_berlin
    )
