"""Who may see and do what: decided here, and nowhere else, for pages, letters, admin and exports (docs/design.md 8).

What of the *position* somebody may see is the ruleset's to say (`view`); this module says who somebody is to a game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from .models import Game, Letter, Person, Phase, Press, Seat, Sitting

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
    """Whether somebody may send orders for the seat. Nobody but who sits there: a gamesmaster takes them down at the desk."""
    return holds(person, seat)


def may_take_down(person: Someone, seat: Seat) -> bool:
    """Whether somebody may take down a seat's orders from the telephone or from paper: whoever runs the game.

    A gamesmaster who sits in a seat himself hears the orders of the others. That is so with every telephone game, and it is on the
    record: the receipt tells the player who took his orders down, and when.
    """
    return runs(person, seat.game)


def may_print(person: Someone, letter: Letter) -> bool:
    """Whether somebody may have a letter as a sheet to print: its reader, and whoever runs the game for a reader without e-mail.

    Letters that hold a key are never printed: the key is for whoever reads the mail.
    """
    if letter.secret or not isinstance(person, Person) or not person.is_active or letter.person is None:
        return False
    return letter.person == person or (letter.person.by_post and letter.game is not None and runs(person, letter.game))


def reads_letter(person: Someone, letter: Letter) -> bool:
    """Whether somebody may read in the outbox what a letter says: its reader, and who runs its game.

    A letter between nations is read there by whoever may read it anyway. A gamesmaster who sits in a seat himself reads none of the
    others': their receipts and answers hold their orders.
    """
    if not isinstance(person, Person) or not person.is_active or letter.secret:
        return False
    if letter.person_id == person.pk:
        return True
    if letter.game is None:
        return person.is_superuser
    if "press" in letter.about:
        return reads_press(person, Press.objects.select_related("game", "seat").get(pk=letter.about["press"]))
    return runs(person, letter.game) and not seats_held(person, letter.game)


def prints_for(person: Someone, seat: Seat) -> bool:
    """Whether somebody may have the sheets that are made for a seat (its board, its form, its report): a gamesmaster of the game.

    One who plays himself has those of the others only where somebody must print them: for a player without e-mail.
    """
    if not runs(person, seat.game):
        return False
    return seat.nation in nations_read(person, seat.game) or seat.sittings.filter(until=None, person__by_post=True).exists()


def view(game: Game, position: dict[str, Any], nation: str | None) -> Any:
    """A position as a nation, or the public (None), may see it: the only way from a stored position to anything shown."""
    return game.rules.view(game.load(position), nation)


def reminded(phase: Phase) -> QuerySet[Seat]:
    """Seats that may act in this phase and have people in them: whom a reminder can reach."""
    return phase.game.seats.filter(bot=False, sittings__until=None, sittings__isnull=False).distinct()


# --- letters between nations (games.press) ---


def press_nations(person: Someone, game: Game) -> set[str]:
    """The nations whose letters somebody reads as their own, with what was sent to all: those in whose seats he sits now."""
    return {seat.nation for seat in seats_held(person, game)}


def press_released(game: Game) -> bool:
    """Whether everybody who sees the game reads all its letters: it is over, and its rules had said so before it began."""
    return game.status == Game.Status.FINISHED and bool(game.press.get("released"))


def press_read(person: Someone, game: Game) -> list[Press]:
    """The letters of a game that somebody may read, oldest first (`reads_press`), asked of the database at once."""
    if not isinstance(person, Person) and not press_released(game):
        return []
    rows = Press.objects.filter(game=game).select_related("seat", "person", "phase", "answers", "game").order_by("number")
    reads = _press_reader(person, game)
    return [press for press in rows if reads(press)]


def reads_press(person: Someone, press: Press) -> bool:
    """Whether somebody may read one letter.

    A nation's letters are the nation's: whoever sits there now reads all of them, who sat there before those of his time. A gamesmaster
    reads what is addressed to him; the rest only where the game's rules say so, and not while he sits in a seat himself, or he would
    read his opponents' letters. When the game is over its rules may open all of them to everybody who sees it.
    """
    return _press_reader(person, press.game)(press)


def _press_reader(person: Someone, game: Game) -> Callable[[Press], bool]:
    if press_released(game) and sees_game(person, game):
        return lambda press: True
    if not isinstance(person, Person) or not person.is_active:
        return lambda press: False
    own = press_nations(person, game)
    master = runs(person, game)
    all_of_it = master and bool(game.press.get("gamesmaster_reads")) and not own
    times = list(Sitting.objects.filter(seat__game=game, person=person).values_list("seat__nation", "since", "until"))

    def reads(press: Press) -> bool:
        if all_of_it or (master and (press.to_gamesmaster or press.seat_id is None)):
            return True
        then = {nation for nation, since, until in times if since <= press.sent_at and (until is None or until > press.sent_at)}
        nations = own | then
        writer = press.seat.nation if press.seat is not None else ""
        return bool(nations) and (press.to_all or writer in nations or not nations.isdisjoint(press.to))

    return reads


def writes_press(person: Someone, seat: Seat) -> bool:
    """Whether somebody may write letters in a nation's name: whoever sits there."""
    return holds(person, seat)


def answers_questions(person: Someone, game: Game) -> bool:
    """Whether somebody may write letters as the gamesmaster."""
    return runs(person, game)
