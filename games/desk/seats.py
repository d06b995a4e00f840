"""Who sits where: offering, taking and giving seats; and the game that begins when full."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from games import game_row, positions
from games.accounts import tokens
from games.evidence import hashes
from games.models import Act, Game, Invitation, Person, Phase, Seat, Sitting
from games.models.people import tidy_address
from games.outbox.messages import desk as messages_desk
from games.outbox.messages import game as letters
from games.rules.names import all_of
from games.seats import pairs
from games.turns import deadlines, opening

from . import acts, deal, teams, times
from .words import BLIND_AND_SEATED, NO_PROGRAM, REFEREE_AND_SEATED, DeskError

#: A newcomer may be given so much time to read up.
MOST_EXTRA_HOURS = 14 * 24


def address(email: str) -> str:
    """An address as it is stored. Raises `DeskError` for what is none."""
    email = tidy_address(email)
    try:
        validate_email(email)
    except ValidationError:
        raise DeskError(
            f"“{email}” is not an e-mail address; write one such as ada@example.org."
        ) from None
    return email


@transaction.atomic
def invite(
    seat: Seat, email: str, by: Person, now: datetime, *, extra_hours: int = 0, joins: bool = False
) -> Invitation:
    """Offers a seat to an address by letter; an earlier open offer of the seat is withdrawn.

    `joins`: the offer is of a place in the seat's team (`ow2.team`), beside whoever sits there or
    has been asked: the seat is held by a team from then on.

    `extra_hours`: so much later the open deadline comes, for everybody alike, once the seat of a
    game that is being played is taken.
    """
    game_row.take_row(seat.game)  # of two offers of one seat the later withdraws the earlier
    seat.refresh_from_db(fields=["bot", "team"])
    _held_by_somebody(seat)
    joins = joins or seat.team
    email = address(email)
    if not 0 <= extra_hours <= MOST_EXTRA_HOURS:
        raise DeskError(
            f"“{extra_hours}” hours of extra time is not possible. Enter 0 to {MOST_EXTRA_HOURS}."
        )
    taken = seat.sittings.current().exists()
    if seat.bot or (taken and not joins):
        raise DeskError(f"{seat.nation} is taken; you can only offer an empty seat.")
    if seat.game.is_over:
        raise DeskError("The game is over; you can no longer offer seats.")
    if joins:
        teams.form(seat, email)
    invitation = tokens.new_invitation(seat, email, by, now)
    letters.invitation(invitation, now)
    if seat.game.in_progress:
        words = f"A player was invited to play {seat.nation}."
        about: dict[str, Any] = {"invitation": invitation.pk, "hours": extra_hours}
        acts.write(seat.game, "invited", words, now, by=by, seat=seat, **about)
    return invitation


@transaction.atomic
def withdraw(invitation: Invitation, now: datetime, by: Person | None = None) -> None:
    """Takes an offer back that nobody has accepted yet."""
    if Invitation.objects.open().filter(pk=invitation.pk).update(withdrawn_at=now) != 1:
        raise DeskError(
            f"The invitation of {invitation.email} has been accepted or withdrawn already."
        )
    seat = invitation.seat
    if seat.game.in_progress:
        words = f"The invitation to play {seat.nation} was withdrawn."
        acts.write(seat.game, "uninvited", words, now, by=by, seat=seat)


@transaction.atomic
def accept(invitation: Invitation, person: Person, now: datetime) -> Seat:
    """Seats a person by an invitation. Of two who accept at once one sits down."""
    seat = invitation.seat
    game = seat.game
    # Whoever sits down, or is given the seat, at the same moment comes wholly before or after.
    game_row.take_row(game)
    seat.refresh_from_db(fields=["bot", "team"])
    open_ones = Invitation.objects.open().filter(pk=invitation.pk)
    if open_ones.update(accepted_at=now, accepted_by=person) != 1:
        raise DeskError("This invitation was used or withdrawn. Ask the gamesmaster for a new one.")
    teams.check_not_there(seat, person)
    if seat.bot or (not seat.team and seat.sittings.current().exists()):
        raise DeskError(f"Another player has taken {seat.nation}. Ask the gamesmaster.")
    if game.is_over:
        raise DeskError(f"“{game.title}” is over: there are no seats to take.")
    _may_sit(game, person)
    if game.in_progress:
        sit_down(seat, person, invitation.invited_by, now, extra_hours=_extra_hours(invitation))
        return seat
    Sitting.objects.create(seat=seat, person=person, since=now)
    invited = Invitation.objects.open().filter(seat__game=game, seat__team=True)
    if not invited.exists():  # a team is waited for
        start_when_full(game, now)
    return seat


@transaction.atomic
def join(game: Game, nation: str, person: Person, now: datetime) -> Seat:
    """Seat somebody who came by the game's shared link, as if they had been invited."""
    game_row.take_row(game)
    seat = game.seats.nations().filter(nation=nation).first()
    if seat is None or nation not in free_seats(game):
        raise DeskError("That seat is taken. Choose another one.")
    return accept(tokens.new_invitation(seat, person.email, game.opened_by, now), person, now)


