"""Form teams, several people in one seat (F1), and name their spokesmen."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from games.evidence import hashes
from games.models import Invitation, Person, Seat, Sitting
from games.outbox.messages import desk_letters
from games.seats import pairs, teams

from . import acts
from .words import DeskError


def form(seat: Seat, email: str, now: datetime) -> None:
    """Let a team hold a seat. The caller holds the game's row. Raise `DeskError`."""
    if not seat.game.rules.teams:
        raise DeskError(f"One person plays {seat.nation}: this game has no teams.")
    if seat.sittings.current().filter(person__email=email).exists():
        raise DeskError(f"{email} already plays {seat.nation}.")
    if Invitation.objects.open().filter(seat=seat, email=email).exists() and seat.team:
        raise DeskError(f"{email} is already invited to the team of {seat.nation}.")
    make_team(seat, now)


def make_team(seat: Seat, now: datetime) -> None:
    """Let a team hold a seat, or a pair of them, from now on. The caller holds the game's row."""
    if not seat.team:
        seats = pairs.seats_of_pair(seat)
        Seat.objects.filter(pk__in=[each.pk for each in seats]).update(team=True)
        for each in seats:
            each.team = True
        if seat.game.in_progress:
            hashes.append(seat.game, hashes.seat_changes(seats), now)


def check_not_there(seat: Seat, person: Person) -> None:
    """Raise `DeskError` for a person who sits there already: nobody has two votes."""
    if seat.sittings.current().filter(person=person).exists():
        raise DeskError(f"You already play {seat.nation}.")


@transaction.atomic
def name_spokesman(seat: Seat, person: Person, by: Person, now: datetime) -> None:
    """Name a team's spokesman. The old one's orders stay in force until the new one sends some."""
    game = seat.game
    acts.take_row(game, by)
    if not seat.team or not teams.has_spokesman(game):
        raise DeskError(
            f"{seat.nation} has no spokesman: whether teams have one is chosen when the game is"
            " opened."
        )
    sittings = Sitting.objects.current().filter(seat=seat)
    chosen = sittings.filter(person=person).first()
    if chosen is None:
        raise DeskError(f"{person} no longer plays {seat.nation}.")
    speaker = teams.spokesman(seat)
    if speaker is not None and speaker.person.pk == person.pk:
        raise DeskError(f"{person} already speaks for {seat.nation}.")
    sittings.update(spokesman=False)
    sittings.filter(pk=chosen.pk).update(spokesman=True)
    announce_spokesman(seat, person, by, now)


def announce_change(seat: Seat, before: teams.Member | None, by: Person, now: datetime) -> None:
    """Tell a team that another member speaks for it now, if so. `before`: who did before."""
    after = teams.spokesman(seat) if seat.team and teams.has_spokesman(seat.game) else None
    if before is not None and after is not None and before.person.pk != after.person.pk:
        announce_spokesman(seat, after.person, by, now)


def announce_spokesman(seat: Seat, person: Person, by: Person, now: datetime) -> None:
    """Write the act that a person speaks for a team now, and tell the team."""
    game, words = seat.game, f"{seat.nation} has another spokesman."
    about: dict[str, Any] = {"phase": game.phases.current(), "private": True, "person": person.pk}
    act = acts.write(game, "spokesman", words, now, by=by, seat=seat, **about)
    desk_letters.spokesman(act, now)
