"""Write letters about what was done at the desk."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from games.models import Act, Person, Phase, Resolution, Sitting, Standby
from games.outbox import rows
from games.timing import schedule
from games.webhooks import rows as channels

#: What is left out of the game so far: where every point was placed is what the board shows.
TOLD_BY_THE_BOARD = (
    "placed",
    "kept_home",
    "not_placed",
    "left_home",
    "placed_face_down",
    "turned_up",
)


def _about(act: Act, phase: Phase | None) -> dict[str, Any]:
    about: dict[str, Any] = {"act": act.pk}
    if phase is not None and phase.status == Phase.Status.OPEN and phase.deadline < schedule.STANDS:
        about["deadline"] = phase.deadline.isoformat()
    return about


def _to(readers: Iterable[rows.Reader], kind: str, act: Act, now: datetime, **more: Any) -> None:
    rows.to(
        readers, act.game, act.phase, kind, f"{kind}-{act.pk}", now, _about(act, act.phase) | more
    )


def _channels(act: Act, now: datetime) -> None:
    """The game's channels hear what everybody does: the sentence of the act, and the deadline that
    is open now."""
    about = _about(act, act.phase)
    if act.kind == "abandoned":
        about.pop("deadline", None)
    channels.tell(act.game, "act", f"act-{act.pk}", now, about)


def paused(act: Act, now: datetime, left: float | None) -> None:
    """To everybody: the clock stands. `left` is how many seconds an open phase has left, None where
    no orders are open."""
    _to(rows.everybody(act.game), "paused", act, now, left=left)
    _channels(act, now)


def resumed(act: Act, now: datetime) -> None:
    """To everybody: the game goes on, with the new deadline."""
    _to(rows.everybody(act.game), "resumed", act, now)
    _channels(act, now)


def rescheduled(act: Act, now: datetime) -> None:
    """To everybody: deadlines come by another rule, and what the open one is."""
    _to(rows.everybody(act.game), "rescheduled", act, now)
    _channels(act, now)


def told(act: Act, now: datetime) -> None:
    """To everybody: something about the running of the game that its sentence says."""
    _to(rows.everybody(act.game), "change", act, now)


def abandoned(act: Act, now: datetime) -> None:
    """To everybody: the game has been given up."""
    _to(rows.everybody(act.game), "abandoned", act, now)
    _channels(act, now)


def seat(act: Act, newcomer: Person | None, now: datetime) -> None:
    """To everybody but the newcomer: who plays a seat has changed. He himself gets the game so
    far."""
    readers = [
        reader
        for reader in rows.everybody(act.game)
        if newcomer is None or reader.person.pk != newcomer.pk
    ]
    _to(readers, "seat", act, now, newcomer=newcomer.pk if newcomer else None)


def spokesman(act: Act, now: datetime) -> None:
    """To the team itself: somebody else speaks for it. For nobody else anything changes by it."""
    readers = [reader for reader in rows.everybody(act.game) if act.seat_id in reader.seats]
    _to(readers, "spokesman", act, now)


def farewell(act: Act, person: Person, now: datetime) -> None:
    """To somebody whose sitting has ended: that it has, and why."""
    _to([rows.Reader(person)] if person.is_active else [], "left", act, now)


def newcomer(sitting: Sitting, phase: Phase | None, now: datetime) -> None:
    """To somebody who takes a seat of a game that has begun: the board, the scores, what happened,
    what is due when."""
    game = sitting.seat.game
    newest = (
        Resolution.objects.filter(phase__game=game, phase__status=Phase.Status.RESOLVED)
        .order_by("-phase__number", "-version")
        .first()
    )
    about: dict[str, Any] = {"sitting": sitting.pk, "resolution": newest.pk if newest else None}
    if phase is not None and phase.status == Phase.Status.OPEN and not phase.sheeted:
        about["deadline"] = phase.deadline.isoformat()
    reader = rows.Reader(sitting.person, [sitting.seat_id])
    rows.to([reader], game, phase, "newcomer", f"newcomer-{sitting.pk}", now, about)


def asks_for_seat(standby: Standby, now: datetime) -> None:
    """To the gamesmasters: somebody stands by to take over a seat of their game."""
    game = standby.game
    assert game is not None, "one who stands by for any game asks nobody"
    rows.to(
        rows.gamesmasters(game),
        game,
        None,
        "asks",
        f"asks-{standby.pk}",
        now,
        {"standby": standby.pk},
    )


def gamesmasters(act: Act, person: Person | None, now: datetime) -> None:
    """To everybody, and to whoever acted: who runs the game has changed. `person` is the new one,
    where there is one."""
    readers = rows.everybody(act.game)
    if act.done_by is not None and act.done_by.pk not in {reader.person.pk for reader in readers}:
        readers.append(rows.Reader(act.done_by))
    _to(readers, "handed", act, now, person=person.pk if person else None)


def asks_to_run(act: Act, person: Person, now: datetime) -> None:
    """To somebody who is asked to run a game. The text is never kept: it holds a key."""
    key = f"game-{act.game_id}/runs-{act.pk}"
    about = {"act": act.pk}
    row = rows.row(key, "runs", now, person, game=act.game, about=about, secret=True)
    rows.write([row])


def vacant(act: Act, now: datetime) -> None:
    """To the gamesmasters: a seat has been silent for as many phases as the game allows."""
    _to(rows.gamesmasters(act.game), "vacant", act, now)