def free_seats(game: Game) -> list[str]:
    """Return the seats that the shared link offers: of a game not begun, where nobody was asked."""
    if game.status != Game.Status.FORMING:
        return []
    asked = set(Invitation.objects.open().filter(seat__game=game).values_list("seat", flat=True))
    empty = empty_seats(game)
    return [one.nation for one in game.seats.all() if one.nation in empty and one.pk not in asked]


def _extra_hours(invitation: Invitation) -> int:
    """What the gamesmaster promised with this invitation."""
    told = Act.objects.filter(
        game=invitation.seat.game_id, seat=invitation.seat_id, kind="invited"
    ).order_by("-pk")
    return next(
        (int(act.about["hours"]) for act in told if act.about["invitation"] == invitation.pk), 0
    )


def sit_down(
    seat: Seat, person: Person, by: Person, now: datetime, *, extra_hours: int = 0
) -> Sitting:
    """Seat a newcomer in a running game, and tell everybody. The caller holds the game's row."""
    game = seat.game
    _may_sit(game, person)
    joins = seat.team and seat.sittings.current().exists()
    sitting = Sitting.objects.create(seat=seat, person=person, since=now)
    phase = game.phases.current()
    if (
        extra_hours
        and phase is not None
        and phase.status == Phase.Status.OPEN
        and game.status == Game.Status.RUNNING
        and not phase.sheeted
    ):
        later = phase.deadline + timedelta(hours=extra_hours)
        times.extend(phase, later, f"{seat.nation} has a new player, who gets extra time.", by, now)
    deal.sits_too(seat, person, now)
    words = (
        f"A player joined the team of {seat.nation}."
        if joins
        else f"{_names(seat)} played by another player from now on."
    )
    act = acts.write(
        game, "joined" if joins else "seated", words, now, by=by, seat=seat, phase=phase
    )
    if joins and phase is not None and phase.status == Phase.Status.OPEN:
        deadlines.orders_arrived(phase, now)  # of a majority more is needed now
    messages_desk.seat(act, person, now)
    messages_desk.newcomer(sitting, phase, now)
    return sitting


def _names(seat: Seat) -> str:
    """Return a nation, or two held together, and a verb: “Britain is”, “Britain and France are”."""
    names = [one.nation for one in pairs.both(seat)]
    return f"{all_of(names)} {'is' if len(names) == 1 else 'are'}"


def _may_sit(game: Game, person: Person) -> None:
    if game.gamesmasters.filter(pk=person.pk).exists():
        if game.rules.referee:
            raise DeskError(REFEREE_AND_SEATED)
        if game.rules.needs_secret(game.options):
            raise DeskError(BLIND_AND_SEATED)


