"""How often something may be tried: counted in the database, so that it holds for any number of web
processes, without Redis too.

Each limit counts within fixed spans of time, by person or by network address, of which only a keyed
hash is kept. Whoever has gone over one is told until when, and by which other way he gets on.
docs/security.md lists them all with those of `tokens` and of mail.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from math import ceil

from django.conf import settings
from django.db import connection

from games.models import Tally


@dataclass(frozen=True)
class Limit:
    """`words` go to whoever has gone over it, with the time to wait in place of `{wait}`."""

    name: str
    words: str

    @property
    def many(self) -> int:
        return int(settings.LIMITS[self.name][0])

    @property
    def within(self) -> timedelta:
        return timedelta(seconds=int(settings.LIMITS[self.name][1]))


class TooMany(Exception):
    """Something was tried too often. `str()` is one sentence; `seconds` is how long to wait."""

    def __init__(self, words: str, seconds: int) -> None:
        super().__init__(words)
        self.seconds = seconds


#: Login letters asked for from one network address, whatever addresses they go to. (To each:
# `keys.LOGINS_OPEN`.)
LOGINS_HERE = Limit(
    "logins",
    "Many login letters have been asked for from your network. Wait {wait}; a letter that you"
    " already have still works.",
)
#: Wrong login codes from one network address. None are counted by account, where a stranger could
# use them up (`keys.use_code`).
WRONG_CODES_HERE = Limit(
    "codes-here",
    "Too many wrong codes were typed in from your network, so for {wait} none is taken from it. The"
    " link in the newest letter still works.",
)
#: Wrong digits of a second factor, for one person.
WRONG_FACTORS = Limit(
    "factors",
    "Too many wrong digits were typed in. Wait {wait}, then look at the app once more. "
    "If the telephone is lost, the operator of this service can turn off your second factor.",
)
#: Everything that one person sends by pages, whatever it is.
SENT = Limit("sent", "Too many requests. Try again in {wait}; everything received so far is safe.")
#: Orders that one person sends by pages.
ORDERS = Limit(
    "orders",
    "You have sent orders very often within the hour. Wait {wait}; the newest that were taken"
    " stand.",
)
#: What one person's programs ask of the API; of strangers, what one network address asks.
API = Limit("api", "Too many requests. Try again in {wait}.")
#: What one network address sends without being logged in.
STRANGERS = Limit("strangers", "Too many requests from your network. Try again in {wait}.")


def check(limit: Limit, whose: object, now: datetime) -> None:
    """Raises `TooMany` where this one has gone over the limit; counts nothing."""
    since = _since(limit, now)
    row = (
        Tally.objects.filter(what=limit.name, whose=_mark(limit, whose), since=since)
        .values_list("number", flat=True)
        .first()
    )
    if (row or 0) >= limit.many:
        raise _refusal(limit, since, now)


#: One statement, so that of two processes at once both count. Django's upsert cannot add to what
# stands.
_COUNT = (
    "INSERT INTO games_tally (what, whose, since, number) VALUES (%s, %s, %s, 1)"
    " ON CONFLICT (what, whose, since) DO UPDATE SET number = games_tally.number + 1"
    " RETURNING number"
)


def count(limit: Limit, whose: object, now: datetime) -> None:
    """Count one more. Raises `TooMany` where it is one too many; those count too."""
    since = _since(limit, now)
    at = connection.ops.adapt_datetimefield_value(since)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [limit.name, _mark(limit, whose), at])
        (number,) = cursor.fetchone()
    if number > limit.many:
        raise _refusal(limit, since, now)


def forget(limit: Limit, whose: object) -> None:
    """What was counted against somebody is struck out: he has shown who he is."""
    Tally.objects.filter(what=limit.name, whose=_mark(limit, whose)).delete()


def clear(now: datetime) -> int:
    """Removes the tallies of spans that are over; says how many."""
    longest = max(seconds for _, seconds in settings.LIMITS.values())
    return Tally.objects.filter(since__lt=now - timedelta(seconds=longest)).delete()[0]


def _since(limit: Limit, now: datetime) -> datetime:
    seconds = int(limit.within.total_seconds())
    return datetime.fromtimestamp(int(now.timestamp()) // seconds * seconds, UTC)


def _mark(limit: Limit, whose: object) -> str:
    return hmac.new(
        settings.SECRET_KEY.encode(), f"limit:{limit.name}:{whose}".encode(), sha256
    ).hexdigest()


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
