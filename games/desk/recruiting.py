"""Find players: list free and open seats, and seat people on standby."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games import permissions
from games.models import (
    Act,
    Game,
    Invitation,
    Person,
    PrintedCode,
    Seat,
    Sitting,
    Standby,
)
from games.outbox.messages import desk_letters
from games.positions import game_row

from . import acts
from .seats import (
    check_may_sit,
    check_not_barred,
    free_rows,
    free_seats,
    invite,
    join,
    sit_down,
    start_when_full,
)
from .words import DeskError, one_line

ALL = slice(None)
#: How many seats and lists a person may ask for within a day: gamesmasters get a letter each time.
MOST_A_DAY = 20


def games_to_join(
    rows: slice = ALL, *, title: str = "", ruleset_id: str = ""
) -> list[tuple[Game, list[str]]]:
    """Return public games about to begin with their free seats, the newest first.

    `rows`: which of them. `title`: what their title contains. Two queries.
    """
    forming = Game.objects.filter(status=Game.Status.FORMING, public=True, practice=False)
    listed = forming.exclude(joining=Game.Joining.INVITED).filter(_like("", title, ruleset_id))
    having = listed.filter(Exists(free_rows().filter(game=OuterRef("pk"))))
    games = list(having.order_by("-opened_at", "pk")[rows])
    if not games:
        return []
    free: dict[int, list[str]] = {}
    for pk, nation in free_rows().filter(game__in=games).values_list("game", "nation"):
        free.setdefault(pk, []).append(nation)
    return [(game, free[game.pk]) for game in games if game.pk in free]


def seats_on_offer(rows: slice = ALL, *, title: str = "", ruleset_id: str = "") -> list[Seat]:
    """Return listed seats of public games, the newest offer first.

    `rows`: which of them. `title`: what the title of their game contains. An index has this order,
    so the database looks no further than the last row.
    """
    seats = _listed_seats().filter(_like("game__", title, ruleset_id), game__public=True)
    return list(seats.only("nation", "ordinal", "game__title").order_by("-offered_at", "-pk")[rows])


def open_seats(game: Game) -> list[Seat]:
    """Return the listed seats of a game, in scenario order."""
    return [] if game.is_over else list(_listed_seats().filter(game=game).order_by("ordinal"))


def _listed_seats() -> QuerySet[Seat]:
    """Return seats that a gamesmaster has listed as open.

    A listing ends when the seat is taken, and with the game.
    """
    return Seat.objects.filter(offered_at__isnull=False, bot=False).select_related("game")


def _like(to_game: str, title: str, ruleset_id: str) -> Q:
    """Return the condition on rows whose game, at the end of the path, is like that."""
    wanted = {"title__icontains": title, "ruleset_id": ruleset_id}
    return Q(**{f"{to_game}{field}": value for field, value in wanted.items() if value})


def may_be_asked_for(game: Game) -> bool:
    """Return whether anybody may ask the gamesmaster for a seat: a free one, or a listed one."""
    if not game.public or game.practice:
        return False
    asks = game.joining == Game.Joining.ASK and bool(free_seats(game))
    return asks or bool(open_seats(game))


def may_be_joined(game: Game) -> bool:
    """Return whether anybody may take a free seat of the game at once."""
    return (
        game.status == Game.Status.FORMING
        and game.public
        and not game.practice
        and game.joining == Game.Joining.OPEN
    )


@transaction.atomic
def join_openly(game: Game, nation: str, person: Person, now: datetime) -> Seat:
    """Seat a person who found the game on the list. Raise `DeskError` if it cannot be joined."""
    game_row.take_row(game)
    game.refresh_from_db(fields=["status", "public", "joining"])
    if not may_be_joined(game):
        raise DeskError(f"“{game.title}” can no longer be joined. Look for another game.")
    return join(game, nation, person, now)


@transaction.atomic
def set_joining(game: Game, joining: str, by: Person, now: datetime) -> None:
    """Set who may take the free seats of a game that has not begun, and announce it on the list."""
    acts.take_row(game, by)
    game.refresh_from_db(fields=["status", "public", "joining"])
    if joining not in Game.Joining.values:
        raise DeskError(f"“{joining}” is not one of the choices. Choose one from the list.")
    if game.status != Game.Status.FORMING:
        raise DeskError(f"“{game.title}” has begun. List its empty seats one by one.")
    check_joining(joining, public=game.public)
    if joining == game.joining:
        return
    game.joining = joining
    game.save(update_fields=["joining"])
    acts.write(game, "joining", f"Who may join: {game.get_joining_display()}.", now, by=by)
    announce(game, now)


@transaction.atomic
def replace_join_link(game: Game, by: Person, now: datetime) -> None:
    """Give a game that has not begun another link to share; earlier ones stop working.

    Raise `DeskError` once the game has begun.
    """
    acts.take_row(game, by)
    game.refresh_from_db(fields=["status", "join_link"])
    if game.status != Game.Status.FORMING:
        raise DeskError(f"“{game.title}” has begun: its link no longer works.")
    game.join_link += 1
    game.save(update_fields=["join_link"])
    words = "The link to share was replaced. The earlier one no longer works."
    acts.write(game, "join-link", words, now, by=by, private=True)


def known_to_former_gamesmasters(game: Game) -> tuple[bool, int]:
    """Return what a gamesmaster who has left still knows, until it is replaced: whether the link to
    share, and of how many pupils the code."""
    forming = game.status == Game.Status.FORMING
    permissions.load_seats(game)
    seated = (row.person for seat in game.seats_read or () for row in seat.sitting_now or ())
    if game.is_over or not (forming or any(person.is_pupil for person in seated)):
        return False, 0
    left = Act.objects.filter(game=game, kind__in=("no-gamesmaster", "handed-over"))
    last = left.order_by("-pk").first()
    if last is None:
        return False, 0
    replaced = Act.objects.filter(game=game, kind="join-link", pk__gt=last.pk)
    codes = PrintedCode.objects.filter(game=game, revoked_at=None, made_at__lt=last.done_at)
    return forming and not replaced.exists(), codes.count()


def check_joining(joining: str, *, public: bool) -> None:
    """Raise `DeskError` for listing a game that only its players may watch."""
    if joining != Game.Joining.INVITED and not public:
        raise DeskError(
            "A game that only its players may watch is not listed. Let anybody watch, or send the"
            " link to people yourself."
        )


def _standbys_for(game: Game) -> QuerySet[Standby]:
    """Return the standbys who would play a game of this kind, with their people."""
    kinds = Q(ruleset_id="") | Q(ruleset_id=game.ruleset_id)
    listed = Standby.objects.filter(kinds, until=None, person__is_active=True)
    return listed.select_related("person")


def announce(game: Game, now: datetime) -> None:
    """Write to everybody who wants to hear of games like this one, once for each game."""
    free = free_seats(game)
    if game.joining == Game.Joining.INVITED or not free:
        return
    waiting = _standbys_for(game).filter(game=None)
    waiting = waiting.exclude(person__in=game.gamesmasters.all())
    people = [row.person for row in waiting.exclude(person__sittings__seat__game=game)]
    desk_letters.free_seats(game, free, people, now)


# --- open seats and standbys ---


def _is_empty(seat: Seat) -> bool:
    return not (seat.bot or seat.by_table or seat.referee) and not seat.sittings.current().exists()


@transaction.atomic
def offer_open(seat: Seat, by: Person, now: datetime) -> None:
    """List an empty seat. People who ask for it become standbys; the gamesmaster decides."""
    acts.take_row(seat.game, by)
    seat.refresh_from_db(fields=["bot"])
    if seat.game.is_over or not _is_empty(seat):
        raise DeskError(f"{seat.nation} cannot be listed: it is not empty, or the game is over.")
    if seat.pk in {offered.pk for offered in open_seats(seat.game)}:
        raise DeskError(f"The seat of {seat.nation} is listed already.")
    seat.offered_at = now
    seat.save(update_fields=["offered_at"])
    words = f"The seat of {seat.nation} is open."
    acts.write(seat.game, "offered", words, now, by=by, seat=seat)


@transaction.atomic
def end_offer(seat: Seat, by: Person, now: datetime) -> None:
    """Take an open seat off the list."""
    acts.take_row(seat.game, by)
    if seat.pk not in {offered.pk for offered in open_seats(seat.game)}:
        raise DeskError(f"The seat of {seat.nation} is not listed any more.")
    seat.offered_at = None
    seat.save(update_fields=["offered_at"])
    words = f"The seat of {seat.nation} is no longer open."
    acts.write(seat.game, "unoffered", words, now, by=by, seat=seat)


@transaction.atomic
def stand_by(
    person: Person, game: Game | None, note: str, now: datetime, *, ruleset_id: str = ""
) -> Standby:
    """Put a person on the standby list: of one game, of any game, or of any of one ruleset."""
    check_not_barred(person, now)
    note = one_line(note, "The note")[:200]
    if game is not None:
        game_row.take_row(game)
        if game.is_over:
            raise DeskError(f"“{game.title}” is over: there is no seat to stand by for.")
        if Sitting.objects.current().filter(seat__game=game, person=person).exists():
            raise DeskError(f"You already play in “{game.title}”.")
    game_row.take_person(person)
    if Standby.objects.filter(person=person, game=game, until=None).exists():
        raise DeskError("You are already on that list.")
    if (
        Standby.objects.filter(person=person, since__gt=now - timedelta(days=1)).count()
        >= MOST_A_DAY
    ):
        raise DeskError(
            f"You have asked for seats {MOST_A_DAY} times within a day. Try again tomorrow."
        )
    standby = Standby.objects.create(
        person=person, game=game, note=note, since=now, ruleset_id=ruleset_id
    )
    if game is not None:
        words = "A player is on standby for a seat."
        about: dict[str, Any] = {"private": True, "standby": standby.pk}
        acts.write(game, "stands-by", words, now, by=person, **about)
        desk_letters.asks_for_seat(standby, now)
    return standby


def stand_down(standby: Standby, now: datetime) -> None:
    """Take a person off the standby list again."""
    if Standby.objects.filter(pk=standby.pk, until=None).update(until=now) != 1:
        raise DeskError("You are no longer on that list.")


def standbys(game: Game) -> list[Standby]:
    """Return the standbys that can be asked: for this game first, then for any, oldest first."""
    sitting = Sitting.objects.current().filter(seat__game=game).values("person")
    rows = _standbys_for(game).exclude(person__in=sitting)
    by_person: dict[int, Standby] = {}
    for game_or_none in (game, None):
        for row in rows.filter(game=game_or_none).order_by("since", "pk"):
            by_person.setdefault(row.person_id, row)
    return list(by_person.values())


@transaction.atomic
def seat_standby(
    seat: Seat, standby: Standby, by: Person, now: datetime, *, extra_hours: int = 0
) -> Sitting | None:
    """Seat a standby of this game. Invite one of any game, and return None."""
    acts.take_row(seat.game, by)
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
    check_may_sit(seat, person, now)
    Standby.objects.filter(pk=standby.pk).update(until=now)
    Invitation.objects.open().filter(seat=seat).update(withdrawn_at=now)
    if seat.game.in_progress:
        return sit_down(seat, person, by, now, extra_hours=extra_hours)
    act = acts.write(
        seat.game, "seated", f"The seat of {seat.nation} is taken.", now, by=by, seat=seat
    )
    sitting = Sitting.objects.create(seat=seat, person=person, since=now)
    desk_letters.seat(act, person, now)
    desk_letters.newcomer(sitting, None, now)
    start_when_full(seat.game, now)
    return sitting
