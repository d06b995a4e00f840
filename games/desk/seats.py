"""Offer, take and give seats, and begin a game when all are taken."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from games import permissions, positions
from games.accounts import tokens
from games.base.text import shorten
from games.evidence import hashes
from games.models import Act, Game, Invitation, Person, Phase, Seat, Sitting
from games.models.people import tidy_address
from games.outbox.messages import account_letters, desk_letters, game_letters
from games.positions import game_row
from games.rules.names import all_of
from games.seats import pairs, track_record
from games.seats import teams as seat_teams
from games.turns import deadlines, opening

from . import acts, deal, teams, times
from .words import NO_PROGRAM, DeskError, check_gamesmaster_may_play, one_line

#: The limit of extra time, for a newcomer to read up.
MOST_EXTRA_HOURS = 14 * 24
#: How many invitations a person may send within a day: enough for a school.
MOST_INVITED_A_DAY = 500


def valid_address(email: str) -> str:
    """Return an address as it is stored. Raise `DeskError` for an invalid one."""
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
    seat: Seat,
    email: str,
    by: Person,
    now: datetime,
    *,
    name: str = "",
    extra_hours: int = 0,
    joins: bool = False,
) -> Invitation:
    """Offer a seat to an address by letter; an earlier open offer of the seat is withdrawn.

    `name`: what the gamesmaster calls the person until they have a name of their own.

    `joins`: the offer is of a place in the seat's team (`ow2.team`), beside the person who sits
    there or was invited; from then on a team holds the seat.

    `extra_hours`: how much later the open deadline comes, for everybody, once the seat is taken in
    a running game.

    Raise `DeskError`.
    """
    acts.take_row(seat.game, by)  # the later of two offers of a seat withdraws the earlier
    seat.refresh_from_db(fields=["bot", "team"])
    _check_can_be_held(seat)
    joins = joins or seat.team
    email, name = valid_address(email), one_line(name, "The name")
    if len(name) > Person.LONGEST_NAME:
        raise DeskError(
            f"The name “{shorten(name)}” is {len(name)} characters long; the limit is"
            f" {Person.LONGEST_NAME}."
        )
    if not 0 <= extra_hours <= MOST_EXTRA_HOURS:
        raise DeskError(
            f"“{extra_hours}” hours of extra time is not possible. Enter 0 to {MOST_EXTRA_HOURS}."
        )
    is_taken = seat.sittings.current().exists()
    if seat.bot or (is_taken and not joins):
        raise DeskError(f"{seat.nation} is taken; you can only offer an empty seat.")
    if seat.game.is_over:
        raise DeskError("The game is over; you can no longer offer seats.")
    if joins:
        teams.form(seat, email, now)
    game_row.take_person(by)
    invited = Invitation.objects.filter(invited_by=by, invited_at__gt=now - timedelta(days=1))
    if invited.count() >= MOST_INVITED_A_DAY:
        raise DeskError(
            f"You have sent {MOST_INVITED_A_DAY} invitations within a day. Share the game's link,"
            " or go on tomorrow."
        )
    _check_plays_no_other(seat, email)
    _check_not_offered_another(seat, email)
    invitation = tokens.new_invitation(seat, email, by, now, name)
    account_letters.invitation(invitation, now)
    if seat.game.in_progress:
        words = f"A player was invited to play {seat.nation}."
        about: dict[str, Any] = {"invitation": invitation.pk, "hours": extra_hours}
        acts.write(seat.game, "invited", words, now, by=by, seat=seat, **about)
    return invitation


@transaction.atomic
def withdraw(invitation: Invitation, now: datetime, by: Person | None = None) -> None:
    """Withdraw an offer that nobody has accepted yet."""
    acts.take_row(invitation.seat.game, by)
    if Invitation.objects.open().filter(pk=invitation.pk).update(withdrawn_at=now) != 1:
        raise DeskError(
            f"The invitation of {invitation.addressee} has been accepted or withdrawn already."
        )
    seat = invitation.seat
    if seat.game.in_progress:
        words = f"The invitation to play {seat.nation} was withdrawn."
        acts.write(seat.game, "uninvited", words, now, by=by, seat=seat)


@transaction.atomic
def accept(invitation: Invitation, person: Person, now: datetime) -> Seat:
    """Seat a person by an invitation. If two accept at once, one of them sits down."""
    seat = invitation.seat
    game = seat.game
    # A person who sits down, or gets the seat, at the same moment comes entirely before or after.
    game_row.take_row(game)
    seat.refresh_from_db(fields=["bot", "team"])
    still_open = Invitation.objects.open().filter(pk=invitation.pk)
    if still_open.update(accepted_at=now, accepted_by=person) != 1:
        raise DeskError("This invitation was used or withdrawn. Ask the gamesmaster for a new one.")
    teams.check_not_there(seat, person)
    if seat.bot or (not seat.team and seat.sittings.current().exists()):
        raise DeskError(f"Another player has taken {seat.nation}. Ask the gamesmaster.")
    if game.is_over:
        raise DeskError(f"“{game.title}” is over: there are no seats to take.")
    check_may_sit(seat, person, now)
    if game.in_progress:
        sit_down(seat, person, invitation.invited_by, now, extra_hours=_extra_hours(invitation))
        return seat
    Sitting.objects.create(seat=seat, person=person, since=now)
    invited = Invitation.objects.open().filter(seat__game=game, seat__team=True)
    if not invited.exists():  # else the team is not complete yet
        start_when_full(game, now)
    return seat


@transaction.atomic
def join(game: Game, nation: str, person: Person, now: datetime) -> Seat:
    """Seat a person who found the game or has its link, as if they had been invited.

    The game's minimum of phases on time also applies to the link, which can be passed on; a person
    invited by name is the gamesmaster's own choice.
    """
    game_row.take_row(game)
    percent = track_record.track_record_of(person, now).percent if game.least_on_time else None
    if percent is not None and percent < game.least_on_time:
        raise DeskError(
            f"This game is for players on time in {game.least_on_time}% of their phases; you were"
            f" in {percent}%. Look for another game, or ask its gamesmaster to invite you."
        )
    seat = game.seats.nations().filter(nation=nation).first()
    if seat is None or nation not in free_seats(game):
        raise DeskError("That seat is taken. Choose another one.")
    return accept(tokens.new_invitation(seat, person.email, game.opened_by, now), person, now)


def free_rows() -> QuerySet[Seat]:
    """Return the seats that are empty and not offered to anybody."""
    return (
        Seat.objects.nations()
        .filter(bot=False, by_table=False)
        .exclude(Exists(Sitting.objects.current().filter(seat=OuterRef("pk"))))
        .exclude(Exists(Invitation.objects.open().filter(seat=OuterRef("pk"))))
    )


def free_seats(game: Game) -> list[str]:
    """Return the seats that the shared link offers: empty and not offered, in a forming game."""
    if game.status != Game.Status.FORMING:
        return []
    return list(free_rows().filter(game=game).values_list("nation", flat=True))


def _extra_hours(invitation: Invitation) -> int:
    offers = Act.objects.filter(
        game=invitation.seat.game_id, seat=invitation.seat_id, kind="invited"
    ).order_by("-pk")
    return next(
        (int(act.about["hours"]) for act in offers if act.about["invitation"] == invitation.pk), 0
    )


def sit_down(
    seat: Seat, person: Person, by: Person, now: datetime, *, extra_hours: int = 0
) -> Sitting:
    """Seat a newcomer in a running game and notify everybody. The caller holds the game's row."""
    game = seat.game
    check_may_sit(seat, person, now)
    joins = seat.team and seat.sittings.current().exists()
    spoke = seat_teams.spokesman(seat) if joins else None
    sitting = Sitting.objects.create(seat=seat, person=person, since=now)
    phase = game.phases.current()
    change, moved = None, []
    if extra_hours and phase is not None and phase.is_timed and game.status == Game.Status.RUNNING:
        later = min(phase.deadline + timedelta(hours=extra_hours), now + deadlines.FURTHEST)
        # In the hours of grace the extra time may be over, while the seat can still be taken.
        if later > max(phase.deadline, now):
            why = f"{seat.nation} has a new player, who gets extra time."
            change, act_of_move = times.extend_without_letter(phase, later, why, by, now)
            moved = [act_of_move]
    deal.seat_in_both(seat, person, now)
    words = (
        f"A player joined the team of {seat.nation}."
        if joins
        else f"{_names(seat)} played by another player from now on."
    )
    act = acts.write(
        game, "joined" if joins else "seated", words, now, by=by, seat=seat, phase=phase
    )
    if phase is not None and phase.status == Phase.Status.OPEN:
        # A team needs more votes for a majority now, and a predecessor's Final mark has lapsed.
        deadlines.update_due_time(phase, now)
    desk_letters.seat(act, person, now, change, moved)
    desk_letters.newcomer(sitting, phase, now)
    teams.announce_change(seat, spoke, by, now)
    return sitting


