"""Say what waits for its sender's answer, and which orders cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from games.base import links
from games.models import Game, Seat
from games.positions import in_force
from games.rules import doubts
from orders.models import Submission


@dataclass(frozen=True)
class Question:
    """Orders in doubt, as their sender is told about them.

    `lines`: how we would read all of them; empty if there is no one reading. `consequence`: what
    happens if nobody answers. `link` opens the order page with these lines, and sends nothing.
    """

    number: int
    lines: Sequence[str]
    reasons: Sequence[str]
    consequence: str
    link: str


def lines(submission: Submission) -> Sequence[str]:
    """Return how we would read orders in doubt; empty if there is no one reading."""
    doubt = submission.question
    return doubt.lines if doubt is not None else ()


def question(submission: Submission, state: Any, standing: int | None) -> Question | None:
    """Return what the sender of orders in doubt is asked; None for other orders.

    `state`: the state in which their phase is played. `standing`: the number of orders in force.
    """
    doubt = submission.question
    if doubt is None:
        return None
    errors = [remark for remark in submission.remarks if remark["severity"] == "error"]
    return Question(
        submission.seat_number,
        doubt.lines,
        [remark["message"] for remark in errors],
        consequence(submission, state, standing),
        f"{links.link('orders', submission.game_id, submission.seat_id)}"
        f"?question={submission.seat_number}",
    )


def consequence(submission: Submission, state: Any, standing: int | None) -> str:
    """Return what happens at the deadline if the question is not answered."""
    nation, number = submission.seat.nation, submission.seat_number
    if standing is not None:
        return (
            f"Orders No. {number} are in doubt and change nothing until you confirm them: orders"
            f" No. {standing} stay in force."
        )
    if in_force.counts_at_deadline(submission, state):
        return (
            f"{nation} has no other orders in force, so if you send nothing more, orders No."
            f" {number} count at the deadline as we read them."
        )
    return f"Orders No. {number} are in doubt and do not count unless you confirm them."


def at_deadline(phases: Iterable[int]) -> QuerySet[Submission]:
    """Return the orders in doubt of phases that counted at the deadline, and those that nobody had
    answered then and that did not count, in order. Nobody asks a whole team."""
    asking = Q(doubt__isnull=False, late=False)
    later = Submission.objects.filter(
        in_force.DECIDING | asking,
        phase=OuterRef("phase"),
        seat=OuterRef("seat"),
        number__gt=OuterRef("number"),
    )
    left = asking & Q(seat__team=False) & ~Exists(later)
    rows = Submission.objects.filter(Q(channel=doubts.CHANNEL) | left, phase__in=phases)
    return rows.select_related("seat").order_by("number")


def left(rows: Iterable[Submission], seat: Seat) -> list[str]:
    """Return, as sentences, which orders of a nation in doubt did not count at the deadline.

    `rows`: from `at_deadline`, for one phase.
    """
    return [
        f"Orders No. {row.seat_number} were in doubt and were not confirmed before the deadline, so"
        " they did not count."
        for row in rows
        if row.seat_id == seat.pk and not row.counts
    ]


def binding(game: Game, state: Any, nation: str, understood: Sequence[str]) -> list[str]:
    """Return, as sentences, the orders among canonical lines that cannot be taken back once judged.

    `state` is the nation's view.
    """
    lines = [line for line in understood if game.rules.verbs.binds(line, game.options)]
    if not lines:
        return []
    spoken = game.rules.speech.orders(state, nation, "\n".join(lines), {})
    return [sentence for _, sentence in spoken]


def how_to_take_back(number: int, until: str) -> str:
    """Return how orders that bind are taken back. `number` of them, `until` the deadline."""
    it, line = ("It", "that line") if number == 1 else ("They", "those lines")
    return (
        f"{it} cannot be taken back once judged. Until {until} you can: send CANCEL, or your orders"
        f" again without {line}."
    )
