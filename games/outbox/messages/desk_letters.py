"""Write letters about acts at the desk."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from games.models import (
    Act,
    DeadlineChange,
    Game,
    Person,
    Phase,
    Resolution,
    Sitting,
    Standby,
)
from games.outbox import rows
from games.outbox.kinds import Kind
from games.outbox.outgoing import Outgoing
from games.timing import schedule

#: Events left out of the story so far, because the board shows where every PF was placed.
TOLD_BY_THE_BOARD = (
    "placed",
    "kept_home",
    "not_placed",
    "left_home",
    "placed_face_down",
    "turned_up",
)


def _letter_data(act: Act, phase: Phase | None) -> dict[str, Any]:
    about: dict[str, Any] = {"act": act.pk}
    if phase is not None and phase.status == Phase.Status.OPEN and phase.deadline < schedule.STANDS:
        about["deadline"] = phase.deadline.isoformat()
    return about


def _write_to(
    readers: Iterable[rows.Reader], kind: Kind, act: Act, now: datetime, out: Outgoing, **more: Any
) -> None:
    about = _letter_data(act, act.phase) | more
    out.write_to(readers, act.game, act.phase, kind, f"{kind.id}-{act.pk}", now, about)


PAUSED = Kind("paused", "the letter about a pause")
RESUMED = Kind("resumed", "the letter about the resumed game", announces=True)
RESCHEDULED = Kind("rescheduled", "the letter about a changed schedule", announces=True)
ABANDONED = Kind("abandoned", "the letter about the end of the game", replies="words")


def announce(kind: Kind, act: Act, now: datetime, **more: Any) -> None:
    """Write to everybody, and tell the game's channels the act's sentence and the open deadline.

    `more`: with `PAUSED`, `left`: the seconds left in an open phase, or None.
    """
    about = _letter_data(act, act.phase)
    if kind is ABANDONED:
        about.pop("deadline", None)
    with Outgoing([act.game]) as out:
        _write_to(out.everybody(act.game), kind, act, now, out, **more)
        out.tell(act.game, "act", f"act-{act.pk}", now, about)


CHANGE = Kind("change", "a letter about how the game is run")


def announce_act(act: Act, now: datetime, with_it: Iterable[Act] = ()) -> None:
    """Announce an act about how the game is run, and those that came with it, in one letter."""
    others = [other.pk for other in with_it]
    with Outgoing([act.game]) as out:
        _write_to(out.everybody(act.game), CHANGE, act, now, out, with_it=others)


def report_act(act: Act, now: datetime) -> None:
    """Tell the gamesmasters alone of an act that they can still stop."""
    with Outgoing([act.game]) as out:
        about = _letter_data(act, act.phase)
        event = f"{CHANGE.id}-{act.pk}"
        out.write_to_gamesmasters(act.game, act.phase, CHANGE, event, now, about)


VACANT = Kind("vacant", "the letter about a vacant seat")


def report_vacancy(act: Act, now: datetime, out: Outgoing) -> None:
    """Tell the gamesmasters that a seat counts as vacant."""
    out.write_to_gamesmasters(act.game, act.phase, VACANT, f"vacant-{act.pk}", now, {"act": act.pk})


SEAT = Kind("seat", "the letter about a seat")


def seat(
    act: Act,
    newcomer: Person | None,
    now: datetime,
    change: DeadlineChange | None = None,
    with_it: Iterable[Act] = (),
) -> None:
    """Announce who plays a seat now, to everybody but the newcomer, who gets the game so far.

    `change`: a deadline that moved with it, whose act is `with_it`.
    """
    pk = newcomer.pk if newcomer else None
    more: dict[str, Any] = {"newcomer": pk}
    out = Outgoing([act.game])
    if change is not None:
        more |= {"change": change.pk, "with_it": [other.pk for other in with_it]}
        out.tell(act.game, "moved", f"moved-{change.pk}", now, {"change": change.pk})
    readers = [reader for reader in out.everybody(act.game) if reader.person.pk != pk]
    _write_to(readers, SEAT, act, now, out, **more)
    out.write()


SPOKESMAN = Kind("spokesman", "the letter about the spokesman of a team")


def spokesman(act: Act, now: datetime) -> None:
    """Tell the team who its spokesman is now."""
    with Outgoing([act.game]) as out:
        readers = [reader for reader in out.everybody(act.game) if act.seat_id in reader.seats]
        _write_to(readers, SPOKESMAN, act, now, out)


LEFT = Kind("left", "the letter about the end of a sitting")


def farewell(act: Act, person: Person, now: datetime) -> None:
    """Tell a person that their sitting has ended, and why."""
    with Outgoing([act.game]) as out:
        _write_to([rows.Reader(person)] if person.is_active else [], LEFT, act, now, out)


NEWCOMER = Kind("newcomer", "the letter with the game so far", announces=True)


def newcomer(sitting: Sitting, phase: Phase | None, now: datetime) -> None:
    """Send the game so far to a person who takes a seat: board, scores, events, deadlines."""
    game = sitting.seat.game
    newest = (
        Resolution.objects.filter(phase__game=game, phase__status=Phase.Status.RESOLVED)
        .order_by("-phase__number", "-version")
        .first()
    )
    about: dict[str, Any] = {"sitting": sitting.pk, "resolution": newest.pk if newest else None}
    if phase is not None and phase.is_timed:
        about["deadline"] = phase.deadline.isoformat()
    reader = rows.Reader(sitting.person, [sitting.seat_id])
    with Outgoing([game]) as out:
        out.write_to([reader], game, phase, NEWCOMER, f"newcomer-{sitting.pk}", now, about)


SEATS = Kind("seats", "the letter about a game with free seats")


def free_seats(game: Game, nations: list[str], people: Iterable[Person], now: datetime) -> None:
    """Tell people who want to hear of free seats that these nations of a game are free."""
    readers = [rows.Reader(person) for person in people]
    with Outgoing([game]) as out:
        out.write_to(readers, game, None, SEATS, "seats", now, {"free": nations})


ASKS = Kind("asks", "the letter about a player who asks for a seat")


def asks_for_seat(standby: Standby, now: datetime) -> None:
    """Tell the gamesmasters that a standby would take over a seat of their game."""
    game = standby.game
    assert game is not None, "one who stands by for any game asks nobody"
    about = {"standby": standby.pk}
    with Outgoing([game]) as out:
        out.write_to_gamesmasters(game, None, ASKS, f"asks-{standby.pk}", now, about)


HANDED = Kind("handed", "the letter about a gamesmaster")


def gamesmasters(act: Act, person: Person | None, now: datetime) -> None:
    """Announce who runs the game now, to everybody and the person who acted.

    `person`: the new gamesmaster, if any.
    """
    by = act.done_by
    with Outgoing([act.game]) as out:
        readers = out.everybody(act.game)
        if by is not None and by.pk not in {reader.person.pk for reader in readers}:
            readers.append(rows.Reader(by))
        _write_to(readers, HANDED, act, now, out, person=person.pk if person else None)


RUNS = Kind("runs", "the letter that asks to run the game", secret=True, to_muted=True, replies="")


def asks_to_run(act: Act, person: Person, now: datetime) -> None:
    """Ask a person to run a game. The text is never stored, because it contains a token."""
    key = f"game-{act.game_id}/runs-{act.pk}"
    about = {"act": act.pk}
    row = rows.row(key, RUNS, now, person, game=act.game, about=about)
    rows.write([row])
