"""Remove data that is no longer needed: once an hour, by the tick, in small batches.

`settings.KEEP` has the limits. Readings, orders, results, rulings and letters between nations are
the record of the games, and are kept. Everything around it goes: mail as received, the text of sent
letters (the rows they were rendered from stay), logins, counters, notices, sessions.
"""

from __future__ import annotations

import contextlib
import logging
import time
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Q, QuerySet
from django.utils import timezone

from games.accounts import rate_limits
from games.boards import images
from games.models import AccessToken, Feed, Letter, LoginKey, Notice, Pulse, WrongCode
from games.models.evidence import empty
from orders.models import Draft, Handling, Mail, OrdersAhead

logger = logging.getLogger(__name__)

EVERY = timedelta(hours=1)
#: Rows of a kind in one batch, so that a tick is never long; the rest follows a minute later.
AT_ONCE = 500
SOON = timedelta(minutes=1)
MONTH = timedelta(days=30.44)


def look_after(now: datetime) -> dict[str, int]:
    """Remove old data, once an hour; else do one query. Return how many rows, by kind."""
    pulse, created = Pulse.objects.get_or_create(name="retention", defaults={"at": now})
    if not created and not Pulse.objects.filter(pk=pulse.pk, at__lte=now - EVERY).update(at=now):
        return {}
    try:
        removed = carry_out(now)
        if any(number >= AT_ONCE for number in removed.values()):
            Pulse.objects.filter(pk=pulse.pk).update(at=now - EVERY + SOON)
        return removed
    except Exception:  # retried in an hour; no deadline depends on it
        logger.exception("what is old could not be removed")
        return {}


def carry_out(now: datetime) -> dict[str, int]:
    """Remove or empty old data, at most `AT_ONCE` rows of each kind; return how many, by kind."""
    removed = {
        "mail": _mail(now),
        "letters": _letters(now),
        "logins": _delete_older(LoginKey, "logins", "expires_at", now),
        "calendars": _delete_older(Feed, "logins", "ended_at", now),
        "access tokens": _delete_older(AccessToken, "logins", "revoked_at", now),
        "pictures": images.tidy(),
        "mail files": _mail_files(),
        "notices": _delete_older(Notice, "notices", "sent_at", now),
        "drafts": Draft.objects.filter(
            pk__in=_batch(Draft.objects.filter(seat__game__status__in=("finished", "abandoned")))
        ).delete()[0],
        "orders ahead": OrdersAhead.objects.filter(
            pk__in=_batch(
                OrdersAhead.objects.filter(seat__game__status__in=("finished", "abandoned"))
            )
        ).delete()[0],
        "tallies": rate_limits.clear(now),
        "wrong codes": WrongCode.objects.filter(tried_at__lt=now - timedelta(days=1)).delete()[0],
        # Django computes their end by the machine's clock; the service's own may be ahead
        # (GAMESMASTER_CLOCK).
        "sessions": Session.objects.filter(
            pk__in=_batch(Session.objects.filter(expire_date__lt=timezone.now()))
        ).delete()[0],
    }
    return {kind: number for kind, number in removed.items() if number}


def _cutoff(kind: str, now: datetime) -> datetime | None:
    """Return the date before which rows of a kind are too old; None if they are kept forever."""
    months = settings.KEEP[kind]
    return now - months * MONTH if months else None


def _batch(rows: QuerySet[Any]) -> list[Any]:
    return list(rows.values_list("pk", flat=True)[:AT_ONCE])


def _delete_older(
    model: type[AccessToken] | type[LoginKey] | type[Feed] | type[Notice],
    kind: str,
    column: str,
    now: datetime,
) -> int:
    since = _cutoff(kind, now)
    if since is None:
        return 0
    return int(
        model._default_manager.filter(
            pk__in=_batch(model._default_manager.filter(**{f"{column}__lt": since}))
        ).delete()[0]
    )


def _mail(now: datetime) -> int:
    """Empty messages. Arrival, sender and treatment stay with the game."""
    since = _cutoff("mail", now)
    if since is None:
        return 0
    waiting = Q(handling=None) | Q(
        handling__status__in=(Handling.Status.WAITING, Handling.Status.HELD)
    )
    old = (
        Mail.objects.filter(received_at__lt=since)
        .exclude(waiting)
        .exclude(raw=b"")
        .order_by("received_at")
    )
    return empty(Mail, _batch(old), raw=b"", envelope_to=[])


def _letters(now: datetime) -> int:
    """Empty the text of sent letters: a page that shows one renders it again from the record."""
    since = _cutoff("letters", now)
    if since is None:
        return 0
    sent = (
        Letter.objects.filter(due_at=None, written_at__lt=since)
        .exclude(text="")
        .exclude(status=Letter.Status.PRINT)
        .order_by("written_at")  # in any other order SQLite looks through all letters
    )
    return Letter.objects.filter(pk__in=_batch(sent)).update(subject="", text="", html="")


def _mail_files() -> int:
    """Remove letters written to files because no mail server is set.

    Their age is by the machine's clock.
    """
    months = settings.KEEP["letters"]
    if not months or not settings.EMAIL_BACKEND.endswith(".filebased.EmailBackend"):
        return 0
    last = time.time() - (months * MONTH).total_seconds()
    removed = 0
    with contextlib.suppress(OSError):
        old = (
            path for path in Path(settings.EMAIL_FILE_PATH).iterdir() if path.stat().st_mtime < last
        )
        for path in islice(old, AT_ONCE):
            path.unlink()
            removed += 1
    return removed
