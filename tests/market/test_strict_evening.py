"""Overnight trading, and the announcement of a draw.

See foundations.md 1.3; rules.md 0.1, `rng.quote_session`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from games.market import Announced, announcement, session_for
from games.models import Game, MarketClosure, Person
from games.rules import options

NEW_YORK = ZoneInfo("America/New_York")
pytestmark = pytest.mark.django_db


def ny(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


def a_game(
    market: str = "yahoo",
    zone: str = "America/New_York",
    strict_evening: bool = False,
    **chosen: object,
) -> Game:
    ada = Person.objects.at("ada@games.test")
    return Game(
        market=market,
        zone=zone,
        schedule={},
        strict_evening=strict_evening,
        options=options.validate(chosen),
        opened_by=ada,
    )


def said(deadline: str, **given: object) -> str:
    return announcement(a_game(**given), ny(deadline)).sentence  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lock", "usual", "strict"),
    [
        ("2026-11-24 09:00", "2026-11-24", "2026-11-25"),
        ("2026-11-23 19:59:59", "2026-11-24", "2026-11-24"),
        ("2026-11-23 20:00:00", "2026-11-24", "2026-11-25"),
        ("2026-11-27 19:00", "2026-11-30", "2026-11-30"),
        ("2026-11-29 20:00", "2026-11-30", "2026-12-01"),
        ("2026-11-25 12:00", "2026-11-27", "2026-11-27"),
        ("2026-03-08 19:30", "2026-03-09", "2026-03-09"),
        ("2026-11-01 20:00", "2026-11-02", "2026-11-03"),
    ],
)
def test_strict_evening_skips_a_session_with_overnight_trading_at_the_lock(
    lock: str, usual: str, strict: str
) -> None:
    """foundations.md 1.3: trades from 20:00 on are the next day's, also around holidays."""
    assert session_for(a_game(), ny(lock)).label == usual
    assert session_for(a_game(strict_evening=True), ny(lock)).label == strict


@pytest.mark.parametrize(
    ("market", "lock", "label"),
    [
        ("london", "2026-11-23 19:59", "2026-11-24"),  # 20:00 in London
        ("london", "2026-11-23 20:00", "2026-11-25"),
        ("london", "2026-10-25 19:59", "2026-10-26"),  # the clocks went back that morning
        ("london", "2026-10-25 20:00", "2026-10-27"),
        ("tokyo", "2026-11-24 10:59", "2026-11-25"),  # 20:00 in Tokyo is 11:00 UTC
        ("tokyo", "2026-11-24 11:00", "2026-11-26"),
    ],
)
def test_strict_evening_uses_the_exchanges_clock(market: str, lock: str, label: str) -> None:
    """rng.market: a strict evening begins at 20:00 on the exchange's clock. Times are UTC."""
    game = a_game(strict_evening=True, **{"rng.market": market})
    assert session_for(game, datetime.fromisoformat(lock).replace(tzinfo=UTC)).label == label


def test_strict_evening_does_not_affect_demo_games() -> None:
    assert session_for(a_game(strict_evening=True), ny("2026-11-24 09:00")).label == "2026-11-25"
    lock = ny("2026-11-24 09:00")
    assert session_for(a_game("demo", strict_evening=True), lock) == session_for(
        a_game("demo"), lock
    )


def test_announcement_of_a_deadline_before_the_opening() -> None:
    """Issue 3, sessions: two agreeing readings, from 06:00, two hours apart."""
    assert (
        said("2026-11-24 09:00")
        == "orders lock Tue 09:00 New York; Tuesday's sales decide; the digit is expected Wed 08:00"
    )


def test_announcement_has_session_and_settled_reading() -> None:
    announced = announcement(a_game(), ny("2026-11-24 09:00"))
    assert isinstance(announced, Announced)
    assert announced.session is not None
    assert (announced.session.label, announced.expected) == ("2026-11-24", ny("2026-11-25 08:00"))


def test_early_close_moves_the_announced_hour() -> None:
    """rng.quote_session: the reading moves with the close of the short Friday."""
    assert (
        said("2026-11-25 12:00")
        == "orders lock Wed 12:00 New York; Friday's sales decide; the digit is expected Sat 05:00"
    )


def test_announcement_shows_both_time_zones() -> None:
    start = "orders lock Tue 14:00 London (09:00 New York); Tuesday's sales decide"
    assert said("2026-11-24 09:00", zone="Europe/London").startswith(start)
    across = announcement(a_game(zone="Asia/Tokyo"), ny("2026-11-23 18:00")).sentence
    assert across == (
        "orders lock Tue 08:00 Tokyo (Mon 18:00 New York); Tuesday's sales decide; the digit is"
        " expected Wed 08:00 New York"
    )


