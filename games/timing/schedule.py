"""Compute deadlines from rules.

Such a rule is every second Friday at 09:00 New York; every 14 days; the next trading morning; twice
a day; on Tuesdays and Fridays; every five minutes.

A rule is JSON, stored with the game. Local times are resolved in the game's own zone by two rules:
a time that the clocks skip in spring is moved forward by the skipped hour; if a time comes twice in
autumn, the first one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from games.rules.names import all_of, count_of

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ORDINALS = {1: "", 2: "second ", 3: "third ", 4: "fourth "}
#: The days of a schedule by times of day.
DAYS_OF_TIMES = {"weekdays": "every weekday", "all": "every day"}
TIMES_A_DAY = 2
#: Phases that may have their own length (`lasts`): the game's first one, and kinds of phases.
LASTS = {
    "first": "the first phase",
    "diplomacy": "diplomacy",
    "placement": "placement",
    "orders": "orders",
    "attacks": "attacks",
}
#: The least time of a phase in such a schedule. One that opens later gets the next deadline.
LEAST_OF_TIMES = timedelta(minutes=30)
#: A year: the printed rules expect a whole game to take that long.
LONGEST_DAYS = 366
LONGEST_MINUTES = 60 * 24
#: The deadline of an open phase while its game is paused: players can send orders, and nobody is
# late. No page or letter shows it.
STANDS = datetime(2999, 1, 1, tzinfo=UTC)

Rule = Mapping[str, Any]
IsTradingDay = Callable[[date], bool]
IsBlocked = Callable[[date], bool]


class ScheduleError(ValueError):
    """A rule that makes no sense. `str()` is one sentence that says what is wrong."""


def check(rule: Rule) -> None:
    """Raise `ScheduleError` unless the rule is one of the six kinds, with exactly its fields.

    Any kind may have `lasts`: the least number of days of the game's first phase, or of a kind of
    phase. In a rule by minutes these are minutes.
    """
    kinds = {
        "minutes": {"minutes"},
        "days": {"days", "time"},
        "weekday": {"weekday", "weeks", "time"},
        "weekdays": {"weekdays", "time"},
        "trading_morning": {"sessions", "time"},
        "times": {"times", "on"},
    }
    every = rule.get("every")
    if every not in kinds:
        raise ScheduleError(f"A schedule is by {', '.join(kinds)}, not “{every}”.")
    fields = set(rule) - {"every", "lasts"}
    if fields != kinds[every]:
        raise ScheduleError(
            f"A schedule by {every} has the fields {', '.join(sorted(kinds[every]))}, not"
            f" {', '.join(sorted(fields)) or 'none'}."
        )
    for field, least, most in (
        ("minutes", 1, LONGEST_MINUTES),
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
    if "weekdays" in rule:
        _check_weekdays(rule["weekdays"])
    if "time" in rule:
        _time(rule)
    if "times" in rule:
        _times(rule)
    _check_lasts(rule)


def _check_weekdays(days: object) -> None:
    if not isinstance(days, list) or not days:
        raise ScheduleError("Choose at least one day of the week.")
    for day in days:
        if day not in WEEKDAYS:
            raise ScheduleError(f"“{day}” is not a day of the week.")


def _check_lasts(rule: Rule) -> None:
    lasts = rule.get("lasts", {})
    if not isinstance(lasts, dict) or not set(lasts) <= set(LASTS):
        raise ScheduleError(f"Only these can have their own length: {', '.join(LASTS)}.")
    most = LONGEST_MINUTES if rule["every"] == "minutes" else LONGEST_DAYS
    for kind, length in lasts.items():
        if type(length) is not int or not 1 <= length <= most:
            raise ScheduleError(
                f"The length of {LASTS[kind]} is a whole number from 1 to {most:,}, not “{length}”."
            )


def next_deadline(
    rule: Rule,
    zone: str,
    after: datetime,
    *,
    trading: IsTradingDay | None = None,
    on_trading_day: bool = False,
    blocked: IsBlocked | None = None,
) -> datetime:
    """Return the first deadline by this rule after an instant, in UTC.

    `trading` says whether a date is a session of the exchange; None means every weekday. With
    `on_trading_day` a deadline that would fall on another day moves to the next session's morning,
    so that, as printed, the deadline day's own sales decide. `blocked` says whether a date can have
    no deadline (holidays, absences); then the deadline moves to the first later day that can. A
    rule by minutes ignores all three, because it is for people who play at the same time.
    """
    check(rule)
    if rule["every"] == "minutes":
        exact = after.astimezone(UTC) + timedelta(minutes=rule["minutes"])
        # Deadlines are whole minutes, so that any clock shows them.
        whole = exact.replace(second=0, microsecond=0)
        return whole if whole == exact else whole + timedelta(minutes=1)
    is_session = trading or is_weekday
    today = after.astimezone(ZoneInfo(zone)).date()
    if rule["every"] == "times":
        return _next_of_times(rule, zone, after, is_session if on_trading_day else None, blocked)
    if rule["every"] == "days":
        day = today + timedelta(days=rule["days"])
    elif rule["every"] == "weekday":
        ahead = (WEEKDAYS.index(rule["weekday"]) - today.weekday() - 1) % 7 + 1
        day = today + timedelta(days=ahead + 7 * (rule["weeks"] - 1))
    elif rule["every"] == "weekdays":
        day = today + timedelta(days=1)
        while WEEKDAYS[day.weekday()] not in rule["weekdays"]:
            day += timedelta(days=1)
    else:
        day = _sessions_on(today, rule["sessions"], is_session)
    if on_trading_day and not is_session(day):
        day = _sessions_on(day, 1, is_session)
    if blocked is not None:
        on_sessions = on_trading_day or rule["every"] == "trading_morning"
        day = _free_from(day, blocked, is_session if on_sessions else None)
    return instant(day, _time(rule), zone)


def own_length(rule: Rule, kind: str, *, first: bool) -> int | None:
    """Return the length of a phase by the rule's `lasts`; None if it has none for the phase."""
    lasts = rule.get("lasts", {})
    length: int | None = lasts.get("first") if first else None
    return length or lasts.get(kind.partition("-")[0])