def _held_by_somebody(seat: Seat) -> None:
    """Refuse a seat that never has a player of its own: one that is lent, or the gamesmaster's."""
    if seat.referee:
        raise DeskError("That seat is reserved for the gamesmaster's sheets.")
    if seat.by_table:
        raise DeskError(f"{seat.nation} is not played in this game: who sends its orders is drawn.")


def empty_seats(game: Game) -> list[str]:
    """Return the nations that nobody plays, without those lent by the ally table."""
    taken = set(Sitting.objects.current().filter(seat__game=game).values_list("seat_id", flat=True))
    return [
        seat.nation
        for seat in game.seats.all()
        if not (seat.bot or seat.by_table or seat.referee or seat.pk in taken)
    ]


@transaction.atomic
def let_the_service_play(seat: Seat, now: datetime, by: Person | None = None) -> None:
    """Gives an empty seat to the service's own player."""
    game_row.take_row(seat.game)
    _held_by_somebody(seat)
    if not seat.game.rules.playable:
        raise DeskError(NO_PROGRAM.format(nation=seat.nation))
    if seat.sittings.current().exists():
        raise DeskError(f"{seat.nation} is taken; you can only give away an empty seat.")
    if seat.game.is_over:
        raise DeskError("The game is over; you can no longer give away seats.")
    hand = [seat.pk for seat in pairs.both(seat)]
    Invitation.objects.open().filter(seat__in=hand).update(withdrawn_at=now)
    if Seat.objects.filter(pk__in=hand, bot=False).update(bot=True) and seat.game.in_progress:
        words = f"{_names(seat)} played by the service from now on."
        act = acts.write(seat.game, "service", words, now, by=by, seat=seat)
        messages_desk.seat(act, None, now)
    seat.bot = True
    start_when_full(seat.game, now)


@transaction.atomic
def stop_service(seat: Seat, by: Person, now: datetime) -> None:
    """Takes a seat back from the service's own player: it is empty then, and can be offered."""
    game_row.take_row(seat.game)
    if seat.game.is_over:
        raise DeskError("The game is over; you can no longer give away seats.")
    hand = [one.pk for one in pairs.both(seat)]
    if not Seat.objects.filter(pk__in=hand, bot=True).update(bot=False):
        raise DeskError(f"{seat.nation} is not played by the service.")
    seat.bot = False
    if seat.game.in_progress:
        words = f"The service plays {seat.nation} no more."
        act = acts.write(seat.game, "no-service", words, now, by=by, seat=seat)
        messages_desk.seat(act, None, now)


def start_when_full(game: Game, now: datetime) -> None:
    """Begin a game that is to begin by itself, once its last seat is taken."""
    if game.starts_when_full and game.status == Game.Status.FORMING and not empty_seats(game):
        start(game, game.opened_by, now)


@transaction.atomic
def start(game: Game, by: Person, now: datetime) -> Phase:
    """Begin a game whose seats are all taken: first letter, first phase; options are fixed."""
    game_row.take_row(game)
    if empty := empty_seats(game):
        raise DeskError(
            f"Nobody plays {', '.join(empty)} yet. Invite a player"
            + (", or let the service play it." if game.rules.playable else ".")
        )
    forming = Game.objects.filter(pk=game.pk, status=Game.Status.FORMING)
    if forming.update(status=Game.Status.RUNNING, started_at=now) != 1:
        raise DeskError("The game has already begun.")
    game.refresh_from_db()
    if game.rules.needs_secret(game.options):
        # What is drawn in secret is computed from it and from digits that nobody knows yet; its
        # hash goes out with the first letter.
        game.secret = secrets.token_hex(32)
        game.save(update_fields=["secret"])
    # What characters the service's players have: explained when the game is over.
    Game.objects.filter(pk=game.pk).update(bots_secret=secrets.token_hex(32))
    deal.settle(game, now)
    letters.begins(game, now)
    return opening.open_phase(
        game, None, game.load(positions.start_position(game)), now, parts=[hashes.start(game)]
    )