@pytest.mark.parametrize(
    ("market", "zone", "sentence"),
    [
        (
            "tokyo",
            "Asia/Tokyo",
            "orders lock Tue 08:30 Tokyo; Tuesday's sales decide; the digit is expected Wed 07:30",
        ),
        (
            "tokyo",
            "Europe/Berlin",
            (
                "orders lock Tue 00:30 Berlin (08:30 Tokyo); Tuesday's sales decide; the digit is"
                " expected Wed 07:30 Tokyo"
            ),
        ),
        (
            "xetra",
            "Europe/Berlin",
            (
                "orders lock Tue 00:30 Frankfurt; Tuesday's sales decide; the digit is expected Wed"
                " 09:30"
            ),
        ),
    ],
)
def test_announcement_names_the_city_of_the_exchange(market: str, zone: str, sentence: str) -> None:
    chosen: dict[str, object] = {"rng.market": market}
    game = a_game("yahoo", zone, False, **chosen)
    words = announcement(game, datetime(2026, 11, 23, 23, 30, tzinfo=UTC)).sentence
    assert words == sentence


@pytest.mark.parametrize(
    ("market", "zone", "hour", "start"),
    [
        ("yahoo", "America/New_York", "05:30", "orders lock Sun 01:30 New York (05:30 UTC);"),
        ("yahoo", "America/New_York", "06:30", "orders lock Sun 01:30 New York (06:30 UTC);"),
        ("yahoo", "America/New_York", "07:30", "orders lock Sun 02:30 New York;"),
        ("demo", "America/New_York", "06:30", "orders lock Sun 01:30 New York (06:30 UTC);"),
        (
            "yahoo",
            "America/Chicago",
            "07:30",
            "orders lock Sun 01:30 Chicago (02:30 New York, 07:30 UTC);",
        ),
        ("yahoo", "America/Denver", "06:30", "orders lock Sun 00:30 Denver (01:30 New York);"),
    ],
)
def test_announced_lock_in_the_repeated_hour_has_utc(
    market: str, zone: str, hour: str, start: str
) -> None:
    """Issue 41, 14: 01:30 comes twice in New York on 1 November 2026."""
    lock = datetime.fromisoformat(f"2026-11-01T{hour}+00:00")
    assert announcement(a_game(market, zone), lock).sentence.startswith(start)


def test_grace_hours_move_the_announced_lock_past_the_opening() -> None:
    """orders.grace_hours: the session after the lock, not after the deadline."""
    assert "Wednesday's sales decide" in said("2026-11-24 09:00", **{"orders.grace_hours": 2})


def test_a_first_reading_is_announced_as_provisional() -> None:
    """rng.settle = first_reading."""
    sentence = said("2026-11-24 09:00", **{"rng.settle": "first_reading"})
    assert sentence.endswith(
        "Tuesday's sales decide; the digit is expected 16:20, provisional as it is"
    )


def test_announcement_includes_an_entered_closure() -> None:
    MarketClosure.objects.create(day=ny("2026-11-24 00:00").date(), reason="A day of mourning")
    assert "Wednesday's sales decide" in said("2026-11-24 09:00")


@pytest.mark.parametrize(
    ("given", "end"),
    [
        ({"market": "newspaper"}, "the gamesmaster enters them from a newspaper"),
        ({"rng.source": "gm_dice"}, "the gamesmaster's own rolls decide"),
        (
            {"rng.source": "commit_reveal"},
            "the seed whose hash was published when the phase opened decides, at once",
        ),
        ({"market": "demo"}, "the DEMO session right after it decides"),
    ],
)
def test_every_other_source_has_its_own_announcement(given: dict[str, str], end: str) -> None:
    assert said("2026-11-24 09:00", **given).endswith(end)


def test_demo_announcement_uses_the_games_zone_and_seconds_only_for_minutes() -> None:
    lock = ny("2026-11-24 09:00")
    game = a_game("demo", zone="Europe/London")
    assert announcement(game, lock).sentence.startswith("orders lock Tue 14:00 London; the DEMO")
    game.schedule = {"every": "minutes", "minutes": 5}
    assert announcement(game, lock).sentence == (
        "orders lock 14:00:00 London; the DEMO session of 14:00:06 decides; the digit is expected"
        " 14:00:08"
    )
