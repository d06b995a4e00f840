"""Send notices under a lease, each channel's in order, and remove channels that fail for good.

A notice sent twice, because a worker died after sending it, does no harm. Notices never delay
letters.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Q, Value, When

from games.base import ending, https
from games.models import Channel, Notice
from games.models.leased import LeasedQuerySet
from games.outbox import channel_events, personal_webhooks
from games.outbox.messages import account_letters
from games.webhooks import browsers, words

logger = logging.getLogger(__name__)

Status = Notice.Status
#: Minutes until the next try, by number of failures; after the last try the channel is removed.
RETRY_MINUTES = (1, 5, 15, 60, 180)
LONGEST_WAIT = timedelta(hours=3)
#: Answers after which no retry can succeed: the webhook has been deleted or locked.
GONE = (401, 403, 404, 405, 410)
#: Among notices written at the same time, the report on a phase precedes the next deadline.
_ORDER = Case(
    *(
        When(key__contains=f"/{name}/", then=Value(1))
        for name, event in channel_events.EVENTS.items()
        if event.after_others
    ),
    default=Value(0),
)
_REMOVED = "The channel was removed."
_DONE: dict[str, Any] = {"due_at": None, "claim": "", "claimed_until": None}
A_TASK = 10  # each may take 15 seconds if a channel does not answer


def claim(now: datetime, most: int = A_TASK) -> tuple[str, list[int]]:
    """Take notices that are due, by a lease, in the order in which they were written."""
    return Notice.objects.claim(now, most, Q(status=Status.QUEUED), ("written_at", _ORDER, "pk"))


def send(ids: Sequence[int], token: str, now: datetime) -> int:
    """Send the notices of a claim; return how many. After a failure its channel waits."""
    began, sent, waiting = time.monotonic(), 0, set[int]()
    time_limit = settings.LEASE_SECONDS / 2  # the last notice may take `wire.LONGEST_SECONDS`
    token, owned = _queue().take_over(ids, token, now)
    for pk in owned:
        notice = (
            _queue()
            .select_related("channel__game", "channel__person")
            .filter(pk=pk, claim=token)
            .first()
        )
        if notice is None:
            continue
        late = ending.is_asked() or time.monotonic() - began > time_limit
        if late or notice.channel_id in waiting:
            _queue().release([pk], token)
        elif _deliver(notice, token, now):
            sent += 1
        else:
            waiting.add(notice.channel_id)
    return sent


def _queue() -> LeasedQuerySet[Notice]:
    return Notice.objects.filter(status=Status.QUEUED)


def _deliver(notice: Notice, token: str, now: datetime) -> bool:
    channel = notice.channel
    if channel.removed_at is not None:
        _finish(notice, token, Status.FAILED, _REMOVED, None)
        return False
    try:
        answer = _post(notice, now)
    except https.WebhookError as refused:
        _give_up(notice, token, str(refused), now)
        return False
    except https.NoAnswerError as error:
        return _fail(notice, token, str(error), now)
    except Exception as error:
        logger.exception("notice %s could not be made", notice.pk)
        return _fail(notice, token, f"{type(error).__name__}", now)
    if answer is None or 200 <= answer.status < 300:
        _finish(notice, token, Status.SENT, "", now)
        return True
    why = f"it answered with {answer.status}"
    if answer.status in GONE:
        _give_up(notice, token, f"The webhook is gone: {why}.", now)
        return False
    return _fail(notice, token, why, now, answer.retry_after)


def _post(notice: Notice, now: datetime) -> https.Answer | None:
    """Send a notice. Return None if it no longer has any text."""
    channel = notice.channel
    if channel.kind == Channel.Kind.BROWSER:
        return https.post(channel.url, *browsers.message(notice))
    if channel.person_id is not None:
        return https.post(channel.url, *personal_webhooks.message(notice, now))
    notice_text = channel_events.text_of(notice)
    return (
        https.post(channel.url, words.body(channel.kind, notice_text))
        if notice_text is not None
        else None
    )


def _own_rows(notice: Notice, token: str) -> LeasedQuerySet[Notice]:
    return _queue().filter(pk=notice.pk, claim=token)


def _finish(notice: Notice, token: str, status: str, fault: str, sent_at: datetime | None) -> bool:
    done = {**_DONE, "status": status, "fault": fault[:300], "sent_at": sent_at}
    return _own_rows(notice, token).update(**done, attempts=F("attempts") + 1) == 1


def _fail(
    notice: Notice, token: str, why: str, now: datetime, retry_after: float | None = None
) -> bool:
    """Postpone a notice, by the time that the channel asks for, or give up after the last try."""
    failures = notice.attempts + 1
    if failures > len(RETRY_MINUTES):
        _give_up(notice, token, f"{failures} tries failed, the last because {why}.", now)
        return False
    wait = timedelta(minutes=RETRY_MINUTES[failures - 1])
    if retry_after is not None:
        wait = min(LONGEST_WAIT, max(wait, timedelta(seconds=retry_after)))
    with transaction.atomic():
        _own_rows(notice, token).update(
            due_at=now + wait, attempts=failures, fault=why[:300], claim="", claimed_until=None
        )
        # Later notices wait too, because a channel gets events in their order.
        later_notices = _queue().filter(
            channel=notice.channel_id, written_at__gte=notice.written_at
        )
        later_notices.filter(due_at__lt=now + wait).update(due_at=now + wait)
    logger.warning("notice %s put off: %s", notice.pk, why)
    return False


def _give_up(notice: Notice, token: str, why: str, now: datetime) -> None:
    """Remove the channel, drop its notices, and tell its people, in one transaction.

    A browser ends its subscription when its owner blocks the site or clears its data. That needs no
    letter, because “About you” offers notifications again.
    """
    with transaction.atomic():
        if not _finish(notice, token, Status.FAILED, why, None):
            return
        removed = Channel.objects.filter(pk=notice.channel_id, removed_at=None).update(
            removed_at=now, removed_because=why[:200], url="", p256dh="", auth=""
        )
        if removed:
            rest = _queue().filter(channel=notice.channel_id)
            rest.update(**_DONE, status=Status.FAILED, fault=_REMOVED)
            if notice.channel.kind != Channel.Kind.BROWSER:
                account_letters.report_lost_channel(notice.channel, now)
    logger.error("channel %s given up: %s", notice.channel_id, why)
