"""Know when orders could not come in: each way in shows that it is open (docs/design.md 5).

Every process that takes orders writes a pulse for its way: the pages (with the desk, the telephone
and the API), and mail. No pulse for a while is an `Outage`, written by the next one. A deadline
is enforced only once each way has shown that it was open over it, so that nobody loses an order to
an outage, however short (games.turns.outage_credit gives the time back).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, connection, transaction

from games.base import clock
from games.models import Outage, Pulse

logger = logging.getLogger(__name__)

PAGES, MAIL = "pages", "mail"
#: How often a process shows that its way is open.
EVERY = timedelta(seconds=2)
#: A running process may be that late on a busy machine. One that starts is alone: if another were
#: open, it would have written a pulse just before.
SILENT = timedelta(seconds=60)
SILENT_AT_START = timedelta(seconds=10)
#: One that could not write its pulse could keep no order either. The pulses of another that went on
#: are closer together.
SILENT_AFTER_FAILURE = EVERY * 1.5
#: How long a lock waits, from its deadline, for a way that does not show itself: players may order
#: by page while the mail is away. Shortly before the end everybody gets time back for it.
WAIT_FOR: Mapping[str, timedelta] = {PAGES: timedelta(hours=24), MAIL: timedelta(hours=1)}
SHORTLY = timedelta(minutes=5)
#: A way that has not been open for so long is not used any more.
GONE = timedelta(hours=24)
#: A mail server tries again after five minutes or as long as it has held a message, whichever is
#: more, and looks at its queue every five minutes (Postfix).
RETRIED_WITHIN = timedelta(minutes=5)
#: A lock waits for that at most so long, and at most this part of the phase.
HELD_MAIL = timedelta(minutes=30)
A_QUARTER = 4


def beat(way: str, now: datetime, silent: timedelta = SILENT) -> None:
    """Write that a way is open, and an `Outage` if it has not been for longer than `silent`."""
    if not settings.GIVE_TIME_BACK:
        return
    last = Pulse.objects.filter(name=way).first()
    if last is None:
        Pulse.objects.get_or_create(name=way, defaults={"at": now})
        return
    set_back = last.at > now + SILENT
    if not set_back and now - last.at < EVERY / 2:
        return
    with transaction.atomic():
        # Only one of several processes finds the old pulse.
        if not Pulse.objects.filter(name=way, at=last.at).update(at=now):
            return
        if now - last.at > silent:
            Outage.objects.create(way=way, since=last.at, until=now)
            logger.warning("no orders could come in by %s from %s to %s", way, last.at, now)


def try_to_beat(way: str, now: datetime, silent: timedelta) -> timedelta:
    """Write that a way is open, if the database takes it. Return what counts as silence for the
    next pulse: while the database is away, for seconds or longer, no orders can come in."""
    try:
        beat(way, now, silent)
    except DatabaseError as error:
        logger.warning("the pulse of %s could not be written: %s", way, error)
        connection.close()
        return SILENT_AFTER_FAILURE
    return SILENT


def keep_beating(way: str) -> None:
    """Show from now on, in a thread of this process, that a way is open."""

    def run() -> None:
        silent = SILENT_AT_START
        while True:
            silent = try_to_beat(way, clock.now(), silent)
            time.sleep(EVERY.total_seconds())

    threading.Thread(target=run, name=f"pulse of {way}", daemon=True).start()


@dataclass(frozen=True)
class WaysIn:
    """What the ways in have shown, for the locks of one instant."""

    open_at: Mapping[str, datetime] = field(default_factory=dict)  # the last pulse of each way
    outages: Collection[Outage] = ()  # the outages that may matter to a lock

    def must_wait(self, opened: datetime, closes: datetime, now: datetime) -> bool:
        """Return whether the lock of a phase must wait, because orders may be on their way.

        It waits for a way that has not been open since the deadline, for time that is about to be
        given back, and for mail that a mail server holds since an outage.
        """
        if any(now < until for _, until in self._shut(closes, now)):
            return True
        most = min(HELD_MAIL, (closes - opened) / A_QUARTER)
        for outage in self.outages:
            if outage.since < closes:
                held = RETRIED_WITHIN + max(RETRIED_WITHIN, outage.until - outage.since)
                if outage.credited_at is None:
                    return True
                if outage.way == MAIL and now < min(outage.until + held, closes + most):
                    return True
        return False

    def shut_too_long(self, closes: datetime, now: datetime) -> datetime | None:
        """Return since when a way is shut for which the lock of a phase will not wait any longer.

        Nobody is told yet, and the way may stay shut: time is given back all the same.
        """
        shut = [at for at, until in self._shut(closes, now) if now >= until - SHORTLY]
        return min(shut, default=None)

    def _shut(self, closes: datetime, now: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Yield since when ways have not been open since a deadline, and until when it waits."""
        for way, at in self.open_at.items():
            if at <= closes and now - at < GONE:
                yield at, min(closes + WAIT_FOR[way], at + GONE)


def any_shut(now: datetime, since: datetime) -> bool:
    """Return whether a way that was open within a day before `since` does not show itself now.

    `since`: when an outage began; the machine may have slept for days.
    """
    shut = Pulse.objects.filter(name__in=_ways(), at__lt=now - SILENT_AT_START, at__gt=since - GONE)
    return shut.exists()


def _ways() -> list[str]:
    return [PAGES, MAIL] if settings.MAIL_IN else [PAGES]


def look(now: datetime) -> WaysIn:
    """Return what the ways in have shown until now."""
    if not settings.GIVE_TIME_BACK:
        return WaysIn()
    # One that ends later was noted by a clock that has been set back since.
    outages = Outage.objects.filter(until__gt=now - GONE, until__lte=now + SILENT)
    pulses = Pulse.objects.filter(name__in=_ways())
    return WaysIn(dict(pulses.values_list("name", "at")), list(outages))