def for_length(rule: Rule, zone: str, opened: datetime, days: int) -> tuple[Rule, datetime]:
    """Return rule and instant for `next_deadline`, for a phase with its own length.

    The deadline is at least `days` days after the phase has opened, at the rule's hour; in a rule
    by minutes, that many minutes after.

    The same days of the week and sessions are allowed as usual, but the interval is dropped: after
    14 days of diplomacy a deadline “every second Friday” comes on the first Friday.
    """
    if rule["every"] == "minutes":
        return {**rule, "minutes": days}, opened
    day = opened.astimezone(ZoneInfo(zone)).date() + timedelta(days=days)
    # From the day before, `next_deadline` starts with that day.
    eve = instant(day - timedelta(days=1), time(12), zone)
    return {**rule, **{step: 1 for step in ("days", "weeks", "sessions") if step in rule}}, eve


def is_weekday(day: date) -> bool:
    return day.weekday() < 5


def off_blocked(
    deadline: datetime, zone: str, blocked: IsBlocked, is_session: IsTradingDay | None
) -> datetime:
    """Return the same time on the first day that is not blocked.

    With `is_session` the day is a session, too.
    """
    local = deadline.astimezone(ZoneInfo(zone))
    day = _free_from(local.date(), blocked, is_session)
    return deadline if day == local.date() else instant(day, local.time(), zone)


def _free_from(day: date, blocked: IsBlocked, is_session: IsTradingDay | None) -> date:
    """Return the day if it is not blocked, else the first later day that is free.

    With `is_session` the later day is a session, too.
    """
    if not blocked(day):
        return day
    for _ in range(LONGEST_DAYS):
        day += timedelta(days=1)
        if not blocked(day) and (is_session is None or is_session(day)):
            break
    return day


