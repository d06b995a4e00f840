"""Teams: several people in one seat (F1), and who speaks for them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from games import game_row
from games.models import Invitation, Person, Seat, Sitting
from games.outbox.messages import desk as messages_desk
from games.seats import teams

from . import acts
from .words import DeskError


def form(seat: Seat, email: str) -> None:
    """Let a team hold a seat. The caller holds the game's row. Raises `DeskError` if taken."""
    if seat.game.rules.referee:
        raise DeskError(f"One person plays {seat.nation} in this game: there are no teams in it.")
    if seat.sittings.current().filter(person__email=email).exists():
        raise DeskError(f"{email} sits as {seat.nation} already.")
    if Invitation.objects.open().filter(seat=seat, email=email).exists() and seat.team:
        raise DeskError(f"{email} is already invited to the team of {seat.nation}.")
    make_team(seat)


def make_team(seat: Seat) -> None:
    """Let a team hold a seat from now on."""
    if not seat.team:
        Seat.objects.filter(pk=seat.pk).update(team=True)
        seat.team = True


def check_not_there(seat: Seat, person: Person) -> None:
    """Raises `DeskError` for somebody who sits there already: nobody has two votes."""
    if seat.sittings.current().filter(person=person).exists():
        raise DeskError(f"You play {seat.nation} already.")


@transaction.atomic
def name_spokesman(seat: Seat, person: Person, by: Person, now: datetime) -> None:
    """Name who speaks for a team. What the one before sent stays until the new one sends."""
    game = seat.game
    game_row.take_row(game)
    if not seat.team or not teams.has_spokesman(game):
        raise DeskError(
            f"{seat.nation} has no spokesman: a team that has one is asked for when the game is"
            " opened."
        )
    now_sitting = Sitting.objects.current().filter(seat=seat)
    chosen = now_sitting.filter(person=person).first()
    if chosen is None:
        raise DeskError(f"{person} no longer plays {seat.nation}.")
    speaks = teams.spokesman(seat)
    if speaks is not None and speaks.person.pk == person.pk:
        raise DeskError(f"{person} speaks for {seat.nation} already.")
    now_sitting.update(spokesman=False)
    now_sitting.filter(pk=chosen.pk).update(spokesman=True)
    words = f"{seat.nation} has another spokesman."
    about: dict[str, Any] = {"phase": game.phases.current(), "private": True, "person": person.pk}
    act = acts.write(game, "spokesman", words, now, by=by, seat=seat, **about)
    messages_desk.spokesman(act, now)
