"""Look up the stocks that orders name: a step of the tick (docs/design.md 5), never of a page.

The rows of `StockCheck` are the queue. A worker leases them, asks the market outside any
transaction, and finishes each in a short one that first re-checks the lease. If the market does not
answer, the lookup is tried again later and nobody is told. If the orders have been replaced or the
phase has closed in the meantime, nothing is looked up or written.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from games import permissions, positions
from games.market import SECONDS_TO_ASK, listings
from games.models import Listing, Phase
from games.outbox.messages import game_letters
from games.positions import in_force
from orders.intake import named_stocks
from orders.models import StockCheck

logger = logging.getLogger(__name__)

AT_ONCE = 20  # rows that one worker takes at a time


def claim(now: datetime) -> tuple[str, list[int]]:
    """Lease checks that are due.

    A stock that another worker is looking up is left out until that worker is done.
    """
    symbols_in_progress = StockCheck.objects.held(now).filter(due_at__isnull=False).values("symbol")
    return StockCheck.objects.exclude(symbol__in=symbols_in_progress).claim(now, AT_ONCE)


def check(ids: Sequence[int], token: str, now: datetime) -> None:
    """Look up the stocks of the claimed rows, each once, and tell the senders of doubtful ones.

    A failed lookup is tried again after settings.MARKET["retry_minutes"].
    """
    token, ids = StockCheck.objects.take_over(ids, token, now)
    relations = ("submission__seat__game", "submission__phase__game", "submission__person")
    rows = (
        StockCheck.objects.filter(pk__in=ids, claim=token).select_related(*relations).order_by("pk")
    )
    by_symbol: dict[str, list[StockCheck]] = {}
    for row in rows:
        if _is_useful(row, now):
            by_symbol.setdefault(row.symbol, []).append(row)
        else:
            _finish(row, token)
    retry_at = now + timedelta(minutes=settings.MARKET["retry_minutes"])
    started, down = time.monotonic(), False
    for symbol, rows_of_symbol in by_symbol.items():
        listing = listings.fresh_listings([symbol], now).get(symbol)
        due_at = retry_at
        if listing is None and not down:
            if time.monotonic() - started > SECONDS_TO_ASK:
                due_at = now
            else:
                try:
                    listing = listings.look_up(symbol, now)
                except listings.NoAnswer as error:
                    down = error.down
                    logger.info("%s could not be looked up: %s", symbol, error)
        for row in rows_of_symbol:
            if listing is None:
                _finish(row, token, due_at=due_at)
            else:
                _tell(row, listing, token, now)


def _is_useful(row: StockCheck, now: datetime) -> bool:
    """Return whether the answer is still useful.

    It is while the phase is open and the orders that would be judged now name the stock. Of several
    submissions whose lines are merged (orders.amend = merge_lines), the newest that names the stock
    represents all.
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
        in_force_now = in_force.in_force(phase).get(submission.seat.nation)
        return in_force_now is not None and in_force_now.pk == submission.pk
    nation, state = submission.seat.nation, positions.state_of(phase)
    text = in_force.texts_in_force(phase).get(nation, "")
    understood = phase.game.rules.read(text, nation, state).understood
    return row.symbol in named_stocks.first_lines(phase.game, nation, state, text, understood)


def _tell(row: StockCheck, listing: Listing, token: str, now: datetime) -> None:
    """Finish a check; for a doubtful stock put a letter in the outbox, in one transaction."""
    with transaction.atomic():
        if (
            _finish(row, token)
            and listings.fault(listing, row.submission.phase.game)
            and _is_useful(row, now)
        ):
            game_letters.stock(row.submission, listing, now)


def _finish(row: StockCheck, token: str, due_at: datetime | None = None) -> bool:
    """Release the row, or postpone it to `due_at`. Return False if the lease was lost."""
    return StockCheck.objects.release([row.pk], token, due_at=due_at) == 1
