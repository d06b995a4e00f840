"""Report seats whose players have missed too many phases in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import QuerySet

from games.models import Act, Game, Phase, Seat, Sitting
from games.outbox.messages import desk_letters
from games.outbox.outgoing import Outgoing
from games.turns.pauses import left_alone


def count_missed(game: Game, phase: Phase) -> dict[Seat, int]:
    """Return by seat of people how many phases in a row its present player has missed.

    The run ends with `phase`. Phases in which the nation had nothing to order do not count, nor do
    those with a deadline before the present sitting began (rules 0.2).
    """
    sittings = _present_sittings(Sitting.objects.filter(seat__game=game))
    earlier = _phases([game.pk])
    return {
        seat: _streak(seat.nation, sittings.get(seat.pk), phase, earlier)[0]
        for seat in game.seats.nations().filter(bot=False)
    }


def _present_sittings(sittings: QuerySet[Sitting]) -> dict[int, Sitting]:
    """Return the oldest of the current ones of these sittings, by seat."""
    by_seat: dict[int, Sitting] = {}
    for sitting in sittings.filter(until=None).order_by("since"):
        by_seat.setdefault(sitting.seat_id, sitting)
    return by_seat


def _phases(games: Sequence[int]) -> dict[int, Phase]:
    """Return all phases of these games by id, with the columns that count a run of misses."""
    columns = ("game", "number", "previous", "status", "locked_at", "deadline", "missed", "leaves")
    return {phase.pk: phase for phase in Phase.objects.filter(game__in=games).only(*columns)}


def _streak(
    nation: str, sitting: Sitting | None, phase: Phase, earlier: Mapping[int, Phase]
) -> tuple[int, int]:
    missed, first = 0, 0
    at: Phase | None = phase
    while at is not None and sitting is not None and (at.locked_at or at.deadline) > sitting.since:
        if nation in at.missed:
            missed, first = missed + 1, at.number
        elif nation in at.leaves:
            break
        at = earlier.get(at.previous_id or 0)
    return missed, first


def report(phases: Sequence[Phase], now: datetime, out: Outgoing) -> None:
    """Report each seat whose player has missed as many phases as the game allows.

    The phases are of different games and were just locked. Reports once per run of misses, in the
    transaction of the lock. No seat is taken away: the gamesmaster decides. Where nobody at all was
    there, no single player is missing: the game pauses, and a seat is reported once it is silent
    in a phase with others.
    """
    allowed = {
        phase.pk: limit
        for phase in phases
        if phase.missed and (limit := int(phase.game.options.get("seat.nmr_limit", 2))) >= 1
    }
    phases = [phase for phase in phases if phase.pk in allowed]
    alone = left_alone(phases)
    phases = [phase for phase in phases if phase.game_id not in alone]
    if not phases:
        return
    games = [phase.game_id for phase in phases]
    earlier = _phases(games)
    reported = list(Act.objects.filter(game__in=games, kind="vacant").exclude(seat=None))
    acts: list[Act] = []
    for phase in phases:
        for seat in phase.game.seats.all():
            if seat.nation not in phase.missed or seat.bot:
                continue
            sitting = _present_sitting(out.sittings[phase.game_id], seat)
            missed, first = _streak(seat.nation, sitting, phase, earlier)
            if missed >= allowed[phase.pk] and not _is_reported(reported, seat, sitting, first):
                acts.append(_act(seat, phase, missed, first, now))
    Act.objects.bulk_create(acts)
    for act in acts:
        desk_letters.report_vacancy(act, now, out)


def reported_seats(games: Sequence[Game]) -> list[tuple[Seat, int]]:
    """Return the seats of these games that are reported vacant and still are, in card order.

    Each comes with how many phases in a row its present player has missed. The number of queries
    does not grow with games or seats.
    """
    limits = {game.pk: int(game.options.get("seat.nmr_limit", 2)) for game in games}
    rows = Act.objects.filter(game__in=games, kind="vacant", seat__bot=False)
    seats = {row.seat.pk: row.seat for row in rows.select_related("seat") if row.seat is not None}
    if not seats:
        return []
    sittings = _present_sittings(Sitting.objects.filter(seat__in=seats))
    phases = _phases([seat.game_id for seat in seats.values()])
    locked: dict[int, Phase] = {}
    for phase in sorted(phases.values(), key=lambda phase: phase.number):
        if phase.locked_at and phase.status != Phase.Status.UNDONE:
            locked[phase.game_id] = phase
    counted = [
        (seat, _streak(seat.nation, sittings[seat.pk], locked[seat.game_id], phases)[0])
        for seat in sorted(seats.values(), key=lambda seat: (seat.game_id, seat.ordinal))
        if seat.pk in sittings and seat.game_id in locked
    ]
    return [(seat, missed) for seat, missed in counted if 0 < limits[seat.game_id] <= missed]


def _act(seat: Seat, phase: Phase, missed: int, first: int, now: datetime) -> Act:
    phases = "the last phase" if missed == 1 else f"{missed} phases in a row"
    words = f"{seat.nation} sent no orders in {phases} and counts as vacant."
    return Act(
        game=phase.game,
        phase=phase,
        seat=seat,
        kind="vacant",
        words=words,
        about={"missed": missed, "first": first},
        done_at=now,
    )


def _present_sitting(sittings: Sequence[Sitting], seat: Seat) -> Sitting | None:
    """Return the oldest of a seat's current sittings."""
    current = [
        sitting for sitting in sittings if sitting.seat_id == seat.pk and sitting.until is None
    ]
    return min(current, key=lambda sitting: sitting.since, default=None)


def _is_reported(acts: Sequence[Act], seat: Seat, sitting: Sitting | None, first: int) -> bool:
    return sitting is not None and any(
        act.seat_id == seat.pk and act.about["first"] == first and act.done_at > sitting.since
        for act in acts
    )
