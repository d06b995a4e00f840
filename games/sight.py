"""Who may see and do what: decided here, and nowhere else, for pages, letters, admin and exports (docs/design.md 8).

What of the *position* somebody may see is the ruleset's to say (`view`); this module says who somebody is to a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from .models import Game, Person, Phase, Seat

if TYPE_CHECKING:
    from orders.models import Submission

Someone = Person | AnonymousUser


def runs(person: Someone, game: Game) -> bool:
    """Whether this is a gamesmaster of the game. An administrator is one of every game; what he does is on the record all the same."""
    if not isinstance(person, Person) or not person.is_active:
        return False
    return person.is_superuser or game.gamesmasters.filter(pk=person.pk).exists()


def enters_closures(person: Someone) -> bool:
    """Whether somebody may enter a day without trading: whoever runs a game that is being played, and every member of the staff."""
    if not isinstance(person, Person) or not person.is_active:
        return False
    return person.is_staff or person.games_run.filter(status=Game.Status.RUNNING).exists()


def seats_held(person: Someone, game: Game) -> list[Seat]:
    """The seats this person now sits in, in card order."""
    if not isinstance(person, Person) or not person.is_active:
        return []
    return list(game.seats.filter(sittings__person=person, sittings__until=None).distinct())


def holds(person: Someone, seat: Seat) -> bool:
    return isinstance(person, Person) and person.is_active and seat.sittings.filter(person=person, until=None).exists()


def sees_game(person: Someone, game: Game) -> bool:
    """Whether somebody may read the game's board, reports and proofs at all."""
    return game.public or runs(person, game) or bool(seats_held(person, game))


def games_seen(person: Someone) -> QuerySet[Game]:
    """The games to list for somebody: his own seats and campaigns, and the public ones."""
    rule = Q(public=True)
    if isinstance(person, Person):
        if person.is_superuser:
            return Game.objects.all()
        rule |= Q(gamesmasters=person) | Q(seats__sittings__person=person, seats__sittings__until=None)
    return Game.objects.filter(rule).distinct()


def nations_read(person: Someone, game: Game, *, settled: bool = False) -> set[str]:
    """The nations whose order sets somebody may read: his own, at any time; all of them once the game is over.

    The gamesmaster reads all; but one who sits in a seat himself reads the others' only of phases that are `settled` (resolved),
    or he would play with open cards against closed ones. Nobody else: what was in force is told by the report, and what was
    written and replaced would tell too much.
    """
    everybody = {seat.nation for seat in game.seats.all()}
    if game.status == Game.Status.FINISHED and sees_game(person, game):
        return everybody
    own = {seat.nation for seat in seats_held(person, game)}
    if runs(person, game) and (settled or not own):
        return everybody
    return own


def reads_orders(person: Someone, submission: Submission) -> bool:
    """Whether somebody may read one order set."""
    settled = submission.phase.status == Phase.Status.RESOLVED
    return submission.seat.nation in nations_read(person, submission.game, settled=settled)


def may_order(person: Someone, seat: Seat) -> bool:
    """Whether somebody may send orders for the seat. Nobody but who sits there: a gamesmaster enters orders at the desk, as a ruling."""
    return holds(person, seat)


def view(game: Game, position: dict[str, Any], nation: str | None) -> Any:
    """A position as a nation, or the public (None), may see it: the only way from a stored position to anything shown."""
    return game.rules.view(game.load(position), nation)


def reminded(phase: Phase) -> QuerySet[Seat]:
    """Seats that may act in this phase and have people in them: whom a reminder can reach."""
    return phase.game.seats.filter(bot=False, sittings__until=None, sittings__isnull=False).distinct()
