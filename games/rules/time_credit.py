"""Time that is given back when orders could not come in: the rule for service and checker.

A phase's deadline decides which session's sales are its digits. So nobody may
choose, after an outage, whether the old deadline stands: if orders could not come in over it,
everybody gets time back (`new_deadline`), and orders are never closed long after their session has
opened (`is_too_late`).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from .names import count_of

#: At most this much is given back, and at most the length of the phase, or an hour if that is more.
AT_MOST = timedelta(hours=24)
HOUR = timedelta(hours=1)
#: At least this much is given back if the phase was that long, and at least a tenth of the phase.
AT_LEAST = timedelta(minutes=10)
A_TENTH = 10
#: Orders may be closed this long after the announced instant although their session has opened: the
#: sales of minutes decide nothing before its close.
MAY_BE_LATE = timedelta(minutes=5)
#: A deadline soon after an outage moves too: within the outage's length, at most an hour.
SOON = HOUR


def is_affected(closes: datetime, since: datetime, until: datetime) -> bool:
    """Return whether an outage was over a deadline, or left less time than it took.

    `closes`: the deadline with its hours of grace. `since`, `until`: when no orders could come in.
    """
    return since < closes <= until + min(until - since, SOON)


def new_deadline(
    opened: datetime, deadline: datetime, since: datetime, until: datetime
) -> datetime:
    """Return the deadline of a phase after an outage, rounded up to the minute.

    It is counted from the end of the outage: as long as the outage, within the limits above.
    """
    return whole_minute(until + _credit(deadline - opened, until - since))


def latest_deadline(until: datetime) -> datetime:
    """Return the latest deadline that an outage can give, whenever its phase was opened."""
    return whole_minute(until + AT_MOST)


def whole_minute(instant: datetime) -> datetime:
    """Return an instant rounded up to the minute, as clocks show it."""
    whole = instant.replace(second=0, microsecond=0)
    return whole if whole == instant else whole + timedelta(minutes=1)


def _credit(length: timedelta, took: timedelta) -> timedelta:
    credit = max(min(took, max(length, HOUR)), length / A_TENTH, min(AT_LEAST, length))
    return min(credit, AT_MOST)


def describe(opened: datetime, deadline: datetime, since: datetime, until: datetime) -> str:
    """Return a sentence about how much time an outage gives back, and why not all of it.

    The arguments are those of `new_deadline`.
    """
    length, took = deadline - opened, until - since
    credit = _credit(length, took)
    words = _in_words(credit)
    verb = "is" if words.startswith("1 ") else "are"
    given = f"{words} {verb} given back, counted from the end of the outage"
    if credit >= took:
        return f"{given}."
    limit = "a day" if credit == AT_MOST else "an hour" if credit > length else "there was in all"
    return f"{given}, which took {_in_words(took)}: never more than {limit}."


def _in_words(time: timedelta) -> str:
    minutes = int(time.total_seconds() // 60)
    if minutes < 120:
        return count_of(minutes, "minute")
    return f"{minutes // 60} hours"


def is_too_late(closes: datetime, locked: datetime, opens: datetime) -> bool:
    """Return whether orders cannot be closed any more without giving time back.

    `opens`: when the session opens whose sales would decide.
    """
    return locked - closes > MAY_BE_LATE and locked >= opens


def lateness(closes: datetime, locked: datetime, sales_known: datetime | None) -> str:
    """Return a sentence about orders that were closed late, or "" if they were not.

    `sales_known`: when the session closed whose sales decide, if sales decide.
    """
    late = locked - closes
    if late <= MAY_BE_LATE:
        return ""
    known = (
        "; the sales of that session were already known"
        if sales_known is not None and sales_known <= locked
        else ""
    )
    return f"Orders closed {_in_words(late)} late{known}. No order was taken after the deadline."
