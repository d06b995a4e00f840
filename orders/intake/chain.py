"""The end of a game's chain of submissions: lock it, and add one submission to it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import connection

from games.models import Game, Phase, Seat
from games.positions import game_row
from orders.models import Submission

#: Lock a game's row; return the columns that change during play and matter to what is received.
#: Like the next statement, plain SQL: Django takes longer to build the two than all else of an
#: order's receipt takes in the database.
_LOCK = """
    UPDATE games_game SET last_submission = last_submission + %s WHERE id = %s
    RETURNING status, last_submission, may_lock_early, record_hash
"""
#: The newest phase that no ruling has undone, the position in which it is played
#: (`positions.annotate_positions`), the ends of the chains of its game and of a seat, and `seated`,
#: which tells whether another player sits in the game or speaks for a team: who comes changes the
#: maximum, who only leaves the first sum, and another spokesman the second. Apart from the lock,
#: because a statement that waited for it does not see what was written meanwhile.
_CURRENT = """
    SELECT phase.*, result.id AS result_before, result.after AS read_position,
        (SELECT newest.hash FROM orders_submission newest WHERE newest.game_id = phase.game_id
            ORDER BY newest.number DESC LIMIT 1) AS newest_hash,
        (SELECT newest.seat_number FROM orders_submission newest WHERE newest.seat_id = %s
            ORDER BY newest.seat_number DESC LIMIT 1) AS newest_of_seat,
        (SELECT CAST(MAX(sitting.id) AS text) || ' ' || CAST(SUM(sitting.id) AS text) || ' ' ||
                CAST(SUM(CASE WHEN sitting.spokesman THEN sitting.id ELSE 0 END) AS text)
            FROM games_sitting sitting JOIN games_seat held ON held.id = sitting.seat_id
            WHERE held.game_id = phase.game_id AND sitting.until IS NULL) AS seated
    FROM games_phase phase
    LEFT JOIN games_resolution result ON result.id = (SELECT last.id FROM games_resolution last
        WHERE last.phase_id = phase.previous_id ORDER BY last.version DESC LIMIT 1)
    WHERE phase.game_id = %s AND phase.status <> %s
    ORDER BY phase.number DESC LIMIT 1
"""


class LedgerError(Exception):
    """The orders could not be received. `str()` is one sentence for the sender."""


@dataclass
class LockedGame:
    """A game whose row the caller has locked until the end of the transaction.

    `phase` is its current phase and `last_hash` the end of the chain. Both advance as submissions
    are written.
    """

    game: Game
    phase: Phase | None
    last_hash: str
    #: The last number of each seat that is known, by its id.
    seat_numbers: dict[int, int] = field(default_factory=dict)
    #: Whether locking the game's row has written the number of the next submission.
    numbered: bool = False


def take(game: Game, seat: Seat | None = None, *, several: bool = False) -> LockedGame:
    """Lock a game's row and return its current phase and the end of its chain.

    Call it in a transaction, for one submission of that seat: the row is locked by writing the
    submission's number (`give_back` if there may be none). `several`: for an intake that does
    several things under one lock (orders.inbound.execution), mostly for that seat.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [int(not several), game.pk])
        game.status, number, early, game.record_hash = cursor.fetchone()
    game.last_submission, game.may_lock_early = number - int(not several), bool(early)
    asked = [seat.pk if seat is not None else None, game.pk, Phase.Status.UNDONE.value]
    phase = next(iter(Phase.objects.raw(_CURRENT, asked)), None)
    if phase is None:
        return LockedGame(game, None, "", numbered=not several)
    phase.game = game
    read = phase.__dict__
    if read["read_position"] is not None:
        read["read_position"] = json.loads(read["read_position"])
    if game.seats_read is not None and read["seated"] != _seated(game.seats_read):
        game_row.forget_seats(game)  # a player came, left or became spokesman meanwhile
    numbers = {} if seat is None else {seat.pk: read["newest_of_seat"] or 0}
    return LockedGame(game, phase, read["newest_hash"] or "", numbers, numbered=not several)


def _seated(seats: Iterable[Seat]) -> str | None:
    """Return `seated` of `_CURRENT`, of seats that `permissions.load_seats` has read."""
    sittings = [sitting for seat in seats for sitting in seat.sitting_now or ()]
    numbers = [sitting.pk for sitting in sittings]
    speaking = sum(sitting.pk for sitting in sittings if sitting.spokesman)
    return f"{max(numbers)} {sum(numbers)} {speaking}" if numbers else None


def give_back(held: LockedGame) -> None:
    """Take back the number that locking the row has written, if no submission has got it."""
    if held.numbered:
        Game.objects.filter(pk=held.game.pk).update(last_submission=held.game.last_submission)
        held.numbered = False


def enter(submission: Submission, held: LockedGame) -> None:
    """Number a submission in its game and its seat, chain it to the one before, and save it."""
    seat = submission.seat_id
    submission.number = held.game.last_submission + 1
    if not held.numbered:
        Game.objects.filter(pk=held.game.pk).update(last_submission=submission.number)
    if (last := held.seat_numbers.get(seat)) is None:
        rows = Submission.objects.filter(seat=seat).order_by("-seat_number")
        last = rows.values_list("seat_number", flat=True).first() or 0
    submission.seat_number = held.seat_numbers[seat] = last + 1
    submission.previous_hash = held.last_hash
    submission.hash = submission.chain_hash()
    submission.save()
    held.numbered = False
    held.game.last_submission, held.last_hash = submission.number, submission.hash
