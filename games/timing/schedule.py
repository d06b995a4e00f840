"""Deadlines as rules: every second Friday at 09:00 New York; every 14 days; the next trading
morning; twice a day; every five minutes.

A rule is JSON, kept with the game. Local times are resolved in the game's own zone by two stated
rules: a time that the clocks skip in spring is moved forward by the hour that is skipped, and of a
time that comes twice in autumn the first counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ORDINALS = {1: "", 2: "second ", 3: "third ", 4: "fourth "}
#: On which days a schedule by times of day has its deadlines.
DAYS_OF_TIMES = {"weekdays": "every weekday", "all": "every day"}
TIMES_A_DAY = 2
#: A phase of such a schedule has so much time at least: one that opens just before a deadline gets
# the next.
LEAST_OF_TIMES = timedelta(minutes=30)
#: A year is as long as the printed rules expect a whole game to take.
LONGEST_DAYS = 366
#: The deadline of an open phase while its game is paused: orders are taken, and nobody is late. No
# page and no letter shows it.
STANDS = datetime(2999, 1, 1, tzinfo=UTC)

Rule = Mapping[str, Any]
IsTradingDay = Callable[[date], bool]
IsBlocked = Callable[[date], bool]


class ScheduleError(ValueError):
    """A rule that says nothing sensible. `str()` is one sentence that names what is wrong."""


def check(rule: Rule) -> None:
    """Raises `ScheduleError` unless the rule is one of the five kinds, with its fields alone."""
    kinds = {
        "minutes": {"minutes"},
        "days": {"days", "time"},
        "weekday": {"weekday", "weeks", "time"},
        "trading_morning": {"sessions", "time"},
        "times": {"times", "on"},
    }
    every = rule.get("every")
    if every not in kinds:
        raise ScheduleError(f"A schedule is by {', '.join(kinds)}, not “{every}”.")
    fields = set(rule) - {"every"}
    if fields != kinds[every]:
        raise ScheduleError(
            f"A schedule by {every} has the fields {', '.join(sorted(kinds[every]))}, not"
            f" {', '.join(sorted(fields)) or 'none'}."
        )
    for field, least, most in (
        ("minutes", 1, 60 * 24),
        ("days", 1, LONGEST_DAYS),
        ("weeks", 1, 52),
        ("sessions", 1, 250),
    ):
        if field in rule and not (type(rule[field]) is int and least <= rule[field] <= most):
            raise ScheduleError(
                f"“{field}” is a whole number from {least} to {most:,}, not “{rule[field]}”."
            )
    if "weekday" in rule and rule["weekday"] not in WEEKDAYS:
        raise ScheduleError(f"“{rule['weekday']}” is not a day of the week.")
    if "time" in rule:
        _time(rule)
    if "times" in rule:
        _times(rule)


def next_deadline(
    rule: Rule,
    zone: str,
    after: datetime,
    *,
    trading: IsTradingDay | None = None,
    on_trading_day: bool = False,
    blocked: IsBlocked | None = None,
) -> datetime:
    """The first deadline by this rule after an instant, in UTC.

    `trading` says whether a date is a session of the exchange (weekdays where there is none). With
    `on_trading_day` a deadline that would fall on another day moves to the next session's morning,
    so that the deadline day's own sales decide, as printed. `blocked` says whether a date takes no
    deadline (holidays, absences): the deadline moves to the first day after that does. A rule by
    minutes knows no days: it is for people who sit there.
    """
    check(rule)
    if rule["every"] == "minutes":
        exact = after.astimezone(UTC) + timedelta(minutes=rule["minutes"])
        whole = exact.replace(second=0, microsecond=0)
        return (
            whole if whole == exact else whole + timedelta(minutes=1)
        )  # a deadline can be told by any clock
    is_session = trading or is_weekday
    today = after.astimezone(ZoneInfo(zone)).date()
    if rule["every"] == "times":
        return _next_of_times(rule, zone, after, is_session if on_trading_day else None, blocked)
    if rule["every"] == "days":
        day = today + timedelta(days=rule["days"])
    elif rule["every"] == "weekday":
        ahead = (WEEKDAYS.index(rule["weekday"]) - today.weekday() - 1) % 7 + 1
        day = today + timedelta(days=ahead + 7 * (rule["weeks"] - 1))
    else:
        day = _sessions_on(today, rule["sessions"], is_session)
    if on_trading_day and not is_session(day):
        day = _sessions_on(day, 1, is_session)
    if blocked is not None:
        on_sessions = on_trading_day or rule["every"] == "trading_morning"
        day = _free_from(day, blocked, is_session if on_sessions else None)
    return instant(day, _time(rule), zone)


def for_days(rule: Rule, zone: str, opened: datetime, days: int) -> tuple[Rule, datetime]:
    """Rule and instant from which `next_deadline` gives a deadline at least so many days after a
    phase has opened, at the rule's hour.

    The same days of the week and sessions take it as ever, but once instead of every so often:
    after 14 days of diplomacy a deadline “every second Friday” comes on the first Friday. A rule by
    minutes knows no days: such a phase is as long as any.
    """
    if rule["every"] == "minutes":
        return rule, opened
    day = opened.astimezone(ZoneInfo(zone)).date() + timedelta(days=days)
    eve = instant(
        day - timedelta(days=1), time(12), zone
    )  # from here the first day on which a deadline may come is that day
    return {**rule, **{step: 1 for step in ("days", "weeks", "sessions") if step in rule}}, eve


def is_weekday(day: date) -> bool:
    return day.weekday() < 5


def off_blocked(
    deadline: datetime, zone: str, blocked: IsBlocked, is_session: IsTradingDay | None
) -> datetime:
    """Return the same time on the first day that is not blocked, and a session if asked for."""
    local = deadline.astimezone(ZoneInfo(zone))
    day = _free_from(local.date(), blocked, is_session)
    return deadline if day == local.date() else instant(day, local.time(), zone)


def _free_from(day: date, blocked: IsBlocked, is_session: IsTradingDay | None) -> date:
    """Return the day if nothing blocks it, else the first after that is free (a session)."""
    if not blocked(day):
        return day
    for _ in range(LONGEST_DAYS):
        day += timedelta(days=1)
        if not blocked(day) and (is_session is None or is_session(day)):
            break
    return day


def instant(day: date, at: time, zone: str) -> datetime:
    """A local time as an instant in UTC, by the two rules at the head of this module."""
    return datetime.combine(day, at, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def in_words(rule: Rule, zone: str) -> str:
    """For people: “every second Friday at 09:00 New York time”."""
    if rule["every"] == "minutes":
        hours, rest = divmod(rule["minutes"], 60)
        if hours > 1 and not rest:
            return f"every {hours} hours"
        return "every minute" if rule["minutes"] == 1 else f"every {rule['minutes']} minutes"
    if rule["every"] == "times":
        first, second = rule["times"]
        return f"{DAYS_OF_TIMES[rule['on']]} at {first} and {second} {place(zone)} time"
    at = f"at {rule['time']} {place(zone)} time"
    if rule["every"] == "days":
        return f"every day {at}" if rule["days"] == 1 else f"every {rule['days']} days {at}"
    if rule["every"] == "weekday":
        weeks = rule["weeks"]
        ordinal = ORDINALS.get(weeks)
        often = (
            f"every {ordinal}{rule['weekday'].title()}"
            if ordinal is not None
            else f"every {weeks} weeks on a {rule['weekday'].title()}"
        )
        return f"{often} {at}"
    return (
        f"every trading morning {at}"
        if rule["sessions"] == 1
        else f"every {rule['sessions']} trading days {at}"
    )


def place(zone: str) -> str:
    """The place that a zone is named after: “America/New_York” is New York."""
    return zone.rsplit("/", 1)[-1].replace("_", " ")


def _time(rule: Rule) -> time:
    return _time_of_day(rule["time"])


def _time_of_day(written: object) -> time:
    try:
        return datetime.strptime(str(written), "%H:%M").time()  # noqa: DTZ007 (a time of day has no zone of its own)
    except ValueError:
        raise ScheduleError(f"“{written}” is not a time of day such as 09:00.") from None


def _times(rule: Rule) -> list[time]:
    """The times of day of a schedule by times, earliest first. Raises `ScheduleError`."""
    written = rule["times"]
    if not isinstance(written, list) or len(written) != TIMES_A_DAY:
        raise ScheduleError("A schedule by times of day has two of them, such as 09:00 and 14:00.")
    times = [_time_of_day(one) for one in written]
    if sorted(set(times)) != times:
        raise ScheduleError(
            "The two times of day differ and come in their order: such as 09:00 and 14:00."
        )
    if rule["on"] not in DAYS_OF_TIMES:
        raise ScheduleError(
            f"“{rule['on']}” is not a choice of days; there are {', '.join(DAYS_OF_TIMES)}."
        )
    return times


def _next_of_times(
    rule: Rule,
    zone: str,
    after: datetime,
    is_session: IsTradingDay | None,
    blocked: IsBlocked | None,
) -> datetime:
    """Return the first of the times far enough ahead, on the first day that takes it."""
    times = _times(rule)
    day = after.astimezone(ZoneInfo(zone)).date()
    for _ in range(2 * LONGEST_DAYS):
        takes = (rule["on"] == "all" or is_weekday(day)) and not (
            blocked is not None and blocked(day)
        )
        if takes and (is_session is None or is_session(day)):
            for at in times:
                if (found := instant(day, at, zone)) >= after + LEAST_OF_TIMES:
                    return found
        day += timedelta(days=1)
    return instant(
        day, times[0], zone
    )  # every day of two years is blocked: nobody can mean that, and a deadline there must be


def _sessions_on(day: date, sessions: int, is_session: IsTradingDay) -> date:
    """The date of the n-th session after a day."""
    for _ in range(sessions):
        day += timedelta(days=1)
        for _ in range(
            30
        ):  # no exchange has ever been shut for a month that the calendar knew of beforehand
            if is_session(day):
                break
            day += timedelta(days=1)
    return day
