"""How the scores of a game went, phase by phase, as somebody may see them: what is hidden while a
game runs is not in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from games import permissions
from games.models import Game, Phase, Resolution


@dataclass(frozen=True)
class Mark:
    """The scores that a phase left; `scores` is empty where nobody is told before the end."""

    phase: Phase
    version: int
    when: datetime
    scores: Mapping[str, int]
    winners: tuple[str, ...]
    sums: tuple[
        tuple[tuple[str, str], int, int], ...
    ] = ()  # of each alliance: who, its points together, those of all others


def marks(game: Game, viewer: str | None) -> list[Mark]:
    """One for every judged phase that counts, oldest first, by the version that holds; in one
    question.

    In a refereed game one for every turn, as its last phase left it: there are a dozen phases a
    turn, of which most change no score.
    """
    rows = Resolution.objects.filter(
        phase__game=game, phase__status=Phase.Status.RESOLVED
    ).select_related("phase")
    holds = {
        row.phase_id: row
        for row in rows.defer("before", "orders", "events", "remarks").order_by(
            "phase__number", "version"
        )
    }
    found = []
    last = {row.phase.turn: row.phase_id for row in holds.values()} if game.rules.referee else {}
    for row in holds.values():
        row.phase.game = game
        if last and last[row.phase.turn] != row.phase_id:
            continue
        standing = game.rules.standing(permissions.view(game, row.after, viewer))
        found.append(
            Mark(
                row.phase,
                row.version,
                row.resolved_at,
                standing.scores,
                tuple(row.winners or ()),
                standing.sums(),
            )
        )
    return found
