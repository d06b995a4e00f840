"""Which session decides (rules.md 0.1, `rng.quote_session`; foundations.md 3)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from games.market import MarketError, is_session_day, session_for
from games.models import Game, MarketClosure
from games.rules.sessions import Session, session_on
from tests.support.examples import examples

NEW_YORK = ZoneInfo("America/New_York")
pytestmark = pytest.mark.django_db


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def ny(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


def session_after(
    source: str, lock: datetime, option: str = "first_session_after_lock", market: str = "new_york"
) -> Session:
    return session_for(
        Game(market=source, options={"rng.quote_session": option, "rng.market": market}), lock
    )


@pytest.mark.parametrize(
    ("lock", "label", "closes"),
    [
        ("2026-11-24 09:00:00", "2026-11-24", "16:00"),
        ("2026-11-24 09:29:59", "2026-11-24", "16:00"),
        ("2026-11-24 09:30:00", "2026-11-25", "16:00"),
        ("2026-11-24 09:30:01", "2026-11-25", "16:00"),
        ("2026-11-24 23:30:00", "2026-11-25", "16:00"),
        ("2026-11-25 12:00:00", "2026-11-27", "13:00"),
        ("2026-11-26 09:00:00", "2026-11-27", "13:00"),
        ("2026-11-27 09:00:00", "2026-11-27", "13:00"),
        ("2026-11-27 12:00:00", "2026-11-30", "16:00"),
        ("2026-11-28 09:00:00", "2026-11-30", "16:00"),
        ("2026-11-29 09:00:00", "2026-11-30", "16:00"),
        ("2026-12-24 10:00:00", "2026-12-28", "16:00"),
        ("2026-12-31 18:00:00", "2027-01-04", "16:00"),
        ("2027-07-02 10:00:00", "2027-07-06", "16:00"),
    ],
    ids=[
        "before the bell",
        "one second before the bell",
        "at the bell",
        "one second after the bell",
        "late in the evening, already tomorrow in UTC",
        "the day before Thanksgiving goes to the short Friday",
        "Thanksgiving goes to the short Friday",
        "the short Friday itself",
        "the short Friday after its bell",
        "Saturday",
        "Sunday",
        "Christmas Eve goes over Christmas and the weekend",
        "New Year's Eve",
        "Independence Day kept on a Monday",
    ],
)
@pytest.mark.parametrize("option", ["first_session_after_lock", "deadline_day"])
def test_first_session_after_the_lock_decides(
    lock: str, label: str, closes: str, option: str
) -> None:
    """rules.md 0.1: before the opening, the deadline's own day; never a session already open."""
    session = session_after("yahoo", ny(lock), option)
    assert (session.exchange, session.label) == ("XNYS", label)
    assert session.opens == ny(f"{label} 09:30")
    assert session.closes == ny(f"{label} {closes}")
    assert session.opens.tzinfo is UTC


@pytest.mark.parametrize(
    ("lock", "opens"),
    [
        ("2026-03-06 12:00", "2026-03-09 13:30"),
        ("2026-03-09 09:29", "2026-03-09 13:30"),
        ("2026-10-30 09:29", "2026-10-30 13:30"),
        ("2026-10-30 12:00", "2026-11-02 14:30"),
        ("2026-11-01 01:30", "2026-11-02 14:30"),
    ],
)
def test_session_opens_at_new_york_time_across_clock_changes(lock: str, opens: str) -> None:
    """13:30 UTC in summer, 14:30 in winter; clocks change on 2026-03-08 and 2026-11-01."""
    assert session_after("yahoo", ny(lock)).opens == datetime.fromisoformat(opens).replace(
        tzinfo=UTC
    )


@pytest.mark.parametrize("market", ["yahoo", "newspaper", "recorded"])
def test_sources_use_new_york_by_default(market: str) -> None:
    """design.md 6: the source differs, the exchange does not."""
    assert session_after(market, ny("2026-11-24 09:00")).exchange == "XNYS"


@pytest.mark.parametrize(
    ("market", "basis", "label", "opens"),
    [
        ("london", "2026-12-24 07:59", "2026-12-24", "2026-12-24 08:00"),
        (
            "london",
            "2026-12-24 08:00",
            "2026-12-29",
            "2026-12-29 08:00",
        ),  # Christmas, Boxing Day kept on Monday
        ("xetra", "2026-07-03 12:00", "2026-07-06", "2026-07-06 07:00"),
        (
            "tokyo",
            "2026-11-22 23:59:59",
            "2026-11-24",
            "2026-11-24 00:00",
        ),  # Monday is Labor Thanksgiving Day
        ("tokyo", "2026-11-24 00:00", "2026-11-25", "2026-11-25 00:00"),
        ("hong_kong", "2026-02-16 12:00", "2026-02-20", "2026-02-20 01:30"),  # the lunar New Year
        (
            "sydney",
            "2026-11-23 22:59",
            "2026-11-24",
            "2026-11-23 23:00",
        ),  # opens on the UTC day before its own
        ("sydney", "2026-11-23 23:00", "2026-11-25", "2026-11-24 23:00"),
        ("toronto", "2026-11-26 12:00", "2026-11-26", "2026-11-26 14:30"),  # New York is closed
    ],
)
@pytest.mark.parametrize("source", ["yahoo", "newspaper", "recorded"])
def test_game_uses_sessions_of_its_exchange(
    source: str, market: str, basis: str, label: str, opens: str
) -> None:
    """rules.md 0.1, `rng.market`: holidays and hours of the exchange, not of its readers.

    Times are UTC.
    """
    session = session_after(source, utc(basis), market=market)
    assert (session.label, session.opens) == (label, utc(opens))


