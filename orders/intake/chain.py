"""The end of a game's chain of submissions: lock it, and add one submission to it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, Subquery

from games import positions
from games.models import Game, Phase, Seat
from orders.models import Submission

#: The columns of a game that change during play and matter to what is received.
CHANGING = ("status", "last_submission", "may_lock_early", "paused_at", "record_hash")


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
    #: The last number of the seat, where locking the game's row has already reserved the next
    #: submission number of the game.
    seat_number: int | None = None


#: The columns of `CHANGING`, read together with the phase. The prefix keeps them apart from columns
#: of the phase with the same name.
_OF_GAME = {f"game_{name}": F(f"game__{name}") for name in CHANGING}


def take(game: Game, seat: Seat | None = None) -> LockedGame:
    """Lock a game's row and return its current phase and the end of its chain.

    Call it in a transaction. With a `seat`, for one submission of that seat: the row is locked by
    writing the submission's number. Without a seat, for an intake that does several things under
    one lock (orders.inbound.execution).
    """
    number = F("last_submission") + int(seat is not None)
    Game.objects.filter(pk=game.pk).update(last_submission=number)
    submissions = Submission.objects.filter(game=game).order_by("-number")
    phases = game.phases.annotate(newest_hash=Subquery(submissions.values("hash")[:1]), **_OF_GAME)
    # Only for one submission: a message may do several things, and a position read here gets stale.
    if seat is not None:
        own = submissions.filter(seat=seat).values("seat_number")[:1]
        phases = positions.annotate_positions(phases).annotate(newest_of_seat=Subquery(own))
    phase = phases.current()
    if phase is None:
        game.refresh_from_db(fields=CHANGING)
    else:
        phase.game = game
        for name in CHANGING:
            setattr(game, name, phase.__dict__[f"game_{name}"])
    if phase is None:
        return LockedGame(game, phase, "")
    last_hash = phase.__dict__["newest_hash"] or ""
    if seat is None:
        return LockedGame(game, phase, last_hash)
    game.last_submission -= 1
    return LockedGame(game, phase, last_hash, phase.__dict__["newest_of_seat"] or 0)


def enter(submission: Submission, held: LockedGame) -> None:
    """Number a submission in its game and its seat, chain it to the one before, and save it."""
    submission.number = held.game.last_submission + 1
    last = held.seat_number
    if last is None:
        seat_rows = Submission.objects.filter(seat=submission.seat_id).order_by("-seat_number")
        last = seat_rows.values_list("seat_number", flat=True).first() or 0
        Game.objects.filter(pk=held.game.pk).update(last_submission=submission.number)
    submission.seat_number = last + 1
    submission.previous_hash = held.last_hash
    submission.hash = submission.chain_hash()
    submission.save()
    held.seat_number = None  # the next submission reads its own numbers
    held.game.last_submission, held.last_hash = submission.number, submission.hash
