"""People who leave and come: vacated seats, standbys, open offers, further gamesmasters."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, Subquery

from games import game_row, permissions
from games.accounts import tokens
from games.models import Act, Game, Invitation, Person, Phase, Seat, Sitting, Standby
from games.outbox.messages import desk as messages_desk
from games.rules.names import all_of
from games.seats import pairs
from games.turns import deadlines, vacancies

from . import acts
from .seats import address, invite, sit_down, start_when_full, stop_service
from .words import BLIND_AND_SEATED, REFEREE_AND_SEATED, DeskError, one_line

LONGEST_NUMBER = 40

# --- leaving ---


@transaction.atomic
def vacate(seat: Seat, person: Person, reason: str, by: Person, now: datetime) -> None:
    """End a sitting, by the player or the gamesmaster. What was sent stays in force."""
    _end(seat, person, reason, by, now, "left" if by.pk == person.pk else "vacated")


@transaction.atomic
def eject(seat: Seat, person: Person, reason: str, by: Person, now: datetime) -> None:
    """Takes a seat away from somebody against his will."""
    _end(seat, person, reason, by, now, "ejected")


def _end(seat: Seat, person: Person, reason: str, by: Person, now: datetime, kind: str) -> None:
    reason = acts.clean_reason(reason)
    game = seat.game
    game_row.take_row(game)
    if game.is_over:
        raise DeskError(f"“{game.title}” is over: there is no seat to leave.")
    sitting = Sitting.objects.current().filter(person=person)
    if sitting.filter(seat=seat).update(until=now, ended_because=reason[:200]) == 0:
        raise DeskError(f"{person} no longer plays {seat.nation}.")
    hand = pairs.both(seat)  # two nations in one hand leave it together
    sitting.filter(seat__in=hand).update(until=now, ended_because=reason[:200])
    names = all_of([one.nation for one in hand])
    words = {
        "left": f"The player of {names} left the game.",
        "vacated": f"The seat of {names} was vacated.",
        "ejected": f"The player of {names} was removed from the game.",
    }
    phase = game.phases.current()
    if stays := seat.team and seat.sittings.current().exists():
        words = dict.fromkeys(
            words, f"A player left the team of {seat.nation}; the others play on."
        )
    act = acts.write(game, kind, words[kind], now, by=by, reason=reason, seat=seat, phase=phase)
    if stays and phase is not None and phase.status == Phase.Status.OPEN:
        deadlines.orders_arrived(phase, now)  # the votes of those who stay may all be final now
    if game.in_progress:
        messages_desk.seat(act, None, now)
    messages_desk.farewell(act, person, now)


@transaction.atomic
def replace(
    seat: Seat, email: str, reason: str, by: Person, now: datetime, *, extra_hours: int = 0
) -> Invitation:
    """Vacates a seat, whoever or whatever plays it, and offers it to an address."""
    email = address(email)
    game_row.take_row(seat.game)
    for sitting in seat.sittings.current().select_related("person"):
        vacate(seat, sitting.person, reason, by, now)
    seat.refresh_from_db(fields=["bot"])
    if seat.bot:
        stop_service(seat, by, now)
    return invite(seat, email, by, now, extra_hours=extra_hours)


# --- open seats, and those who would take one ---


def _is_empty(seat: Seat) -> bool:
    return not (seat.bot or seat.by_table or seat.referee) and not seat.sittings.current().exists()


@transaction.atomic
def offer_open(seat: Seat, by: Person, now: datetime) -> None:
    """List an empty seat. Whoever asks for it stands by, and the gamesmaster decides."""
    game_row.take_row(seat.game)
    seat.refresh_from_db(fields=["bot"])
    if seat.game.is_over or not _is_empty(seat):
        raise DeskError(f"{seat.nation} cannot be listed: it is not empty, or the game is over.")
    if seat.pk in {offered.pk for offered in open_seats(seat.game)}:
        raise DeskError(f"The seat of {seat.nation} is listed already.")
    words = f"The seat of {seat.nation} is open."
    acts.write(seat.game, "offered", words, now, by=by, seat=seat)


@transaction.atomic
def end_offer(seat: Seat, by: Person, now: datetime) -> None:
    """Takes an open seat off the list."""
    game_row.take_row(seat.game)
    if seat.pk not in {offered.pk for offered in open_seats(seat.game)}:
        raise DeskError(f"The seat of {seat.nation} is not listed any more.")
    words = f"The seat of {seat.nation} is no longer open."
    acts.write(seat.game, "unoffered", words, now, by=by, seat=seat)


def open_seats(game: Game | None = None) -> list[Seat]:
    """Return listed seats of a game, or of public ones. A listing ends when the seat is taken."""
    told = Act.objects.filter(seat=OuterRef("pk"), kind__in=("offered", "unoffered")).order_by(
        "-pk"
    )
    # Asked for by themselves, for of all that ever were these are few; that they have no end tells
    # SQLite so.
    games = Game.objects.filter(status__in=Game.Status.going_on(), finished_at__isnull=True)
    games = games.filter(pk=game.pk) if game is not None else games.filter(public=True)
    seats = (
        Seat.objects.nations()
        .filter(bot=False, by_table=False, game__in=games.values("pk"))
        .select_related("game")
    )
    offered = seats.annotate(
        told=Subquery(told.values("kind")[:1]), told_at=Subquery(told.values("done_at")[:1])
    ).filter(told="offered")
    sat_since = Sitting.objects.filter(
        Q(until=None) | Q(until__gt=OuterRef("told_at")), seat=OuterRef("pk")
    )
    return list(offered.exclude(Exists(sat_since)).order_by("game__title", "game_id", "ordinal"))


@transaction.atomic
def stand_by(
    person: Person, game: Game | None, note: str, now: datetime, *, ruleset_id: str = ""
) -> Standby:
    """Put somebody on the list of those who would take a seat: in one game, or in any, or in any of
    a kind."""
    note = one_line(note, "The note")[:200]
    if game is not None:
        game_row.take_row(game)
        if game.is_over:
            raise DeskError(f"“{game.title}” is over: there is no seat to stand by for.")
        if Sitting.objects.current().filter(seat__game=game, person=person).exists():
            raise DeskError(f"You already play in “{game.title}”.")
    else:
        # Of two requests at once the later finds the earlier.
        Person.objects.filter(pk=person.pk).update(is_active=person.is_active)
    if Standby.objects.filter(person=person, game=game, until=None).exists():
        raise DeskError("You are already on that list.")
    standby = Standby.objects.create(
        person=person, game=game, note=note, since=now, ruleset_id=ruleset_id
    )
    if game is not None:
        words = "A player is on standby for a seat."
        about: dict[str, Any] = {"private": True, "standby": standby.pk}
        acts.write(game, "stands-by", words, now, by=person, **about)
        messages_desk.asks_for_seat(standby, now)
    return standby


def stand_down(standby: Standby, now: datetime) -> None:
    """Takes somebody off the list again."""
    if Standby.objects.filter(pk=standby.pk, until=None).update(until=now) != 1:
        raise DeskError("You are no longer on that list.")


def standbys(game: Game) -> list[Standby]:
    """Return who could be asked: those who stand by for this game, then for any, oldest first."""
    sitting = Sitting.objects.current().filter(seat__game=game).values("person")
    rows = (
        Standby.objects.filter(until=None, person__is_active=True)
        .exclude(person__in=sitting)
        .select_related("person")
    )
    found: dict[int, Standby] = {}
    for where in (game, None):
        for row in rows.filter(game=where).order_by("since", "pk"):
            found.setdefault(row.person_id, row)
    return list(found.values())


@transaction.atomic
def seat_standby(
    seat: Seat, standby: Standby, by: Person, now: datetime, *, extra_hours: int = 0
) -> Sitting | None:
    """Seat a standby for this game; invite one for any game, and return None."""
    game_row.take_row(seat.game)
    seat.refresh_from_db(fields=["bot"])
    if standby.game_id is not None and standby.game_id != seat.game_id:
        raise DeskError("That standby is for another game.")
    if seat.game.is_over or not _is_empty(seat):
        raise DeskError(f"{seat.nation} is not empty, or the game is over.")
    if not Standby.objects.filter(pk=standby.pk, until=None, person__is_active=True).exists():
        raise DeskError("That person is no longer on standby.")
    person = standby.person
    if Sitting.objects.current().filter(seat__game=seat.game, person=person).exists():
        raise DeskError("That person already plays in this game.")
    if standby.game_id is None:
        invite(seat, person.email, by, now, extra_hours=extra_hours)
        return None
    Standby.objects.filter(pk=standby.pk).update(until=now)
    Invitation.objects.open().filter(seat=seat).update(withdrawn_at=now)
    if seat.game.in_progress:
        return sit_down(seat, person, by, now, extra_hours=extra_hours)
    act = acts.write(
        seat.game, "seated", f"The seat of {seat.nation} is taken.", now, by=by, seat=seat
    )
    sitting = Sitting.objects.create(seat=seat, person=person, since=now)
    messages_desk.seat(act, person, now)
    messages_desk.newcomer(sitting, None, now)
    start_when_full(seat.game, now)
    return sitting


@transaction.atomic
def set_stand_ins(game: Game, stand_ins: bool, by: Person, now: datetime) -> None:
    """Set whether the service sends the orders of vacant seats (orders.bots). Everybody is told."""
    game_row.take_row(game)
    game.refresh_from_db(fields=["stand_ins", "status"])
    if game.is_over:
        raise DeskError(f"“{game.title}” is over: it needs no stand-ins.")
    if stand_ins and not game.rules.playable:
        raise DeskError(
            "Bots cannot play this game because its orders may be in free words, so it has no"
            " stand-ins."
        )
    if game.stand_ins == stand_ins:
        return
    game.stand_ins = stand_ins
    game.save(update_fields=["stand_ins"])
    words = (
        "From now on a bot sends orders for vacant seats; orders from a person replace them."
        if stand_ins
        else "From now on nobody sends orders for a vacant seat."
    )
    phase = game.phases.current()
    about: dict[str, Any] = {"before": not stand_ins, "after": stand_ins}
    act = acts.write(game, "stand-ins", words, now, by=by, phase=phase, **about)
    if game.in_progress:
        messages_desk.announce_act(act, now)


def note_seen_as(seat: Seat, by: Person, now: datetime) -> None:
    """Write down, for everybody, that a gamesmaster looked at the game as a player sees it."""
    words = f"The gamesmaster looked at the game as {seat.nation} sees it."
    acts.write(seat.game, "seen-as", words, now, by=by, seat=seat)


def note_number(sitting: Sitting, number: str) -> None:
    """Write down the number under which a gamesmaster reaches somebody, for this game alone: what
    the person has entered for themselves stays. Raise `DeskError` for what is no number."""
    number = one_line(number, "The number")
    if len(number) > LONGEST_NUMBER:
        raise DeskError(f"“{number}” is longer than {LONGEST_NUMBER} characters.")
    if number and not re.fullmatch(r"[+(]?[0-9][0-9 ()/.*#-]*", number):
        raise DeskError(f"“{number}” is not a telephone number. Write it such as +49 40 123456.")
    sitting.telephone = number
    sitting.save(update_fields=["telephone"])


# --- gamesmasters ---


#: What says that somebody was asked to run a game, and what ends that.
ASKED = "asked-gamesmaster"
ANSWERED = ("gamesmaster", "handed-over", "no-gamesmaster", "unasked")


@transaction.atomic
def ask_gamesmaster(
    game: Game, email: str, by: Person, now: datetime, *, hands_over: bool = False
) -> Person:
    """Ask somebody by letter to run a game too, or instead of who asks. They decide by its link."""
    person = _possible_gamesmaster(game, email)
    _unask(game, person, by, now)
    words = f"A gamesmaster was invited{' to take over' if hands_over else ''}."
    act = acts.write(game, ASKED, words, now, by=by, person=person.pk, hands_over=hands_over)
    messages_desk.asks_to_run(act, person, now)
    return person


def asked_gamesmasters(game: Game) -> list[tuple[Act, Person]]:
    """Return whom a letter asks to run the game and who has not answered."""
    asked = Act.objects.filter(game=game, kind=ASKED).select_related("done_by").order_by("pk")
    people = Person.objects.in_bulk([act.about["person"] for act in asked])
    return [(act, people[act.about["person"]]) for act in asked if _is_open(act)]


def _is_open(act: Act) -> bool:
    later = Act.objects.filter(game=act.game_id, kind__in=(ASKED, *ANSWERED), pk__gt=act.pk)
    return not later.filter(about__person=act.about["person"]).exists()


def _unask(game: Game, person: Person, by: Person, now: datetime) -> None:
    if any(one.pk == person.pk for _, one in asked_gamesmasters(game)):
        words = "The invitation of a gamesmaster was withdrawn."
        acts.write(game, "unasked", words, now, by=by, person=person.pk)


@transaction.atomic
def unask_gamesmaster(game: Game, person: Person, by: Person, now: datetime) -> None:
    """Take back what a letter asked of somebody. Nothing where they have answered."""
    game_row.take_row(game)
    _unask(game, person, by, now)


def find_request(token: str, now: datetime) -> tuple[Act, Person]:
    """Return what a letter asked of whom. Raises `KeyRefused` where it stands no more."""
    act = Act.objects.filter(pk=tokens.request_number(token), kind=ASKED).first()
    person = Person.objects.filter(pk=act.about["person"], is_active=True).first() if act else None
    if (
        act is None
        or person is None
        or act.done_by is None
        or not tokens.is_request(token, act.pk)
        or now >= act.done_at + tokens.INVITATION_LASTS
        or act.game.is_over
        or not permissions.runs(act.done_by, act.game)
        or not _is_open(act)
    ):
        raise tokens.KeyRefused(tokens.NO_LONGER)
    return act, person


@transaction.atomic
def accept_request(token: str, now: datetime) -> tuple[Game, Person]:
    """Let somebody run a game who has agreed to. Raises `KeyRefused` or `DeskError`."""
    act, _ = find_request(token, now)
    game_row.take_row(act.game)  # of two who press the button at once the second finds it done
    act, person = find_request(token, now)
    assert act.done_by is not None
    give = hand_over if act.about["hands_over"] else add_gamesmaster
    give(act.game, person.email, act.done_by, now)
    return act.game, person


@transaction.atomic
def add_gamesmaster(game: Game, email: str, by: Person, now: datetime) -> Person:
    """Gives the desk of a game to one more person; he logs in by letter as everybody does."""
    person = _possible_gamesmaster(game, email)
    game.gamesmasters.add(person)
    words = "The game has another gamesmaster."
    act = acts.write(game, "gamesmaster", words, now, by=by, person=person.pk)
    messages_desk.gamesmasters(act, person, now)
    return person


def _possible_gamesmaster(game: Game, email: str) -> Person:
    """Return who has this address. Raises `DeskError` if they run the game or may not."""
    email = address(email)
    game_row.take_row(game)
    if game.gamesmasters.filter(email=email).exists():
        raise DeskError(f"{email} runs this game already.")
    person = Person.objects.at(email)
    if not person.is_active:
        raise DeskError(f"The account of {email} is closed.")
    if Sitting.objects.current().filter(seat__game=game, person=person).exists():
        if game.rules.needs_secret(game.options):
            raise DeskError(BLIND_AND_SEATED)
        if game.rules.referee:
            raise DeskError(REFEREE_AND_SEATED)
    return person


@transaction.atomic
def remove_gamesmaster(game: Game, person: Person, by: Person, now: datetime) -> None:
    """Takes the desk from a gamesmaster, never from the last one."""
    game_row.take_row(game)
    if not game.gamesmasters.filter(pk=person.pk).exists():
        raise DeskError("That person does not run this game.")
    if not game.gamesmasters.filter(is_active=True).exclude(pk=person.pk).exists():
        raise DeskError("A game needs a gamesmaster. Add another one first.")
    game.gamesmasters.remove(person)
    act = acts.write(
        game, "no-gamesmaster", "A gamesmaster left the game.", now, by=by, person=person.pk
    )
    messages_desk.gamesmasters(act, None, now)


@transaction.atomic
def hand_over(game: Game, email: str, by: Person, now: datetime) -> Person:
    """Gives the game to another gamesmaster: he runs it, whoever hands it over runs it no more."""
    game_row.take_row(game)
    known = game.gamesmasters.filter(email=address(email)).first()
    if known is not None and known.pk == by.pk:
        raise DeskError("You already run this game. Enter another address.")
    person = known or _possible_gamesmaster(game, email)
    game.gamesmasters.add(person)
    game.gamesmasters.remove(by)
    words = "The game was handed over to another gamesmaster."
    act = acts.write(game, "handed-over", words, now, by=by, person=person.pk)
    messages_desk.gamesmasters(act, person, now)
    return person


# --- missed turns ---


def count_missed(seat: Seat, phase: Phase) -> int:
    """How many phases running, up to and with this one, whoever sits there now has sent nothing."""
    return vacancies.streak(seat, phase)[0]


def vacant_seats(game: Game) -> list[tuple[Seat, int]]:
    """Return seats reported vacant whose player sent nothing since, with the phases missed."""
    locked = game.phases.exclude(locked_at=None).current()
    if locked is None:
        return []
    limit = int(game.options.get("seat.nmr_limit", 2))
    counted = [
        (seat, count_missed(seat, locked)) for seat in game.seats.nations().filter(bot=False)
    ]
    return [(seat, missed) for seat, missed in counted if limit and missed >= limit]
