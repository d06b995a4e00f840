"""The scores of a game phase by phase, as far as a person may see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from games import permissions, positions
from games.models import Game, Phase, Resolution


@dataclass(frozen=True)
class Mark:
    """The scores after a phase; `scores` is empty if they are secret until the end."""

    phase: Phase
    version: int
    when: datetime
    scores: Mapping[str, int]
    winners: tuple[str, ...]
    #: Of each alliance: its members, their points together, those of all others.
    sums: tuple[tuple[tuple[str, str], int, int], ...] = ()


def marks(game: Game, viewer: str | None) -> list[Mark]:
    """Return the marks of all judged phases that count, oldest first, by their newest version.

    A game with score sheets has one mark per turn, after its last phase, because few of its dozen
    phases change a score. This takes one query.
    """
    rows = Resolution.objects.filter(
        phase__game=game, phase__status=Phase.Status.RESOLVED
    ).select_related("phase")
    current = {
        row.phase_id: row
        for row in rows.defer("before", "orders", "events", "remarks").order_by(
            "phase__number", "version"
        )
    }
    judged = list(current.values())
    for row in judged:
        row.phase.game = game
    if judged:
        positions.entitle(game, [row.phase for row in judged], judged[-1].after)
    history = []
    last = {row.phase.turn: row.phase_id for row in judged} if game.rules.score_sheets else {}
    for row in judged:
        if last and last[row.phase.turn] != row.phase_id:
            continue
        standing = game.rules.standing(permissions.view(game, row.after, viewer))
        history.append(
            Mark(
                row.phase,
                row.version,
                row.resolved_at,
                standing.scores,
                tuple(row.winners or ()),
                standing.sums(),
            )
        )
    return history
