"""Record acts of the desk, as evidence: a public sentence, the reason, the changes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from games.models import Act, Game, Person, Phase, Seat
from games.positions import game_row

from .words import DeskError, one_line

LONGEST_REASON = 300


def take_row(game: Game, by: Person | None) -> bool:
    """Lock the game's row for what a gamesmaster does; return whether the game is running.

    Raise `DeskError` if they no longer run it. `by` is None for the service itself, and for what
    players do in their own seats.
    """
    running = game_row.take_row(game)
    if refusal := game_row.refusal_to_run(game, by):
        raise DeskError(refusal)
    return running


def write(
    game: Game,
    kind: str,
    words: str,
    now: datetime,
    *,
    by: Person | None,
    reason: str = "",
    phase: Phase | None = None,
    seat: Seat | None = None,
    private: bool = False,
    **about: Any,
) -> Act:
    """Write an act in the caller's transaction.

    `words` name nations, not persons. `by` is None for the service itself.
    """
    return Act.objects.create(
        game=game,
        phase=phase,
        seat=seat,
        kind=kind,
        words=words[:500],
        reason=reason[:500],
        about=about,
        private=private,
        done_by=by,
        done_at=now,
    )


def clean_reason(reason: str) -> str:
    """Return a reason on one line. Raise `DeskError` if it is empty or too long."""
    line = one_line(reason, "The reason")
    if not line:
        raise DeskError("Enter a reason: it goes to every player.")
    if len(line) > LONGEST_REASON:
        raise DeskError(
            f"The reason is {len(line)} characters long; the limit is {LONGEST_REASON}."
            " Please shorten it."
        )
    return line