def _names(seat: Seat) -> str:
    """Return a nation, or a pair, and a verb: “Britain is”, “Britain and France are”."""
    names = [each.nation for each in pairs.seats_of_pair(seat)]
    return f"{all_of(names)} {'is' if len(names) == 1 else 'are'}"


def check_not_barred(person: Person, now: datetime) -> None:
    """Raise `DeskError` if the operator has barred a person from opening or joining games."""
    if (barring := permissions.barring_of(person, now)) is not None:
        raise DeskError(barring.sentence)


def check_may_sit(seat: Seat, person: Person, now: datetime) -> None:
    """Raise `DeskError` if a person may not sit in a seat.

    They may be barred, run the game, or play another nation of it.
    """
    check_not_barred(person, now)
    _check_plays_no_other(seat, person.email)
    game = seat.game
    if game.gamesmasters.filter(pk=person.pk).exists():
        check_gamesmaster_may_play(game.rules, game.options)


def _check_plays_no_other(seat: Seat, email: str) -> None:
    """Raise `DeskError` if the person with an address plays a nation outside the seat's pair.

    Two seats would give one person two votes and the secrets of both nations.
    """
    others = Sitting.objects.current().filter(
        seat__game=seat.game_id, seat__referee=False, person__email=email
    )
    sitting = (
        others.exclude(seat__nation__in=pairs.offered_nations(seat))
        .select_related("person", "seat")
        .order_by("seat__ordinal")
        .first()
    )
    if sitting is not None:
        name = sitting.person.name if sitting.person.by_post else email
        raise DeskError(f"{name} already plays {sitting.seat.nation} in this game.")


