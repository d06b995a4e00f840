"""Run a class: seat pupils in teams from a list, and make and revoke printed codes.

A pupil without an address logs in by a printed code and is a person of this one game:
`Person.by_post` with a placeholder address. Only the code is printed for them; their letters wait
on their page of letters.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from games.accounts import tokens
from games.models import Game, Invitation, Person, Phase, PrintedCode, Seat, Sitting
from games.models.people import CLASS_DOMAIN
from games.outbox.messages import desk_letters
from games.rules.names import all_of
from games.seats import pairs
from games.seats import teams as seat_teams
from games.turns import deadlines

from . import acts
from .deal import seat_in_both
from .roster import Pupil
from .seats import invite, sit_down, start_when_full
from .teams import announce_change, make_team, name_spokesman
from .words import DeskError


@dataclass(frozen=True)
class Member:
    """A person in a team. `code`: their newest printed code, revoked or not, if they have one."""

    person: Person
    pupil: bool
    code: PrintedCode | None
    speaks: bool  # as the team's spokesman, if it has one


@dataclass(frozen=True)
class Team:
    seat: Seat
    members: tuple[Member, ...]
    invited: tuple[Invitation, ...]


def teams(game: Game) -> list[Team]:
    """Return every nation with its members and open invitations."""
    codes: dict[int, PrintedCode] = {}
    for code in PrintedCode.objects.filter(game=game).order_by("pk"):
        codes[code.person_id] = code
    rows, has_spokesman = [], seat_teams.has_spokesman(game)
    for seat in (
        game.seats.nations().order_by("ordinal").prefetch_related("sittings__person", "invitations")
    ):
        sittings = sorted(
            (row for row in seat.sittings.all() if row.is_current), key=lambda sitting: sitting.pk
        )
        spokesman = seat_teams.spokesman(seat) if seat.team and has_spokesman else None
        members = tuple(
            Member(
                row.person,
                row.person.is_pupil,
                codes.get(row.person_id),
                spokesman is not None and spokesman.person.pk == row.person_id,
            )
            for row in sittings
        )
        invited = sorted(
            (row for row in seat.invitations.all() if row.is_open),
            key=lambda invitation: invitation.pk,
        )
        rows.append(Team(seat, members, tuple(invited)))
    return rows


def seated_already(game: Game, pupils: Sequence[Pupil]) -> list[Pupil]:
    """Return those of a list who are in the game or invited to it, by address or name."""
    people = Person.objects.filter(
        sittings__in=Sitting.objects.current().filter(seat__game=game)
    ).values_list("email", "name")
    invited = Invitation.objects.open().filter(seat__game=game).values_list("email", "name")
    emails, names = set(), set()
    for email, name in [*people, *invited]:
        emails.add(email)
        names.add(name.lower())
    return [pupil for pupil in pupils if pupil.email in emails or pupil.name.lower() in names]


@transaction.atomic
def seat_class(game: Game, pupils: Sequence[Pupil], by: Person, now: datetime) -> list[Person]:
    """Seat every pupil of a list in a team: by a code, or by an invitation to an address.

    Seats all of them or none. Return those with a code. Raise `DeskError`.
    """
    acts.take_row(game, by)
    game.refresh_from_db()
    if game.is_over:
        raise DeskError(f"“{game.title}” is over: nobody can join.")
    if there := seated_already(game, pupils):
        raise DeskError(
            f"{there[0].name} is already in this game. If it is another pupil of that name, add an"
            " initial; otherwise leave out that line."
        )
    seats = {seat.nation: seat for seat in game.seats.all() if not seat.referee}
    for nation, number in Counter(pupil.nation for pupil in pupils).items():
        if nation not in seats:
            raise DeskError(
                f"“{nation}” is not a nation of this game; there are {', '.join(seats)}."
            )
        _open_to_teams(seats[nation], number, now)
    coded = []
    for pupil in pupils:
        seat = seats[pupil.nation]
        if pupil.email:
            invite(seat, pupil.email, by, now, name=pupil.name)
        else:
            coded.append(_seat_by_code(seat, pupil.name, by, now))
    sizes = Counter(pupil.nation for pupil in pupils)
    summary = all_of([f"{number} in {nation}" for nation, number in sizes.items()])
    acts.write(game, "class", f"A class was seated: {summary}.", now, by=by)
    start_when_full(game, now)
    _recount(game, now)
    return coded


def _recount(game: Game, now: datetime) -> None:
    """Check again whether all orders are final: the new members' votes count."""
    phase = game.phases.current()
    if phase is not None and phase.status == Phase.Status.OPEN:
        deadlines.update_due_time(phase, now)


