"""Looking up the stocks that orders name: a step of the tick (docs/design.md 5), never a part of a
page.

The rows of `StockCheck` are the queue. A worker takes them by a lease, asks the market outside of
any transaction, and finishes each in a short one that first makes sure that the lease is still its
own. A market that does not answer is asked again later, and nobody is told. Where the orders have
been replaced or the phase has closed meanwhile, nothing is written and nobody asked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from games import permissions, positions
from games.market import listings
from games.models import Listing, Phase
from games.outbox.messages import game
from orders import in_force

from . import named_stocks
from .models import StockCheck

logger = logging.getLogger(__name__)

#: What one worker takes at a time, and how long it goes on asking: the lease must outlast the
# slowest answer.
AT_ONCE = 20
SECONDS_TO_ASK = 45.0


def claim(now: datetime) -> tuple[str, list[int]]:
    """Take checks that are due, by a lease. A stock that another worker is asking for waits for
    that worker."""
    asked = StockCheck.objects.held(now).filter(due_at__isnull=False).values("symbol")
    return StockCheck.objects.exclude(symbol__in=asked).claim(now, AT_ONCE)


def check(ids: Sequence[int], token: str, now: datetime) -> None:
    """Looks up what the claimed rows ask for, each stock once, and tells the senders of doubtful
    ones."""
    token, ids = StockCheck.objects.take_over(ids, token, now)
    about = ("submission__seat__game", "submission__phase__game", "submission__person")
    rows = StockCheck.objects.filter(pk__in=ids, claim=token).select_related(*about).order_by("pk")
    by_symbol: dict[str, list[StockCheck]] = {}
    for row in rows:
        if _stands(row, now):
            by_symbol.setdefault(row.symbol, []).append(row)
        else:
            _finish(row, token)
    later = now + timedelta(minutes=settings.MARKET["retry_minutes"])
    started, down = time.monotonic(), False
    for symbol, asking in by_symbol.items():
        listing = listings.fresh([symbol], now).get(symbol)
        until = later
        if listing is None and not down:
            if time.monotonic() - started > SECONDS_TO_ASK:
                until = now
            else:
                try:
                    listing = listings.look_up(symbol, now)
                except listings.NoAnswer as error:
                    down = error.down
                    logger.info("%s could not be looked up: %s", symbol, error)
        for row in asking:
            if listing is None:
                _finish(row, token, due_at=until)
            else:
                _tell(row, listing, token, now)


def _stands(row: StockCheck, now: datetime) -> bool:
    """Whether the answer can still be of use: the phase is open, and what would be judged now names
    the stock in these orders.

    Of several submissions that are put together (orders.amend = merge_lines) the newest that names
    the stock stands for all.
    """
    submission, phase = row.submission, row.submission.phase
    if phase.status != Phase.Status.OPEN or now >= phase.deadline:
        return False
    if submission.person is None or not permissions.may_order(
        submission.person, submission.seat, phase
    ):
        return False
    newer = StockCheck.objects.filter(
        submission__phase=phase, submission__seat=submission.seat, submission__counts=True
    )
    if newer.filter(symbol=row.symbol, submission__number__gt=submission.number).exists():
        return False
    if phase.game.options["orders.amend"] != "merge_lines":
        standing = in_force.in_force(phase).get(submission.seat.nation)
        return standing is not None and standing.pk == submission.pk
    nation, state = submission.seat.nation, positions.state_of(phase)
    text = in_force.texts_in_force(phase).get(nation, "")
    understood = phase.game.rules.read(text, nation, state).understood
    return row.symbol in named_stocks.first_lines(phase.game, nation, state, text, understood)


def _tell(row: StockCheck, listing: Listing, token: str, now: datetime) -> None:
    """One transaction: the row is done with, and where the stock is doubtful a letter lies in the
    outbox."""
    with transaction.atomic():
        if (
            _finish(row, token)
            and listings.fault(listing, row.submission.phase.game)
            and _stands(row, now)
        ):
            game.stock(row.submission, listing, now)


def _finish(row: StockCheck, token: str, due_at: datetime | None = None) -> bool:
    return StockCheck.objects.release([row.pk], token, due_at=due_at) == 1
