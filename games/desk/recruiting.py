"""Find players: list free seats of games about to begin, and open seats of those that go on."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.models import Game, Person, Seat, Standby
from games.outbox.messages import desk_letters
from games.positions import game_row

from . import acts
from .seats import free_rows, free_seats, join
from .words import DeskError

ALL = slice(None)


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
    game_row.take_row(game)
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
    game_row.take_row(game)
    game.refresh_from_db(fields=["status", "join_link"])
    if game.status != Game.Status.FORMING:
        raise DeskError(f"“{game.title}” has begun: its link no longer works.")
    game.join_link += 1
    game.save(update_fields=["join_link"])
    words = "The link to share was replaced. The earlier one no longer works."
    acts.write(game, "join-link", words, now, by=by, private=True)


def check_joining(joining: str, *, public: bool) -> None:
    """Raise `DeskError` for listing a game that only its players may watch."""
    if joining != Game.Joining.INVITED and not public:
        raise DeskError(
            "A game that only its players may watch is not listed. Let anybody watch, or send the"
            " link to people yourself."
        )


def announce(game: Game, now: datetime) -> None:
    """Write to everybody who wants to hear of games like this one, once for each game."""
    free = free_seats(game)
    if game.joining == Game.Joining.INVITED or not free:
        return
    like_this = Q(ruleset_id="") | Q(ruleset_id=game.ruleset_id)
    waiting = Standby.objects.filter(like_this, game=None, until=None, person__is_active=True)
    waiting = waiting.exclude(person__in=game.gamesmasters.all())
    waiting = waiting.exclude(person__sittings__seat__game=game)
    people = [row.person for row in waiting.select_related("person")]
    desk_letters.free_seats(game, free, people, now)