def test_demo_game_uses_the_demo_exchange_for_any_market() -> None:
    assert session_after("demo", utc("2026-11-24 09:00"), market="tokyo").exchange == "DEMO"


def test_entered_closure_moves_the_session() -> None:
    """foundations.md 3: the library learns of unscheduled closures days too late."""
    MarketClosure.objects.create(day=date(2026, 12, 1), reason="A day of mourning")
    assert session_after("yahoo", ny("2026-12-01 09:00")).label == "2026-12-02"
    assert not is_session_day("XNYS", date(2026, 12, 1))


@pytest.mark.parametrize("closes", ["09:30", "09:31", "11:15"])
def test_stored_early_close_has_no_effect(closes: str) -> None:
    """Issue 19: hours come from the calendar, so no reading counts earlier."""
    MarketClosure.objects.create(
        day=date(2026, 12, 1), closes_at=ny(f"2026-12-01 {closes}"), reason="A storm"
    )
    session = session_after("yahoo", ny("2026-12-01 09:00"))
    assert (session.label, session.opens, session.closes) == (
        "2026-12-01",
        ny("2026-12-01 09:30"),
        ny("2026-12-01 16:00"),
    )


def test_unconfirmed_or_removed_closure_has_no_effect() -> None:
    """Issue 19: a claim has no effect until the leading stocks show that nothing was traded."""
    row = MarketClosure.objects.create(
        day=date(2026, 12, 1), reason="A power failure", needs_evidence=True
    )
    assert session_after("yahoo", ny("2026-12-01 09:00")).label == "2026-12-01"
    MarketClosure.objects.filter(pk=row.pk).update(confirmed_at=ny("2026-12-02 08:00"))
    assert session_after("yahoo", ny("2026-12-01 09:00")).label == "2026-12-02"
    MarketClosure.objects.filter(pk=row.pk).update(removed_at=ny("2026-12-02 08:00"))
    assert session_after("yahoo", ny("2026-12-01 09:00")).label == "2026-12-01"


def test_closure_of_another_exchange_has_no_effect() -> None:
    MarketClosure.objects.create(exchange="XLON", day=date(2026, 12, 1), reason="A king is crowned")
    assert session_after("yahoo", ny("2026-12-01 09:00")).label == "2026-12-01"


def test_exchange_without_sessions_for_200_days_raises() -> None:
    """A long closure ends in a sentence, not in an endless search."""
    for ahead in range(203):
        MarketClosure.objects.create(day=date(2026, 12, 1) + timedelta(days=ahead), reason="1914")
    with pytest.raises(MarketError, match="No session of XNYS opens in the 200 days"):
        session_after("yahoo", ny("2026-12-01 09:00"))


def test_session_days() -> None:
    """Schedules use them: "next trading morning"."""
    assert [is_session_day("XNYS", date(2026, 11, day)) for day in (25, 26, 27, 28)] == [
        True,
        False,
        True,
        False,
    ]
    assert is_session_day("DEMO", date(2026, 11, 28))


def test_unknown_exchange_or_year_raises() -> None:
    with pytest.raises(MarketError, match="not an exchange with a calendar"):
        is_session_day("XBUE", date(2026, 11, 24))
    with pytest.raises(MarketError, match="has the years 2016 to 2035, not 2036"):
        is_session_day("XLON", date(2036, 11, 24))


@pytest.mark.parametrize(
    ("lock", "label"),
    [
        ("10:05:00", "10:05:06"),
        ("10:05:29.9", "10:05:30"),
        ("10:05:30", "10:05:36"),
        ("10:05:54.1", "10:06:00"),
        ("23:59:55", "00:00:00"),
    ],
)
def test_demo_session_opens_within_six_seconds(lock: str, label: str) -> None:
    """Strictly after the lock, for two seconds, every day of the year."""
    moment = datetime.fromisoformat(f"2026-11-28 {lock}").replace(tzinfo=UTC)
    session = session_after("demo", moment)
    day = "2026-11-29" if label == "00:00:00" else "2026-11-28"
    assert session.label == f"{day}T{label}Z"
    assert session.opens > moment
    assert session.closes - session.opens == timedelta(seconds=2)


class TestAnyLock(TestCase):
    @settings(max_examples=examples(60), deadline=None)
    @given(
        st.integers(0, 5 * 366 * 24 * 60).map(
            lambda minutes: datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
        )
    )
    def test_no_session_opens_between_the_lock_and_the_chosen_one(self, lock: datetime) -> None:
        """Promise 3 needs no later one, so the game does not wait needlessly."""
        session = session_after("yahoo", lock)
        assert lock < session.opens < session.closes
        assert session.opens - lock < timedelta(days=5)
        day = lock.astimezone(NEW_YORK).date()
        while day < date.fromisoformat(session.label):
            passed_over = session_on("XNYS", day)
            assert passed_over is None or passed_over.opens <= lock
            day += timedelta(days=1)
