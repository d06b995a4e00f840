"""What is not kept longer than it is needed, carried out by the tick once an hour, some rows at a
time (`settings.KEEP`).

Readings, orders, results, rulings and letters between nations are the record of the games, and are
kept. Here goes what surrounds it: mail as it came, the text of letters that went out (the rows from
which they were set stay), logins, tallies, notices, sessions.
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
#: Rows of a kind in one go, so that a tick is never long; the rest follows a minute later.
AT_ONCE = 500
SOON = timedelta(minutes=1)
MONTH = timedelta(days=30.44)


def look_after(now: datetime) -> dict[str, int]:
    """Once an hour, do what is due; else ask one row. Return what was emptied or removed."""
    pulse, made = Pulse.objects.get_or_create(name="retention", defaults={"at": now})
    if not made and not Pulse.objects.filter(pk=pulse.pk, at__lte=now - EVERY).update(at=now):
        return {}
    try:
        done = carry_out(now)
        if any(number >= AT_ONCE for number in done.values()):
            Pulse.objects.filter(pk=pulse.pk).update(at=now - EVERY + SOON)
        return done
    except Exception:  # an hour later is early enough; no deadline waits for it
        logger.exception("what is old could not be removed")
        return {}


def carry_out(now: datetime) -> dict[str, int]:
    """All of it, at most `AT_ONCE` rows of each kind."""
    done = {
        "mail": _mail(now),
        "letters": _letters(now),
        "logins": _before(LoginKey, "logins", "expires_at", now),
        "calendars": _before(Feed, "logins", "ended_at", now),
        "access tokens": _before(AccessToken, "logins", "revoked_at", now),
        "pictures": images.tidy(),
        "mail files": _mail_files(),
        "notices": _before(Notice, "notices", "sent_at", now),
        "drafts": Draft.objects.filter(
            pk__in=_some(Draft.objects.filter(seat__game__status__in=("finished", "abandoned")))
        ).delete()[0],
        "orders ahead": OrdersAhead.objects.filter(
            pk__in=_some(
                OrdersAhead.objects.filter(seat__game__status__in=("finished", "abandoned"))
            )
        ).delete()[0],
        "tallies": rate_limits.clear(now),
        "wrong codes": WrongCode.objects.filter(tried_at__lt=now - timedelta(days=1)).delete()[0],
        # Django writes their end by the machine's clock, which the service's own may run ahead of
        # (GAMESMASTER_CLOCK).
        "sessions": Session.objects.filter(
            pk__in=_some(Session.objects.filter(expire_date__lt=timezone.now()))
        ).delete()[0],
    }
    return {kind: number for kind, number in done.items() if number}


def _since(kind: str, now: datetime) -> datetime | None:
    """Before when rows of a kind are too old; None where they are kept for ever."""
    months = settings.KEEP[kind]
    return now - months * MONTH if months else None


def _some(rows: QuerySet[Any]) -> list[Any]:
    return list(rows.values_list("pk", flat=True)[:AT_ONCE])


def _before(
    model: type[AccessToken] | type[LoginKey] | type[Feed] | type[Notice],
    kind: str,
    column: str,
    now: datetime,
) -> int:
    since = _since(kind, now)
    if since is None:
        return 0
    return int(
        model._default_manager.filter(
            pk__in=_some(model._default_manager.filter(**{f"{column}__lt": since}))
        ).delete()[0]
    )


def _mail(now: datetime) -> int:
    """Empty messages. That they came, from whom, and what was done stays with the game."""
    since = _since("mail", now)
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
    return empty(Mail, _some(old), raw=b"", envelope_to=[])


def _letters(now: datetime) -> int:
    """The text of letters that went out: a page that shows one sets it anew from the record."""
    since = _since("letters", now)
    if since is None:
        return 0
    done = (
        Letter.objects.filter(due_at=None, written_at__lt=since)
        .exclude(text="")
        .exclude(status=Letter.Status.PRINT)
        .order_by("written_at")  # in any other order SQLite looks through all letters
    )
    return Letter.objects.filter(pk__in=_some(done)).update(subject="", text="", html="")


def _mail_files() -> int:
    """Remove letters that were written to files because no mail server is set, by the machine's
    clock."""
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
