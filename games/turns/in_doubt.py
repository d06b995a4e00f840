"""Enter orders in doubt at the lock, where they count (games.rules.doubts)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from games.models import Game
from games.rules import doubts
from games.rules.plain import editions
from games.rules.teams import OrdersInForce
from games.turns.load import Due
from orders.models import Submission


def enter(due: Due, now: datetime) -> None:
    """Put orders in doubt that count in force, in memory, as submissions of the service.

    Each arrives at the very deadline, so that it is in time and changes no session. The caller
    saves `due.entered`.
    """
    phase, chain = due.phase, due.chain
    if chain is None or not phase.has_deadline or now < phase.closes_at:
        return
    rules, options = due.game.rules, due.game.options
    counting = doubts.counting(rules, due.state, options, due.questions, due.stands, due.teams)
    seats = {seat.nation: seat for seat in due.seats}
    stands = dict(due.stands)
    for nation in sorted(counting, key=lambda nation: counting[nation].number):
        doubt = counting[nation].doubt
        assert doubt is not None, "only orders in doubt are entered"
        text, seat = doubts.text_of(doubt), seats[nation]
        chain.number += 1
        row = Submission(
            game=due.game,
            number=chain.number,
            seat=seat,
            seat_number=chain.seat_numbers.get(seat.pk, 0) + 1,
            phase=phase,
            received_at=phase.closes_at,
            channel=Submission.Channel.DOUBT,
            text=text,
            understood=[list(line) for line in rules.read(text, nation, due.state).understood],
            edition=editions.EDITION,
            counts=True,
            salt=secrets.token_hex(16),
            previous_hash=chain.last_hash,
        )
        row.hash = chain.last_hash = row.chain_hash()
        due.entered.append(row)
        stands[nation] = OrdersInForce(text, row.number, row.salt, False, text)
        due.head, due.received = row.hash, max(phase.closes_at, due.received or phase.closes_at)
    if due.entered:
        due.stands = stands
        due.game.last_submission = chain.number
        due.case = replace(due.case, sent={key: item.judged for key, item in stands.items()})


def save(due_phases: Iterable[Due]) -> None:
    """Write the submissions entered at these locks, and the last numbers of their games."""
    entering = [due for due in due_phases if due.entered]
    Submission.objects.bulk_create(row for due in entering for row in due.entered)
    for due in entering:
        Game.objects.filter(pk=due.game.pk).update(last_submission=due.game.last_submission)
