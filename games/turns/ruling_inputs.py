"""Load all that a ruling is planned from, once and in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, prefetch_related_objects

from games import positions
from games.evidence.record_rows import root_of
from games.models import Game, Motion, Phase, Resolution, Ruling, Seat
from games.rules import rulings as pure
from games.turns import judging, load
from games.turns.load import Due

Json = dict[str, Any]


@dataclass(frozen=True)
class RulingInputs:
    """The inputs of a ruling's plan, which needs no further query.

    `phase`: the one the ruling is about; if it revokes another, the one that was about. All phases
    have the same `game`.
    """

    game: Game
    phase: Phase
    rulings: tuple[pure.Ruling, ...]  # those made so far, in order
    revokes: Ruling | None
    root: Ruling | None  # where revocations of revocations end: the ruling first revoked
    line: tuple[Phase, ...]  # the phases that no ruling has undone, in order of play
    restored: tuple[Phase, ...]  # those that `revokes` has undone
    results: Mapping[int, Resolution]  # newest versions of these phases and those before, by phase
    due: Mapping[int, Due]  # the closed phases that may be judged again, by id
    votes: tuple[Motion, ...]  # that are open, where phases may be undone
    last_result: Resolution | None  # the one that left the game's current position

    @property
    def position(self) -> Json:
        """Return the game's current position."""
        return self._position_after(self.last_result)

    def position_before(self, phase: Phase) -> Json:
        """Return the current position before the ruling's phase or a restored one."""
        return self._position_after(self.results.get(phase.previous_id or 0))

    def _position_after(self, result: Resolution | None) -> Json:
        return result.after if result is not None else positions.start_position(self.game)


def load_inputs(game: Game, phase: Phase, kind: str, what: Json) -> RulingInputs:
    """Load the inputs of a ruling. `game`: newly read, so that it knows its newest ruling.

    `revokes` is None if there is no ruling of the number that a revocation names.
    """
    prefetch_related_objects([game], Prefetch("seats", Seat.objects.order_by("ordinal")))
    rows = list(game.rulings.select_related("phase", "revokes").order_by("number"))
    known = tuple(judging.ruling_for_rules(row) for row in rows)
    number = what.get("ruling") if kind == "revoke" and isinstance(what, dict) else None
    revokes = next((row for row in rows if row.number == number), None)
    phases = {row.pk: row for row in game.phases.order_by("number")}
    for row in phases.values():
        row.game = game
    phase = phases[revokes.phase_id if revokes is not None else phase.pk]
    line = tuple(row for row in phases.values() if row.status != Phase.Status.UNDONE)
    restored = tuple(
        row for row in phases.values() if revokes is not None and row.undone_by_id == revokes.pk
    )
    turns_back = kind == "rollback" or bool(restored)
    # A rollback judges nothing again, and revoking one only what it had undone.
    later = [row for row in line if row.number >= phase.number]
    affected = [phase, *([] if kind == "rollback" else restored or later)]
    closed = list({row.pk: row for row in affected if row.locked_at is not None}.values())
    last = next((row for row in reversed(line) if row.status == Phase.Status.RESOLVED), None)
    read = {row.pk for row in affected} | {row.previous_id for row in affected if row.previous_id}
    if last is not None:
        read.add(last.pk)
    versions = Resolution.objects.filter(phase__in=read).order_by("version")
    results = {version.phase_id: version for version in versions}
    return RulingInputs(
        game=game,
        phase=phase,
        rulings=known,
        revokes=revokes,
        root=root_of(revokes, rows) if revokes is not None else None,
        line=line,
        restored=restored,
        results=results,
        due={due.phase.pk: due for due in load.load_due(closed, ruled={game.pk: known})},
        votes=tuple(game.motions.filter(closed_at=None).order_by("pk")) if turns_back else (),
        last_result=results[last.pk] if last is not None else None,
    )
