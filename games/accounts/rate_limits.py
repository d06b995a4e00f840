"""Rate limits, counted in the database, so that they hold for any number of web processes and
without Redis.

Each limit counts in fixed time windows, by person or by network address, of which only a keyed hash
is stored. A person over a limit is told how long to wait and what still works. docs/security.md
lists all limits, including those in `tokens` and for mail.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.db import connection

from games.base import signing
from games.models import Tally


@dataclass(frozen=True)
class Limit:
    """A rate limit. `words` are for a person over it; `{wait}` is replaced by the time to wait."""

    name: str
    words: str

    @property
    def many(self) -> int:
        return int(settings.LIMITS[self.name][0])

    @property
    def within(self) -> timedelta:
        return timedelta(seconds=int(settings.LIMITS[self.name][1]))


class TooMany(Exception):
    """Raised over a limit. `str()` is one sentence; `seconds` is the time to wait."""

    def __init__(self, words: str, seconds: int) -> None:
        super().__init__(words)
        self.seconds = seconds


#: Login letters requested from one network address, to any mail addresses. (The limit per mail
#: address is `tokens.LOGINS_OPEN`.)
LOGINS_HERE = Limit(
    "logins",
    "Too many login letters were requested from your network. Wait {wait}; a letter that you"
    " already have still works.",
)
#: Wrong login codes from one network address. They are not counted by account, where a stranger
#: could use them up (`tokens.use_code`).
WRONG_CODES_HERE = Limit(
    "codes-here",
    "Too many wrong codes from your network. Wait {wait}, or use the link in the newest letter.",
)
#: Wrong digits of a second factor, for one person.
WRONG_FACTORS = Limit(
    "factors",
    "Too many wrong codes. Wait {wait}, then check the app again. If you have lost your phone, the"
    " operator of this service can turn off your second factor.",
)
#: Everything that one person submits on pages.
SENT = Limit("sent", "Too many requests. Try again in {wait}; everything received so far is safe.")
#: Orders that one person submits on pages.
ORDERS = Limit(
    "orders",
    "You have sent orders too often within an hour. Wait {wait}; the newest orders we accepted are"
    " in force.",
)
#: Games that one person opens, practice games, and trials of a scenario, of which the largest takes
#: ten seconds.
GAMES = Limit(
    "games",
    "You have opened or tried out many games within an hour. Wait {wait}; those that are open"
    " go on.",
)
#: API requests by one person's programs; without a token, by one network address.
API = Limit("api", "Too many requests. Try again in {wait}.")
#: Submissions from one network address without a login.
STRANGERS = Limit("strangers", "Too many requests from your network. Try again in {wait}.")


def check(limit: Limit, whose: object, now: datetime) -> None:
    """Raise `TooMany` if `whose` is over the limit; count nothing. `whose` is a person's id or a
    network address."""
    since = _since(limit, now)
    row = (
        Tally.objects.filter(what=limit.name, whose=_mark(limit, whose), since=since)
        .values_list("number", flat=True)
        .first()
    )
    if (row or 0) >= limit.many:
        raise _refusal(limit, since, now)


#: A single statement, so that two simultaneous processes both count. Django's upsert cannot
#: increment a stored value.
_COUNT = (
    "INSERT INTO games_tally (what, whose, since, number) VALUES {}"
    " ON CONFLICT (what, whose, since) DO UPDATE SET number = games_tally.number + 1"
    " RETURNING what, number"
)


def count(limit: Limit, whose: object, now: datetime, *more: Limit) -> None:
    """Count 1 against each of these limits. Raise `TooMany` if that is over one of them; the count
    stays."""
    limits = {counted_limit.name: counted_limit for counted_limit in (limit, *more)}
    values: list[Any] = []
    for counted_limit in limits.values():
        at = connection.ops.adapt_datetimefield_value(_since(counted_limit, now))
        values += [counted_limit.name, _mark(counted_limit, whose), at]
    with connection.cursor() as cursor:
        cursor.execute(_COUNT.format(", ".join(["(%s, %s, %s, 1)"] * len(limits))), values)
        rows = cursor.fetchall()
    for name, number in rows:
        if number > limits[name].many:
            raise _refusal(limits[name], _since(limits[name], now), now)


def forget(limit: Limit, whose: object) -> None:
    """Reset the count of a person who has proven who they are."""
    Tally.objects.filter(what=limit.name, whose=_mark(limit, whose)).delete()


def clear(now: datetime) -> int:
    """Remove the tallies of past time windows; return how many."""
    longest = max(seconds for _, seconds in settings.LIMITS.values())
    return Tally.objects.filter(since__lt=now - timedelta(seconds=longest)).delete()[0]


def _since(limit: Limit, now: datetime) -> datetime:
    seconds = int(limit.within.total_seconds())
    return datetime.fromtimestamp(int(now.timestamp()) // seconds * seconds, UTC)


def _mark(limit: Limit, whose: object) -> str:
    return signing.derive(signing.Salt.LIMIT, f"{limit.name} {whose}")


def _refusal(limit: Limit, since: datetime, now: datetime) -> TooMany:
    seconds = max(1, ceil((since + limit.within - now).total_seconds()))
    minutes = -(-seconds // 60)
    wait = (
        "a minute"
        if minutes == 1
        else f"{minutes} minutes"
        if minutes < 120
        else f"{-(-minutes // 60)} hours"
    )
    return TooMany(limit.words.format(wait=wait), seconds)