def _check_not_offered_another(seat: Seat, email: str) -> None:
    """Raise `DeskError` if an address is invited to a nation outside the seat's pair."""
    offers = Invitation.objects.open().filter(
        seat__game=seat.game_id, seat__referee=False, email=email
    )
    offer = offers.exclude(seat__nation__in=pairs.offered_nations(seat)).select_related("seat")
    if (other := offer.order_by("seat__ordinal").first()) is not None:
        raise DeskError(
            f"{email} is already invited to play {other.seat.nation} in this game. Withdraw that"
            " invitation first."
        )


def _check_can_be_held(seat: Seat) -> None:
    """Raise `DeskError` for a seat that never has its own player: lent, or the gamesmaster's."""
    if seat.referee:
        raise DeskError("That seat is reserved for the gamesmaster's reports.")
    if seat.by_table:
        raise DeskError(
            f"Nobody plays {seat.nation} in this game: lots decide who sends its orders."
        )


def empty_seats(game: Game) -> list[str]:
    """Return the nations that nobody plays, without those lent by the ally table."""
    taken_seats = set(
        Sitting.objects.current().filter(seat__game=game).values_list("seat_id", flat=True)
    )
    return [
        seat.nation
        for seat in game.seats.all()
        if not (seat.bot or seat.by_table or seat.referee or seat.pk in taken_seats)
    ]


@transaction.atomic
def let_the_service_play(seat: Seat, now: datetime, by: Person | None = None) -> None:
    """Give an empty seat to a bot. Raise `DeskError`."""
    acts.take_row(seat.game, by)
    _check_can_be_held(seat)
    if not seat.game.rules.playable:
        raise DeskError(NO_PROGRAM.format(nation=seat.nation))
    if seat.sittings.current().exists():
        raise DeskError(f"{seat.nation} is taken; you can only give away an empty seat.")
    if seat.game.is_over:
        raise DeskError("The game is over; you can no longer give away seats.")
    pks = [seat.pk for seat in pairs.seats_of_pair(seat)]
    Invitation.objects.open().filter(seat__in=pks).update(withdrawn_at=now)
    if Seat.objects.filter(pk__in=pks, bot=False).update(bot=True) and seat.game.in_progress:
        hashes.append(seat.game, hashes.seat_changes(list(Seat.objects.filter(pk__in=pks))), now)
        words = f"{_names(seat)} played by the service from now on."
        act = acts.write(seat.game, "service", words, now, by=by, seat=seat)
        desk_letters.seat(act, None, now)
    seat.bot = True
    start_when_full(seat.game, now)


@transaction.atomic
def stop_service(seat: Seat, by: Person, now: datetime) -> None:
    """Take a seat back from a bot, so that it is empty and can be offered."""
    acts.take_row(seat.game, by)
    if seat.game.is_over:
        raise DeskError("The game is over; you can no longer give away seats.")
    pks = [each.pk for each in pairs.seats_of_pair(seat)]
    if not Seat.objects.filter(pk__in=pks, bot=True).update(bot=False):
        raise DeskError(f"{seat.nation} is not played by the service.")
    seat.bot = False
    if seat.game.in_progress:
        hashes.append(seat.game, hashes.seat_changes(list(Seat.objects.filter(pk__in=pks))), now)
        words = f"The service no longer plays {seat.nation}."
        act = acts.write(seat.game, "no-service", words, now, by=by, seat=seat)
        desk_letters.seat(act, None, now)


def start_when_full(game: Game, now: datetime) -> None:
    """Begin a game that begins by itself, once its last seat is taken."""
    if game.starts_when_full and game.status == Game.Status.FORMING and not empty_seats(game):
        start(game, now)


@transaction.atomic
def start(game: Game, now: datetime, by: Person | None = None) -> None:
    """Begin a game whose seats are all taken: first letter, first phase; options are fixed.

    `by` is None where it begins by itself.
    """
    acts.take_row(game, by)
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
        # Secret draws are computed from it and from digits that nobody knows yet; its hash goes out
        # with the first letter.
        game.secret = secrets.token_hex(32)
        game.save(update_fields=["secret"])
    Game.objects.filter(pk=game.pk).update(bots_secret=draw_bots_secret())
    deal.settle(game, now)
    game_letters.begins(game, now)
    opening.open_phase(
        game, None, game.load(positions.start_position(game)), now, parts=[hashes.start(game)]
    )


def draw_bots_secret() -> str:
    """Return what nobody may know of a game's bots: their characters and moves follow from it."""
    return secrets.token_hex(32)
