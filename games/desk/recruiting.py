"""Games about to begin whose free seats anybody may take, or ask for."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from games import game_row
from games.models import Game, Person, Seat, Standby
from games.outbox.messages import desk as messages_desk
from games.seats import track_record

from . import acts
from .seats import free_seats, join
from .words import DeskError


def games_to_join() -> list[tuple[Game, list[str]]]:
    """Return public games about to begin with the seats that are free, the newest first."""
    forming = Game.objects.filter(status=Game.Status.FORMING, public=True, practice=False)
    wanted = forming.exclude(joining=Game.Joining.INVITED).order_by("-opened_at", "-pk")
    found = [(game, free_seats(game)) for game in wanted]
    return [(game, free) for game, free in found if free]


def may_be_joined(game: Game) -> bool:
    """Whether anybody may take a free seat of the game at once."""
    return (
        game.status == Game.Status.FORMING
        and game.public
        and not game.practice
        and game.joining == Game.Joining.OPEN
    )


@transaction.atomic
def join_openly(game: Game, nation: str, person: Person, now: datetime) -> Seat:
    """Seat somebody who found the game on the list. Raise `DeskError` where nobody may join."""
    game_row.take_row(game)
    game.refresh_from_db(fields=["status", "public", "joining", "least_on_time"])
    if not may_be_joined(game):
        raise DeskError(f"“{game.title}” can no longer be joined. Look for another game.")
    percent = track_record.of(person, now).percent
    if percent is not None and percent < game.least_on_time:
        raise DeskError(
            f"This game asks for orders on time in {game.least_on_time} of 100 phases; yours came"
            f" in {percent}. Look for another game."
        )
    return join(game, nation, person, now)


@transaction.atomic
def set_joining(game: Game, joining: str, by: Person, now: datetime) -> None:
    """Set who may take the free seats of a game that has not begun, and announce it on the list."""
    game_row.take_row(game)
    game.refresh_from_db(fields=["status", "public", "joining"])
    if joining not in Game.Joining.values:
        raise DeskError(f"“{joining}” does not say who may join; choose one of those listed.")
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
    """Give a game that has not begun another link to share; earlier ones open nothing from now on.

    Raises `DeskError` once the game has begun.
    """
    game_row.take_row(game)
    game.refresh_from_db(fields=["status", "join_link"])
    if game.status != Game.Status.FORMING:
        raise DeskError(f"“{game.title}” has begun: its link opens nothing any more.")
    game.join_link += 1
    game.save(update_fields=["join_link"])
    words = "The link to share was replaced; the earlier one opens nothing."
    acts.write(game, "join-link", words, now, by=by, private=True)


def check_joining(joining: str, *, public: bool) -> None:
    """Refuse to list a game that nobody may watch."""
    if joining != Game.Joining.INVITED and not public:
        raise DeskError(
            "A game that only its players may watch is not listed. Let anybody watch, or send its"
            " link to the people whom you want."
        )


def announce(game: Game, now: datetime) -> None:
    """Write to everybody who wants to hear of games like this one; once for each game."""
    free = free_seats(game)
    if game.joining == Game.Joining.INVITED or not free:
        return
    like_this = Q(ruleset_id="") | Q(ruleset_id=game.ruleset_id)
    waiting = Standby.objects.filter(like_this, game=None, until=None, person__is_active=True)
    waiting = waiting.exclude(person__in=game.gamesmasters.all())
    waiting = waiting.exclude(person__sittings__seat__game=game)
    people = [row.person for row in waiting.select_related("person")]
    messages_desk.free_seats(game, free, people, now)
