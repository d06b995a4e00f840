"""Report seats whose players have missed too many phases in a row."""

from __future__ import annotations

from datetime import datetime

from games.models import Act, Phase, Seat
from games.outbox.messages import desk as messages_desk


def streak(seat: Seat, phase: Phase) -> tuple[int, int]:
    """Return how many phases in a row, up to this one, the present player has missed, and the
    first.

    Phases in which the nation had nothing to order do not count, nor do those with a deadline
    before the present sitting began (rules 0.2).
    """
    sitting = seat.sittings.current().order_by("since").first()
    missed, first = 0, 0
    at: Phase | None = phase
    while at is not None and sitting is not None and (at.locked_at or at.deadline) > sitting.since:
        if seat.nation in at.missed:
            missed, first = missed + 1, at.number
        elif seat.nation in at.leaves:
            break
        at = at.previous
    return missed, first


def report(phase: Phase, now: datetime) -> list[Seat]:
    """Report, after a lock, each seat whose player has missed as many phases as the game allows.

    Once per run of misses, in the transaction of the lock. No seat is taken away: the gamesmaster
    decides.
    """
    limit = int(phase.game.options.get("seat.nmr_limit", 2))
    reported: list[Seat] = []
    if limit < 1:
        return reported
    for seat in phase.game.seats.filter(nation__in=phase.missed, bot=False):
        missed, first = streak(seat, phase)
        if missed < limit or is_reported(seat, first):
            continue
        words = (
            f"The seat of {seat.nation} is reported vacant: {missed}"
            f" phase{'' if missed == 1 else 's'} running without orders."
        )
        act = Act.objects.create(
            game=phase.game,
            phase=phase,
            seat=seat,
            kind="vacant",
            words=words,
            about={"missed": missed, "first": first},
            done_at=now,
        )
        messages_desk.vacant(act, now)
        reported.append(seat)
    return reported


def is_reported(seat: Seat, first: int) -> bool:
    sitting = seat.sittings.current().order_by("since").first()
    told = Act.objects.filter(seat=seat, kind="vacant")
    return any(
        act.about["first"] == first and sitting is not None and act.done_at > sitting.since
        for act in told
    )
