"""Lock a game's row before writing anything about the game."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F, Max

from games import permissions
from games.models import Game, Person, Phase


def take_row(game: Game) -> bool:
    """Lock the game's row until the end of the transaction; return whether the game is running.

    Everything that changes who may order what until when locks it first (received orders, lock,
    publication, the desk), so that each comes entirely before or after the others. Also refreshes
    the record hash, which letters show, and forgets who sat where (`permissions.load_seats`), which
    may have changed before the lock and may change under it.

    Who locks more than this row does so in this order, or two may wait for each other: a message
    that came by mail, games by their ids, phases, a person.
    """
    Game.objects.filter(pk=game.pk).update(last_submission=F("last_submission"))
    game.status, game.record_hash = Game.objects.values_list("status", "record_hash").get(
        pk=game.pk
    )
    game.seats_read = None
    getattr(game, "_prefetched_objects_cache", {}).pop("seats", None)
    return game.status == Game.Status.RUNNING


def take_person(person: Person) -> None:
    """Lock a person's row, last of all, before counting what they did over all games within a day.

    Otherwise two requests in two games would each count without the other, and exceed the limit.
    """
    list(Person.objects.select_for_update(no_key=True).filter(pk=person.pk).values_list("pk"))


def forget_seats(game: Game) -> None:
    """Forget who sat where, also in the seats that the caller has from `permissions.load_seats`."""
    for seat in game.seats_read or ():
        seat.sitting_now = None
    game.seats_read = None
    getattr(game, "_prefetched_objects_cache", {}).pop("seats", None)


def refusal_to_run(game: Game, by: Person | None) -> str:
    """Return why a person may not act as gamesmaster, as a sentence; "" for who runs the game.

    The caller has locked the game's row. While a page waited for it, the game may have been handed
    over, or the person removed; so this is asked again. The service itself (None) always may.
    """
    if by is None:
        return ""
    game.run_by = {}
    getattr(game, "_prefetched_objects_cache", {}).pop("gamesmasters", None)
    if permissions.runs(by, game):
        return ""
    return f"You no longer run “{game.title}”, so nothing was changed."


#: A request gets the game's row this soon after reading the clock: the longest that a page takes.
UNTIL_ROW = timedelta(minutes=1)


def now_in_row(phase: Phase, now: datetime) -> datetime:
    """Return the time of a deadline's move, with the game's row locked: not before earlier orders.

    Of two requests, the one that read the clock later may get the row first. Orders that got the
    row first were judged by the old deadline; if the record said that the deadline moved before
    they arrived, their verdict would not follow from the record. Orders more than `UNTIL_ROW` ahead
    come from a wrong clock and are ignored.
    """
    ahead = phase.submissions.filter(
        received_at__gt=now, received_at__lte=now + UNTIL_ROW
    ).aggregate(newest=Max("received_at"))
    newest: datetime | None = ahead["newest"]
    return newest or now
