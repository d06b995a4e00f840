"""Read a game's newest phase, its board, and who may order. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import IntegerField, JSONField, OuterRef, QuerySet, Subquery
from django.db.models.expressions import RawSQL

from games.models import Game, Phase, Resolution, Seat
from games.models.phase import Phases
from games.rules import Standing, pairs

#: A column of the newest result of the phase before. Raw SQL, because each order page asks it, and
#: Django takes longer to build such subqueries than to read phase and game.
_BEFORE = """(SELECT newest.{} FROM games_resolution newest
    WHERE newest.phase_id = games_phase.previous_id ORDER BY newest.version DESC LIMIT 1)"""


def start_position(game: Game) -> dict[str, Any]:
    """Return the position before the first phase, also for a game that is forming."""
    rules = game.rules
    played = pairs.seated_nations(
        rules, [(seat.nation, seat.by_table) for seat in game.seats.all() if not seat.referee]
    )
    return rules.dump(rules.setup(game.card, game.options, played, game.secret))


def newest_resolution(phase: Phase) -> Resolution | None:
    return phase.resolutions.order_by("-version").first()


def resolutions(game: Game) -> QuerySet[Resolution]:
    """Return the results of the resolved phases of a game, newest first."""
    played = Resolution.objects.filter(phase__game=game, phase__status=Phase.Status.RESOLVED)
    return played.order_by("-phase__number", "-version")


def last_resolution(game: Game) -> Resolution | None:
    """Return the current result of the last resolved phase, with its phase."""
    last = resolutions(game).select_related("phase").first()
    if last is not None:
        last.phase.game = game
    return last


def position(game: Game) -> dict[str, Any]:
    """Return the current position of the game, as the last result left it."""
    after = resolutions(game).values_list("after", flat=True).first()
    return after or start_position(game)


def entitle(game: Game, phases: Iterable[Phase], at: dict[str, Any] | None = None) -> None:
    """Let `Phase.heading` say what the results of a game's phases cover, as `Resolution.title`.

    `phases`: all that have been judged, oldest first, or more. `at`: the current position; without
    it there is one query where gamesmasters report, and none elsewhere.
    """
    if not game.rules.referee.seats:
        return
    played = {phase.id_in_rules: phase for phase in phases if phase.status != Phase.Status.UNDONE}
    state = game.load(position(game) if at is None else at)
    for identity, title in game.rules.referee.titles_of_reports(state, [*played]).items():
        played[identity].covering = title


def newest_phases() -> Phases:
    """Return the newest phase of each game that no ruling has undone, for a prefetch."""
    newest = (
        Phase.objects.filter(game=OuterRef("game"))
        .not_undone()
        .order_by("-number")
        .values("number")[:1]
    )
    return Phase.objects.filter(number=Subquery(newest))


def annotate_positions(phases: Phases) -> Phases:
    """Annotate phases with the positions in which they are played, in the same query."""
    annotated: Phases = phases.annotate(
        result_before=RawSQL(_BEFORE.format("id"), [], IntegerField()),
        read_position=RawSQL(_BEFORE.format("after"), [], JSONField()),
    )
    return annotated


def forget_position(phase: Phase) -> None:
    """Forget the position that was read with a phase: a ruling may have changed it."""
    for name in ("result_before", "read_position"):
        phase.__dict__.pop(name, None)


def position_before(phase: Phase) -> dict[str, Any]:
    """Return the position in which a phase is played."""
    if phase.previous_id is None:
        return start_position(phase.game)
    if annotated := phase.__dict__.get("read_position"):  # `annotate_positions`
        return dict(annotated)
    before = (
        Resolution.objects.filter(phase=phase.previous_id)
        .order_by("-version")
        .values_list("after", flat=True)
        .first()
    )
    return before or start_position(phase.game)


def state_of(phase: Phase) -> Any:
    """Return the ruleset's state in which a phase is played."""
    return phase.game.load(position_before(phase))


def state_of_orders(phase: Phase) -> Any:
    """Return the ruleset's state in which the orders of a phase are put together (`at_lock`)."""
    if phase.locked_at is None or phase.previous_id is None:
        return state_of(phase)
    before = Resolution.objects.filter(phase=phase.previous_id).order_by("version")
    versions = list(before.values_list("resolved_at", "after"))
    return phase.game.load(at_lock(versions, phase.locked_at))


def at_lock(
    versions: Sequence[tuple[datetime, dict[str, Any]]], locked_at: datetime
) -> dict[str, Any]:
    """Return the position that stood when a phase was locked.

    `versions`: when each version of the result before was made, and the position after it, in
    order. Later rulings change where orders are judged, and not which are in force: votes and lines
    that were put together at the lock stay as its digest names them.
    """
    made = [after for resolved_at, after in versions if resolved_at <= locked_at]
    return made[-1] if made else versions[0][1]


def standing(game: Game) -> Standing:
    return game.rules.standing(game.load(position(game)))


def senders(
    phase: Phase, state: Any, known: Iterable[Seat] | None = None
) -> list[tuple[Seat, Seat]]:
    """Return the seats that may order in a phase, each with the seat that sends its orders.

    That is itself or its controller (N4), in scenario order. `known`: the game's seats in that
    order, if the caller has them.
    """
    seats = {
        seat.nation: seat
        for seat in (phase.game.seats.order_by("ordinal") if known is None else known)
    }
    acting = set(phase.game.rules.acting_nations(state))
    return [
        (seat, seats.get(phase.controllers.get(nation, nation), seat))
        for nation, seat in seats.items()
        if nation in acting
    ]
