"""Close a phase to orders."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from games import market, positions
from games.evidence import hashes
from games.models import Phase
from games.rules.verification import record
from games.turns import in_doubt, lifecycle
from games.turns.lifecycle import Event
from games.turns.load import Due


def close(due: Due, now: datetime) -> None:
    """Lock a phase in memory: set its digest, who missed it and, if it needs digits, its session.

    A phase that needs digits gives up its lease, so that the next worker to claim it draws.
    """
    phase, game = due.phase, due.game
    in_doubt.enter(due, now)
    # Clocks differ and can be set back: the session must open after the last order that counts.
    phase.locked_at = max(now, phase.opened_at, due.received or now)
    phase.leaves = {
        nation: record.leaf(nation, orders_of.text, orders_of.salt)
        for nation, orders_of in due.stands.items()
    }
    phase.digest = record.digest(phase.leaves)
    phase.teams, phase.holders = due.teams, hashes.holders(due.sittings)
    phase.remind_at, phase.missed = None, _silent_nations(due)
    to, due_at = Phase.Status.LOCKED, phase.locked_at
    lease: Mapping[str, Any] = {}
    if phase.draws:  # in other phases the orders need not be read yet
        orders = game.rules.in_force(due.state, dict(due.case.sent))
        stocks = game.rules.stocks_to_read(due.state, orders, game.reserves)
        if stocks is not None:  # else all attacks are void and need not wait for the market
            to, lease = Phase.Status.DRAWING, lifecycle.FREE
            if market.sales_decide(game):
                phase.stocks = list(stocks)
                basis = market.basis(phase, due.received)
                market.fix_session(phase, market.session_for(game, basis, due.closed))
                due_at = phase.first_reading_at or due_at
    lifecycle.change(phase, Event.CLOSED, to=to, due_at=due_at, attempts=0, fault="", **lease)


def _silent_nations(due: Due) -> list[str]:
    """Return the nations played by people that are asked for orders and have none in force.

    An ally's silence does not count (N7): nobody sits there, so no seat is reported vacant for it.
    Nobody misses a phase in which silence is ordinary play.
    """
    phase = due.phase
    if due.game.rules.facts(phase.id_in_rules, due.game.options).voluntary:
        return []
    occupied = {sitting.seat_id for sitting in due.sittings if sitting.until is None}
    return [
        seat.nation
        for seat, sender in positions.senders(phase, due.state, due.seats)
        if seat.nation not in due.stands and not sender.bot and sender.pk in occupied
        if due.game.rules.could_order(due.state, seat.nation)
    ]
