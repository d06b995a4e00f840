"""Decide whether the mark Final of orders still holds (early end, `games.turns.deadlines`).

The mark says that their sender needs no more time. It says nothing about who takes the seat over
afterwards: the orders stay in force, the mark lapses.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Min, Q

from games import positions
from games.models import Game, Phase, Seat
from orders.models import Submission


def lapse(rows: Iterable[Submission]) -> None:
    """Clear `final` of submissions whose mark no longer holds, on these objects only.

    A mark holds if it was made since the present player sat down, in a team since the first of
    its present members did; a bot's never holds for a person. Where nobody sits, it holds: an empty
    seat is not waited for, and a bot needs no time. For allies the seat that sends their orders
    decides (N4). A locked phase keeps its marks, and so does the record.

    Each row has its phase, with the game. At most one query.
    """
    marked = [
        row
        for row in rows
        if row.final and row.phase.locked_at is None and row.phase.game.may_lock_early
    ]
    if not marked:
        return
    games = {row.phase.game_id: row.phase.game for row in marked}
    began = _sittings_began(games.values())
    nations = {seat: nation for seat, nation, _ in began}
    since_by_place = {(nations[seat], game): since for (seat, _, game), since in began.items()}
    for row in marked:
        nation = nations[row.seat_id]
        sender = row.phase.controllers.get(nation, nation)
        since = since_by_place.get((sender, row.phase.game_id))
        row.final = since is None or (
            row.channel != Submission.Channel.PROGRAM and row.received_at >= since
        )


def seats_waited_for(phase: Phase, state: Any) -> list[Seat]:
    """Return the seats whose orders have to be final before a phase ends early.

    They could order something in this state, and a player or a bot sends their orders.
    """
    rules, known = phase.game.rules, phase.game.seats_read
    return [
        seat
        for seat, sender in positions.senders(phase, state, known)
        if sender.bot
        or (sender.sittings.current().exists() if known is None else sender.sitting_now)
        if rules.could_order(state, seat.nation)
    ]


def _sittings_began(games: Iterable[Game]) -> dict[tuple[int, str, int], datetime | None]:
    """Return the earliest beginning of a present sitting, or None, by seat, nation and game."""
    began: dict[tuple[int, str, int], datetime | None] = {}
    unread = []
    for game in games:
        if game.seats_read is None:
            unread.append(game.pk)
        for seat in game.seats_read or ():
            since = min((sitting.since for sitting in seat.sitting_now or ()), default=None)
            began[seat.pk, seat.nation, game.pk] = since
    if unread:
        first = Min("sittings__since", filter=Q(sittings__until=None))
        rows = Seat.objects.filter(game__in=unread).order_by().annotate(began=first)
        for pk, nation, game_id, since in rows.values_list("pk", "nation", "game", "began"):
            began[pk, nation, game_id] = since
    return began
