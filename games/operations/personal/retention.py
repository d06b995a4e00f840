"""Remove data that is no longer needed: once an hour, by the tick, in small batches.

`games.operations.personal.data` declares what goes when, and `settings.KEEP` has the limits. What
is not about people goes too: pictures, counters, sessions.
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
from django.db.models import Model, QuerySet
from django.utils import timezone

from games.accounts import rate_limits
from games.boards import images
from games.models import Pulse
from games.models.evidence import Evidence, empty

from .data import DATA
from .declaration import Old

logger = logging.getLogger(__name__)

EVERY = timedelta(hours=1)
#: Rows of a kind in one batch, so that a tick is never long; the rest follows a minute later.
AT_ONCE = 500
SOON = timedelta(minutes=1)
MONTH = timedelta(days=30.44)


def look_after(now: datetime) -> dict[str, int]:
    """Remove old data, once an hour. Return how many rows, by kind."""
    if not Pulse.objects.take_turn("retention", EVERY, now):
        return {}
    try:
        removed = carry_out(now)
        if any(number >= AT_ONCE for number in removed.values()):
            Pulse.objects.filter(name="retention").update(at=now - EVERY + SOON)
        return removed
    except Exception:  # retried in an hour; no deadline depends on it
        logger.exception("what is old could not be removed")
        return {}


def carry_out(now: datetime) -> dict[str, int]:
    """Remove or empty old data, at most `AT_ONCE` rows of each kind; return how many, by kind."""
    removed = {data.old.name: _remove(data.model, data.old, now) for data in DATA if data.old}
    removed |= {
        "pictures": images.tidy(),
        "mail files": _mail_files(),
        "tallies": rate_limits.clear(now),
        # Django computes their end by the machine's clock; the service's own may be ahead
        # (GAMESMASTER_CLOCK).
        "sessions": Session.objects.filter(
            pk__in=_batch(Session.objects.filter(expire_date__lt=timezone.now()))
        ).delete()[0],
    }
    return {kind: number for kind, number in removed.items() if number}


def _remove(model: type[Model], old: Old, now: datetime) -> int:
    """Remove or empty a batch of rows that are old; return how many."""
    rows = model._default_manager.filter(old.only)
    age = settings.KEEP[old.limit] * MONTH if old.limit else old.age
    if old.limit and not age:  # kept forever
        return 0
    if age is not None:
        rows = rows.filter(**{f"{old.since}__lt": now - age})
    if old.values is None:
        return model._default_manager.filter(pk__in=_batch(rows)).delete()[0]
    batch = _batch(rows.order_by(old.since))  # otherwise SQLite looks through all letters
    if issubclass(model, Evidence):
        return empty(model, batch, **old.values)
    return model._default_manager.filter(pk__in=batch).update(**old.values)


def _batch(rows: QuerySet[Any]) -> list[Any]:
    return list(rows.values_list("pk", flat=True)[:AT_ONCE])


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