def instant(day: date, at: time, zone: str) -> datetime:
    """Return a local time as an instant in UTC.

    The module's docstring has the rules for odd times.
    """
    return datetime.combine(day, at, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def later(at: datetime, zone: str, days: int, hours: int) -> datetime:
    """Return an instant so many days later at the same time of day in a zone, and then hours."""
    local = at.astimezone(ZoneInfo(zone))
    moved = instant(local.date() + timedelta(days=days), local.time(), zone) if days else at
    return moved + timedelta(hours=hours)


def in_words(rule: Rule, zone: str) -> str:
    """Return the schedule as a phrase.

    “every second Friday at 09:00 New York time; 14 days for the first phase”.
    """
    unit = "minute" if rule["every"] == "minutes" else "day"
    lengths = " and ".join(
        f"{count_of(length, unit)} for {LASTS[kind]}"
        for kind, length in rule.get("lasts", {}).items()
    )
    return f"{_interval(rule, zone)}; {lengths}" if lengths else _interval(rule, zone)


def _interval(rule: Rule, zone: str) -> str:
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
    if rule["every"] == "weekdays":
        names = [day.title() for day in WEEKDAYS if day in rule["weekdays"]]
        return f"every {all_of(names)} {at}"
    if rule["every"] == "weekday":
        weeks = rule["weeks"]
        ordinal = ORDINALS.get(weeks)
        interval = (
            f"every {ordinal}{rule['weekday'].title()}"
            if ordinal is not None
            else f"every {weeks} weeks on a {rule['weekday'].title()}"
        )
        return f"{interval} {at}"
    return (
        f"every trading morning {at}"
        if rule["sessions"] == 1
        else f"every {rule['sessions']} trading days {at}"
    )


def place(zone: str) -> str:
    """Return the place that a zone is named after: “New York” for “America/New_York”."""
    return zone.rsplit("/", 1)[-1].replace("_", " ")


def _time(rule: Rule) -> time:
    return _time_of_day(rule["time"])


def _time_of_day(written: object) -> time:
    try:
        return datetime.strptime(str(written), "%H:%M").time()  # noqa: DTZ007 (a time of day has no zone of its own)
    except ValueError:
        raise ScheduleError(f"“{written}” is not a time of day such as 09:00.") from None


def _times(rule: Rule) -> list[time]:
    """Return the times of day of a schedule by times, earliest first. Raise `ScheduleError`."""
    written = rule["times"]
    if not isinstance(written, list) or len(written) != TIMES_A_DAY:
        raise ScheduleError("A schedule by times of day needs two, such as 09:00 and 14:00.")
    times = [_time_of_day(entry) for entry in written]
    if sorted(set(times)) != times:
        raise ScheduleError(
            "The second time of day must be later than the first, such as 09:00 and 14:00."
        )
    if rule["on"] not in DAYS_OF_TIMES:
        raise ScheduleError(
            f"“{rule['on']}” is not a choice of days; choose from {', '.join(DAYS_OF_TIMES)}."
        )
    return times


def _next_of_times(
    rule: Rule,
    zone: str,
    after: datetime,
    is_session: IsTradingDay | None,
    blocked: IsBlocked | None,
) -> datetime:
    """Return the first of the times that is far enough ahead, on the first day that allows it."""
    times = _times(rule)
    day = after.astimezone(ZoneInfo(zone)).date()
    for _ in range(2 * LONGEST_DAYS):
        allowed = (rule["on"] == "all" or is_weekday(day)) and not (
            blocked is not None and blocked(day)
        )
        if allowed and (is_session is None or is_session(day)):
            for at in times:
                if (deadline := instant(day, at, zone)) >= after + LEAST_OF_TIMES:
                    return deadline
        day += timedelta(days=1)
    # Every day of two years is blocked, which must be a mistake, but a deadline is needed.
    return instant(day, times[0], zone)


def _sessions_on(day: date, sessions: int, is_session: IsTradingDay) -> date:
    """Return the date of the n-th session after a day."""
    for _ in range(sessions):
        day += timedelta(days=1)
        # No calendar has ever announced that an exchange would be closed for a month.
        for _ in range(30):
            if is_session(day):
                break
            day += timedelta(days=1)
    return day