def _open_to_teams(seat: Seat, number: int, now: datetime) -> None:
    """Make a seat a team's if several people will share it.

    `number`: how many are about to join. Raise `DeskError` if a bot or nobody plays it.
    """
    if seat.bot:
        raise DeskError(
            f"{seat.nation} is played by a bot. Take it back on the “People” page first, or leave"
            " that team out."
        )
    if seat.by_table:
        raise DeskError(
            f"Nobody plays {seat.nation} in this game: lots decide who sends its orders. Leave that"
            " team out of the list."
        )
    present = seat.sittings.current().count()
    invited = seat.invitations.open().count()
    if not seat.game.rules.teams and present + invited + number > 1:
        raise DeskError(
            f"One person plays {seat.nation}: this game has no teams. Leave the others out of the"
            " list."
        )
    if present + invited + number > 1:
        make_team(seat, now)


def _seat_by_code(seat: Seat, name: str, by: Person, now: datetime) -> Person:
    stand_in = f"pupil-{secrets.token_hex(8)}@{CLASS_DOMAIN}"
    person = Person.objects.create(email=stand_in, name=name, zone=seat.game.zone, by_post=True)
    if seat.game.in_progress:
        sit_down(seat, person, by, now)
    else:
        Sitting.objects.create(seat=seat, person=person, since=now)
        seat_in_both(seat, person, now)
    tokens.new_printed_code(person, seat.game, by, now)
    return person


@transaction.atomic
def move(game: Game, person: Person, nation: str, by: Person, now: datetime) -> Seat:
    """Move a person to another team, whose orders and letters they read from then on."""
    acts.take_row(game, by)
    game.refresh_from_db(fields=["status"])
    if game.is_over:
        raise DeskError(f"“{game.title}” is over: nobody can be moved.")
    sitting = _sitting(game, person)
    seat = game.seats.nations().filter(nation=nation).first()
    if sitting is None:
        raise DeskError(f"{person.name or 'That pupil'} is no longer in a team of this game.")
    if seat is None:
        raise DeskError(f"“{nation[:40]}” is not a nation of this game.")
    sitting.seat.game = game
    left = pairs.seats_of_pair(sitting.seat)  # a pair of nations is left together
    if seat in left:
        raise DeskError(f"{person.name or 'That pupil'} is already in that team.")
    _open_to_teams(seat, 1, now)
    spoke = [(each, seat_teams.spokesman(each)) for each in (seat, *left)]
    Sitting.objects.current().filter(seat__in=left, person=person).update(
        until=now, ended_because=f"Moved to the team of {nation}.", spokesman=False
    )
    sitting = Sitting.objects.create(seat=seat, person=person, since=now)
    seat_in_both(seat, person, now)
    names = all_of([each.nation for each in left])
    words = f"A member of {names}'s team moved to {nation}'s."
    phase = game.phases.current()
    act = acts.write(game, "class-moved", words, now, by=by, seat=seat, phase=phase)
    if game.in_progress:
        desk_letters.seat(act, person, now)
        desk_letters.newcomer(sitting, phase, now)
        for each, speaker in spoke:
            announce_change(each, speaker, by, now)
    _recount(game, now)
    return seat


@transaction.atomic
def let_speak(game: Game, person: Person, by: Person, now: datetime) -> list[Seat]:
    """Name a person the spokesman of each nation that they play in a team. Raise `DeskError`.

    Return the seats for which they did not speak yet; a pair of nations has two.
    """
    sittings = Sitting.objects.current().filter(seat__game=game, person=person)
    seats = [row.seat for row in sittings.select_related("seat").order_by("seat__ordinal")]
    if not seats:
        raise DeskError(f"{person.name or 'That pupil'} is no longer in a team of this game.")
    for seat in seats:
        seat.game = game
    speakers = [(seat, seat_teams.spokesman(seat)) for seat in seats if seat.team]
    silent = [seat for seat, lead in speakers if lead is None or lead.person.pk != person.pk]
    for seat in silent or seats[:1]:
        name_spokesman(seat, person, by, now)
    return silent


@transaction.atomic
def new_code(game: Game, person: Person, by: Person, now: datetime) -> PrintedCode:
    """Give a pupil another code; the old one stops working and ends their login."""
    acts.take_row(game, by)
    if not person.is_pupil or _sitting(game, person) is None:
        raise DeskError(
            "That person has no printed code in this game: only pupils without an address have one."
        )
    return tokens.new_printed_code(person, game, by, now)


@transaction.atomic
def end_code(game: Game, person: Person, by: Person, now: datetime) -> None:
    """Revoke a pupil's code, because their slip is lost or another person has it."""
    acts.take_row(game, by)
    codes = PrintedCode.objects.filter(game=game, person=person, revoked_at=None)
    if codes.update(revoked_at=now) == 0:
        raise DeskError("That code has already been canceled.")
    sitting = _sitting(game, person)
    holder = sitting.seat.nation if sitting else "a former member"
    words = f"A printed code of {holder} was canceled."
    acts.write(game, "class-code", words, now, by=by, private=True)


def _sitting(game: Game, person: Person) -> Sitting | None:
    sittings = Sitting.objects.current().filter(seat__game=game, person=person)
    return sittings.select_related("seat").first()
