"""Reports of a gamesmaster by mail: who may send one, its verbs, and who answers it.

The package of a guest has the answers (its module `inbound`), because only its game says what a
report is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol, cast

from games import permissions
from games.models import Game, Person, Phase, Seat
from games.rules import REFEREE_SEAT, registry
from orders.models import Submission

from .parsing.message import File
from .parsing.normalize import order_heads
from .replies.outcome import Section


class Answers(Protocol):
    """What a game answers to the mail of a gamesmaster who sends reports, section by section."""

    def answer_report(
        self, submission: Submission, person: Person, state: Any, replaced: int
    ) -> Sequence[Section]: ...

    def mark_final(self, submission: Submission, person: Person, final: bool) -> Section: ...

    def answer_cancel(self, submission: Submission) -> Section: ...

    def keep_files(
        self, phase: Phase, person: Person, files: Sequence[File], now: datetime
    ) -> Section: ...

    def holds(
        self, seat: Seat, phase: Phase, current: Phase | None, person: Person, now: datetime
    ) -> Section: ...

    def orders_section(self, seat: Seat, phase: Phase, person: Person) -> Section: ...

    def guide(self, seat: Seat, phase: Phase) -> Sequence[Section]: ...


def answers(game: Game) -> Answers:
    """Return the answers of a game that has a seat for reports."""
    return cast(Answers, registry.part(game.ruleset_id, "inbound"))


def verbs(game: Game | None, person: Person | None) -> tuple[str, ...]:
    """Return the words that lines of a message to a game can begin with.

    Those of a report, if its writer may send one.
    """
    if game is None or person is None:
        return order_heads()
    seat = REFEREE_SEAT if permissions.referees(person, game) else ""
    return game.rules.writing.verbs(seat) or order_heads()


def seats(person: Person, game: Game) -> list[Seat]:
    """Return the referee seat if the person may send reports for the game; otherwise nothing."""
    if not permissions.referees(person, game):
        return []
    return [seat for seat in game.seats.all() if seat.referee]
