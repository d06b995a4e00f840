"""Report seats whose players have missed too many phases in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from games.models import Act, Phase, Seat, Sitting
from games.outbox.outgoing import Outgoing


def streak(seat: Seat, phase: Phase) -> tuple[int, int]:
    """Return how many phases in a row, up to this one, the present player has missed, and the
    first.

    Phases in which the nation had nothing to order do not count, nor do those with a deadline
    before the present sitting began (rules 0.2).
    """
    sitting = seat.sittings.current().order_by("since").first()
    return _streak(seat.nation, sitting, phase, _phases([phase.game_id]))


def _phases(games: Sequence[int]) -> dict[int, Phase]:
    """Return all phases of these games, by id, with what a run of misses is counted from."""
    columns = ("number", "previous", "locked_at", "deadline", "missed", "leaves")
    return {one.pk: one for one in Phase.objects.filter(game__in=games).only(*columns)}


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


def report(phases: Sequence[Phase], now: datetime, out: Outgoing) -> list[Seat]:
    """Report, after the lock of these phases of different games, each seat whose player has missed
    as many phases as the game allows.

    Once per run of misses, in the transaction of the lock. No seat is taken away: the gamesmaster
    decides.
    """
    allowed = {
        phase.pk: limit
        for phase in phases
        if phase.missed and (limit := int(phase.game.options.get("seat.nmr_limit", 2))) >= 1
    }
    phases = [phase for phase in phases if phase.pk in allowed]
    if not phases:
        return []
    games = [phase.game_id for phase in phases]
    earlier = _phases(games)
    told = list(Act.objects.filter(game__in=games, kind="vacant").exclude(seat=None))
    acts: list[Act] = []
    for phase in phases:
        for seat in phase.game.seats.all():
            if seat.nation not in phase.missed or seat.bot:
                continue
            sitting = _present(out.sittings[phase.game_id], seat)
            missed, first = _streak(seat.nation, sitting, phase, earlier)
            if missed >= allowed[phase.pk] and not _is_reported(told, seat, sitting, first):
                acts.append(_act(seat, phase, missed, first, now))
    Act.objects.bulk_create(acts)
    for act in acts:
        assert act.phase is not None, "a seat is reported at the lock of a phase"
        out.to_gamesmasters(act.phase, "vacant", f"vacant-{act.pk}", now, {"act": act.pk})
    return [act.seat for act in acts if act.seat is not None]


def _act(seat: Seat, phase: Phase, missed: int, first: int, now: datetime) -> Act:
    words = (
        f"The seat of {seat.nation} is reported vacant: {missed}"
        f" phase{'' if missed == 1 else 's'} running without orders."
    )
    return Act(
        game=phase.game,
        phase=phase,
        seat=seat,
        kind="vacant",
        words=words,
        about={"missed": missed, "first": first},
        done_at=now,
    )


def _present(sittings: Sequence[Sitting], seat: Seat) -> Sitting | None:
    """Return who has sat in a seat longest of those who sit there now."""
    now_there = [one for one in sittings if one.seat_id == seat.pk and one.until is None]
    return min(now_there, key=lambda one: one.since, default=None)


def _is_reported(told: Sequence[Act], seat: Seat, sitting: Sitting | None, first: int) -> bool:
    return sitting is not None and any(
        act.seat_id == seat.pk and act.about["first"] == first and act.done_at > sitting.since
        for act in told
    )
