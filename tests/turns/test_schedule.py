"""Deadlines from rules (docs/design.md 5)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from games.timing import schedule

pytestmark = pytest.mark.quick

NEW_YORK = "America/New_York"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("rule", "zone", "after", "deadline"),
    [
        (
            {"every": "minutes", "minutes": 5},
            NEW_YORK,
            "2026-11-20 12:00:00",
            "2026-11-20 12:05:00",
        ),
        # Rounded up to a whole minute, so that any clock shows the deadline.
        (
            {"every": "minutes", "minutes": 5},
            NEW_YORK,
            "2026-11-20 12:00:01",
            "2026-11-20 12:06:00",
        ),
        (
            {"every": "days", "days": 14, "time": "09:00"},
            NEW_YORK,
            "2026-11-20 14:00",
            "2026-12-04 14:00",
        ),
        # From one second Friday to the next, although the clocks go back in between.
        (
            {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"},
            NEW_YORK,
            "2026-10-23 13:00",
            "2026-11-06 14:00",
        ),
        # The phase before was resolved on Saturday morning: the next but one Friday is still two
        # weeks after the last deadline.
        (
            {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"},
            NEW_YORK,
            "2026-11-21 11:10",
            "2026-12-04 14:00",
        ),
        (
            {"every": "weekday", "weekday": "monday", "weeks": 1, "time": "18:30"},
            "Europe/Berlin",
            "2026-11-23 17:30",
            "2026-11-30 17:30",
        ),
        (
            {"every": "trading_morning", "sessions": 1, "time": "09:00"},
            NEW_YORK,
            "2026-11-20 14:00",
            "2026-11-23 14:00",
        ),
        (
            {"every": "trading_morning", "sessions": 3, "time": "09:00"},
            NEW_YORK,
            "2026-11-20 14:00",
            "2026-11-25 14:00",
        ),
        # With several weekdays, the next one follows, never the same day.
        (
            {"every": "weekdays", "weekdays": ["tuesday", "friday"], "time": "09:00"},
            NEW_YORK,
            "2026-11-20 14:00",
            "2026-11-24 14:00",
        ),
        (
            {"every": "weekdays", "weekdays": ["tuesday", "friday"], "time": "09:00"},
            NEW_YORK,
            "2026-11-24 14:10",
            "2026-11-27 14:00",
        ),
    ],
)
def test_next_deadline_is_computed_in_the_games_time_zone(
    rule: dict, zone: str, after: str, deadline: str
) -> None:
    """design 5: deadlines are instants computed from a rule in a named zone."""
    assert schedule.next_deadline(rule, zone, at(after)) == at(deadline)


def test_skipped_time_of_day_moves_forward_by_the_skipped_hour() -> None:
    """design 5: there is no 02:30 in New York on 8 March 2026."""
    rule = {"every": "days", "days": 1, "time": "02:30"}
    assert schedule.next_deadline(rule, NEW_YORK, at("2026-03-07 17:00")) == at(
        "2026-03-08 07:30"
    )  # 03:30 summer time


def test_repeated_time_of_day_means_the_first() -> None:
    """design 5: on 1 November 2026, 01:30 occurs twice in New York; summer time comes first."""
    rule = {"every": "days", "days": 1, "time": "01:30"}
    assert schedule.next_deadline(rule, NEW_YORK, at("2026-10-31 17:00")) == at("2026-11-01 05:30")


def test_attack_deadline_moves_to_a_trading_day() -> None:
    """Rules 0.1: an attack deadline uses the sales of its own day."""
    thanksgiving = date(2026, 11, 26)
    rule = {"every": "weekday", "weekday": "thursday", "weeks": 1, "time": "09:00"}

    def trading(day: date) -> bool:
        return day.weekday() < 5 and day != thanksgiving

    assert schedule.next_deadline(rule, NEW_YORK, at("2026-11-20 14:00"), trading=trading) == at(
        "2026-11-26 14:00"
    )
    moved = schedule.next_deadline(
        rule, NEW_YORK, at("2026-11-20 14:00"), trading=trading, on_trading_day=True
    )
    assert moved == at("2026-11-27 14:00")


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ({"every": "fortnight"}, "fortnight"),
        ({"every": "days", "days": 0, "time": "09:00"}, "days"),
        ({"every": "days", "days": True, "time": "09:00"}, "True"),
        ({"every": "days", "days": 14}, "time"),
        ({"every": "days", "days": 14, "time": "25:00"}, "25:00"),
        ({"every": "weekday", "weekday": "freitag", "weeks": 2, "time": "09:00"}, "freitag"),
        ({"every": "minutes", "minutes": 5, "time": "09:00"}, "time"),
    ],
)
def test_invalid_rule_is_refused_with_its_value_quoted(rule: dict, fault: str) -> None:
    with pytest.raises(schedule.ScheduleError, match=fault):
        schedule.check(rule)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"every": "minutes", "minutes": 5}, "every 5 minutes"),
        ({"every": "minutes", "minutes": 90}, "every 90 minutes"),
        ({"every": "minutes", "minutes": 360}, "every 6 hours"),
        ({"every": "days", "days": 14, "time": "09:00"}, "every 14 days at 09:00 New York time"),
        (
            {"every": "weekday", "weekday": "friday", "weeks": 2, "time": "09:00"},
            "every second Friday at 09:00 New York time",
        ),
        (
            {"every": "trading_morning", "sessions": 1, "time": "09:00"},
            "every trading morning at 09:00 New York time",
        ),
    ],
)
def test_rule_in_words(rule: dict, words: str) -> None:
    """design 5: pages show the rule beside the deadline."""
    assert schedule.in_words(rule, NEW_YORK) == words


# --- by times of day ---

TWICE = {"every": "times", "times": ["09:00", "14:00"], "on": "weekdays"}


@pytest.mark.parametrize(
    ("after", "deadline"),
    [
        ("2026-11-16T07:00", "2026-11-16T09:00"),  # a Monday
        (
            "2026-11-16T08:31",
            "2026-11-16T14:00",
        ),  # less than half an hour to the first time is too short
        ("2026-11-16T09:00", "2026-11-16T14:00"),
        ("2026-11-16T14:00", "2026-11-17T09:00"),
        ("2026-11-20T13:59", "2026-11-23T09:00"),  # Friday; no deadline on a Saturday
        ("2026-03-27T15:00", "2026-03-30T09:00"),  # over the weekend in which the clocks change
    ],
)
def test_twice_a_day_on_weekdays(after: str, deadline: str) -> None:
    zone = ZoneInfo("Europe/London")
    at = datetime.fromisoformat(after).replace(tzinfo=zone)
    assert schedule.next_deadline(TWICE, "Europe/London", at) == datetime.fromisoformat(
        deadline
    ).replace(tzinfo=zone)


def test_twice_a_day_skips_blocked_days_and_waits_for_sessions() -> None:
    zone = ZoneInfo("America/New_York")
    friday = datetime(2026, 11, 20, 15, 0, tzinfo=zone)
    off = schedule.next_deadline(
        TWICE, "America/New_York", friday, blocked=lambda day: day.isoformat() == "2026-11-23"
    )
    assert off == datetime(2026, 11, 24, 9, 0, tzinfo=zone)
    every = {**TWICE, "on": "all"}
    assert schedule.next_deadline(every, "America/New_York", friday) == datetime(
        2026, 11, 21, 9, 0, tzinfo=zone
    )
    assert schedule.next_deadline(
        every, "America/New_York", friday, on_trading_day=True
    ) == datetime(2026, 11, 23, 9, 0, tzinfo=zone)


def test_twice_a_day_in_words() -> None:
    assert (
        schedule.in_words(TWICE, "Europe/London") == "every weekday at 09:00 and 14:00 London time"
    )
    assert (
        schedule.in_words({**TWICE, "on": "all"}, "Europe/London")
        == "every day at 09:00 and 14:00 London time"
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"times": ["09:00"]}, "needs two"),
        ({"times": ["14:00", "09:00"]}, "must be later than the first"),
        ({"times": ["09:00", "09:00"]}, "must be later than the first"),
        ({"times": ["09:00", "noon"]}, "“noon” is not a time of day"),
        ({"times": "09:00"}, "needs two"),
        ({"on": "holidays"}, "“holidays” is not a choice of days"),
    ],
)
def test_invalid_times_are_refused(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(schedule.ScheduleError, match=sentence):
        schedule.check({**TWICE, **changes})


def test_phase_lengths_are_applied_and_put_in_words() -> None:
    """Issue 25, 5: a longer first negotiation, also for games at one table."""
    rule = {"every": "minutes", "minutes": 10, "lasts": {"first": 30}}
    assert schedule.own_length(rule, "placement", first=True) == 30
    assert schedule.own_length(rule, "placement", first=False) is None
    meant, after = schedule.for_length(rule, NEW_YORK, at("2026-11-20 12:00"), 30)
    assert schedule.next_deadline(meant, NEW_YORK, after) == at("2026-11-20 12:30")
    assert schedule.in_words(rule, NEW_YORK) == "every 10 minutes; 30 minutes for the first phase"
    days = {"every": "weekdays", "weekdays": ["friday", "tuesday"], "time": "09:00"}
    words = schedule.in_words(days | {"lasts": {"first": 14, "attacks": 1}}, NEW_YORK)
    assert words == (
        "every Tuesday and Friday at 09:00 New York time; 14 days for the first phase and 1 day for"
        " attacks"
    )


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"lasts": {"first": 0}}, "The length of the first phase"),
        ({"lasts": {"second": 3}}, "have their own length"),
        ({"weekdays": []}, "at least one day"),
        ({"weekdays": ["doomsday"]}, "“doomsday” is not a day"),
    ],
)
def test_invalid_days_and_lengths_are_refused(changes: dict, fault: str) -> None:
    """design 5: a schedule is checked when it is set."""
    rule = {"every": "weekdays", "weekdays": ["tuesday"], "time": "09:00"}
    with pytest.raises(schedule.ScheduleError, match=fault):
        schedule.check(rule | changes)
