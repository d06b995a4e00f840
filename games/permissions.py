"""Decide who may see and do what, for pages, letters, admin and exports (docs/design.md 8).

The ruleset decides which part of a *position* a person may see (`view`); this module decides a
person's role in a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeGuard

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import BooleanField, Prefetch, Q, QuerySet, prefetch_related_objects
from django.db.models.expressions import RawSQL

from games.rules import REFEREE_SEAT, PhaseId
from games.rules.registry import RULESETS

from .models import (
    Act,
    Address,
    Barring,
    Block,
    Game,
    Letter,
    Notebook,
    Person,
    PersonNote,
    Phase,
    Press,
    Proposal,
    Scenario,
    Seat,
    Sitting,
    Standby,
)

if TYPE_CHECKING:
    from orders.models import Draft, OrdersAhead, Submission

Someone = Person | AnonymousUser
#: Whether a person is a gamesmaster of a game that is read. Raw SQL, because each page of a game
#: asks it, and Django takes longer to build it than to read the game.
_RUNS = """EXISTS (SELECT 1 FROM games_game_gamesmasters running
    WHERE running.game_id = games_game.id AND running.person_id = %s)"""
#: Whether a person sits in a seat that is read, for the same reason.
_SITS = """EXISTS (SELECT 1 FROM games_sitting sitting
    WHERE sitting.seat_id = games_seat.id AND sitting.person_id = %s AND sitting.until IS NULL)"""


def is_active(person: Someone) -> TypeGuard[Person]:
    return isinstance(person, Person) and person.is_active


def runs(person: Someone, game: Game) -> bool:
    """Return whether a person runs a game: its gamesmasters, and administrators, on the record."""
    if not is_active(person):
        return False
    return person.is_superuser or is_gamesmaster(person, game)


def is_gamesmaster(person: Person, game: Game) -> bool:
    """Return whether a person is a named gamesmaster, who gets the letters for gamesmasters."""
    if person.pk in game.run_by:  # `find_game` has read it
        return game.run_by[person.pk]
    # Read once for a page: it asks several times, and the desk's changes empty what was read.
    prefetch_related_objects([game], "gamesmasters")
    return any(gamesmaster.pk == person.pk for gamesmaster in game.gamesmasters.all())


def enters_admin(person: Someone) -> bool:
    """Return whether a person may enter the admin: staff, and who runs a game, for its rows."""
    if not is_active(person) or person.guest:
        return False
    return person.is_staff or person.is_superuser or person.games_run.exists()


def enters_closures(person: Someone) -> bool:
    """Return whether a person may enter a day without trading: staff, as it affects all games."""
    return is_active(person) and (person.is_staff or person.is_superuser)


def operates(person: Someone) -> bool:
    """Return whether a person is an operator.

    Operators see games and phases, but orders only as everybody does (`reads_secret_orders`).
    """
    return is_active(person) and person.is_superuser


def reads_secret_orders(person: Someone, game: Game) -> bool:
    """Return whether a person reads orders that are still secret, and what would show them.

    Only a named gamesmaster who holds no seat does. An operator would have to become one, which the
    game's public list of acts tells.
    """
    return is_active(person) and is_gamesmaster(person, game) and not held_seats(person, game)


def opens_games(person: Someone) -> bool:
    """Return whether a person may open a game: staff, and people in GAMES_OPENED_BY.

    Neither guests nor pupils, whose code opens one game.
    """
    if not is_active(person) or person.guest or person.is_pupil:
        return False
    allowed = settings.GAMES_OPENED_BY
    return person.is_staff or person.is_superuser or "anyone" in allowed or person.email in allowed


def who_opens_games() -> str:
    """Return a sentence that says who may open games here."""
    if "anyone" in settings.GAMES_OPENED_BY:
        return "Anyone who logs in may open a game."
    if not any("@" in entry for entry in settings.GAMES_OPENED_BY):
        return "Only the staff of this service open games."
    return "Only people whom the operator of this service has named open games."


def barring_of(person: Person, now: datetime) -> Barring | None:
    """Return the barring that keeps a person from opening and joining games now.

    It may be under any of their addresses.
    """
    other_addresses = Address.objects.filter(
        person=person, confirmed_at__isnull=False, removed_at=None
    ).values("email")
    of_person = Barring.objects.filter(Q(email=person.email) | Q(email__in=other_addresses))
    row: Barring | None = of_person.at(now).order_by("-pk").first()
    return row


def own_notes(person: Someone, game: Game) -> QuerySet[PersonNote]:
    """Return a gamesmaster's own notes about people of their game (`people_of`)."""
    if not (isinstance(person, Person) and runs(person, game)):
        return PersonNote.objects.none()
    return PersonNote.objects.filter(writer=person, by_operator=False, person__in=people_of(game))


def people_of(game: Game) -> QuerySet[Person]:
    """Return a game's present and former players and its standbys, whom its notes may be about."""
    return Person.objects.filter(
        Q(pk__in=Sitting.objects.filter(seat__game=game).values("person"))
        | Q(pk__in=Standby.objects.filter(Q(game=game) | Q(game=None), until=None).values("person"))
    )


def find_game(person: Someone, pk: int) -> Game | None:
    """Return the game with this number, for a page or an answer to one reader.

    What pages ask of their reader again and again is read with it: whether they run the game, its
    seats, and who sits in them.
    """
    # At most one row: to order it, as `first` does, would take Django as long as to read it.
    games = Game.objects.filter(pk=pk)
    if not is_active(person):
        return next(iter(games), None)
    runs = RawSQL(_RUNS, [person.pk], BooleanField())
    game = next(iter(games.annotate(run_by_reader=runs)), None)
    if game is not None:
        game.run_by = {person.pk: game.run_by_reader}
        load_seats(game)
    return game


def load_seats(*games: Game) -> None:
    """Read once the seats of games and who sat in them, for all who ask these objects.

    A request or a message begins with it. `seat.sitting_now` has the present sittings, each with
    its person. `game_row.take_row` forgets them, because under the lock they may change.
    """
    unread = [game for game in games if game.seats_read is None]
    sittings = Prefetch("seats__sittings", Sitting.objects.select_related("person"))
    prefetch_related_objects(unread, "seats", sittings)
    for game in unread:
        game.seats_read, game.blocks_read = list(game.seats.all()), {}
        for seat in game.seats_read:
            current = (sitting for sitting in seat.sittings.all() if sitting.is_current)
            seat.sitting_now = sorted(current, key=attrgetter("pk"))


def nations_of(game: Game) -> list[Seat]:
    """Return the seats of a game in scenario order, without the gamesmaster's."""
    return [seat for seat in game.seats.all() if not seat.referee]


def held_seats(person: Someone, game: Game) -> list[Seat]:
    """Return the seats in which a person now sits, in scenario order."""
    if not is_active(person):
        return []
    if game.seats_read is not None:
        return [seat for seat in game.seats_read if _sits(person, seat)]
    held = game.seats.filter(RawSQL(_SITS, [person.pk], BooleanField()))
    return sorted(held.order_by(), key=attrgetter("ordinal"))


def _sits(person: Person, seat: Seat) -> bool:
    """Return whether a person sits in a seat that `load_seats` has read."""
    return any(sitting.person_id == person.pk for sitting in seat.sitting_now or ())


def sees_track_record(person: Someone, other: Person) -> bool:
    """Return whether a person may see another's track record: their own, or one that is shown."""
    return other.is_active and (other.record_shown or person == other)


def holds(person: Someone, seat: Seat) -> bool:
    if not is_active(person):
        return False
    if seat.sitting_now is not None:
        return _sits(person, seat)
    return Sitting.objects.current().filter(seat=seat, person=person).exists()


def plays_again(person: Someone, game: Game) -> bool:
    """Return whether a person may open a game filled in like this one: who ran it or plays it."""
    return opens_games(person) and (runs(person, game) or bool(held_seats(person, game)))


def sees_game(person: Someone, game: Game) -> bool:
    """Return whether a person may read the game's board, reports and proofs at all."""
    return game.public or runs(person, game) or bool(held_seats(person, game))


def sees_names(person: Someone, game: Game) -> bool:
    """Return whether a person may learn who plays which nation, and on which day each was last
    here if they show it.

    In an anonymous game only its gamesmasters may, and when it is over everybody who sees it.
    Members of a team know each other in any case.
    """
    return not game.anonymous or game.is_over or runs(person, game)


#: Kinds of acts that people do as players, though they may run the game too.
_AS_PLAYERS = ("left", "vote")


def sees_doer(act: Act, game: Game, *, names: bool) -> bool:
    """Return whether a reader may learn who did an act; nobody did what the service does.

    `names`: whether they may learn who plays which nation (`sees_names`). Others learn only what a
    gamesmaster did as gamesmaster.
    """
    if act.done_by is None:
        return False
    return names or (act.kind not in _AS_PLAYERS and is_gamesmaster(act.done_by, game))


def visible_games(person: Someone) -> QuerySet[Game]:
    """Return the games to list for a person: public ones, and those they play or run."""
    rule = Q(public=True)
    if isinstance(person, Person):
        if person.is_superuser:
            return Game.objects.all()
        # By id and without joins: for a person with few games the database must not scan all.
        rule |= Q(pk__in=Game.gamesmasters.through.objects.filter(person=person).values("game"))
        rule |= Q(pk__in=Sitting.objects.current().filter(person=person).values("seat__game"))
    return Game.objects.filter(rule)


def controlled_nations(nations: Iterable[str], phase: Phase | None) -> set[str]:
    """Return the unheld nations whose orders these nations send in a phase (N3: for one turn)."""
    own = set(nations)
    return (
        {ally for ally, controller in phase.controllers.items() if controller in own}
        if phase is not None
        else set()
    )


def orderable_seats(person: Someone, game: Game, phase: Phase | None) -> list[Seat]:
    """Return the seats a person may order for: their own, then allies', in scenario order."""
    own_seats = held_seats(person, game)
    allies = controlled_nations((seat.nation for seat in own_seats), phase)
    if not allies:
        return own_seats
    return own_seats + [
        seat for seat in game.seats.all() if seat.nation in allies and seat not in own_seats
    ]


def readable_nations(
    person: Someone, game: Game, *, settled: bool = False, phase: Phase | None = None
) -> set[str]:
    """Return the nations whose orders a person may read.

    Players read their own at any time, those of allies they control in `phase`, and all once the
    game is over. The gamesmaster reads all; a gamesmaster who also plays, and an operator, read the
    others' only in phases that `is_settled` accepts. Orders that are hidden from the gamesmaster
    (`is_hidden_from_gamesmaster`) are excluded.
    """
    everybody = {seat.nation for seat in game.seats.all()}
    if game.is_over and sees_game(person, game):
        return everybody
    reports = {seat.nation for seat in game.seats.all() if seat.referee}
    if runs(person, game) and (settled or reads_secret_orders(person, game)):
        return reports if is_hidden_from_gamesmaster(game, phase) else everybody
    own_nations = {seat.nation for seat in held_seats(person, game)}
    own_reports = reports if referees(person, game) else set()
    return own_nations | controlled_nations(own_nations, phase) | own_reports


def is_hidden_from_gamesmaster(game: Game, phase: Phase | None) -> bool:
    """Return whether orders of this phase (None: of any) are hidden from its gamesmasters."""
    if game.is_over:
        return False
    if phase is None:
        return game.rules.seals_orders
    return game.rules.facts(PhaseId(phase.turn, phase.kind), game.options).sealed


def reads_mail(person: Someone, game: Game, phase: Phase | None) -> bool:
    """Return whether a person reads messages that players sent by mail: they may be orders.

    `phase`: the game's current one.
    """
    return reads_secret_orders(person, game) and not is_hidden_from_gamesmaster(game, phase)


def reads_orders(person: Someone, submission: Submission) -> bool:
    """Return whether a person may read one order set."""
    phase = submission.phase
    return submission.seat.nation in readable_nations(
        person, submission.game, settled=is_settled(phase), phase=phase
    )


def orders_read_in_lists(person: Person) -> Q:
    """Return the condition for orders that a person reads in a list: their own, those of games that
    are over, and for a gamesmaster who does not play, all that the rules do not hide from them.

    Where `reads_orders` must look at each phase, only the page of a row shows them.
    """
    own = Sitting.objects.current().filter(person=person)
    sealing = [key for key, rules in RULESETS.items() if rules.seals_orders]
    run = Game.objects.filter(gamesmasters=person).exclude(pk__in=own.values("seat__game"))
    return (
        Q(game__status__in=Game.Status.over())
        | Q(seat__in=own.values("seat"))
        | Q(game__in=run.exclude(ruleset_id__in=sealing).values("pk"))
        | Q(game__in=run.values("pk"), seat__referee=True)
    )


def is_settled(phase: Phase, *, early: Iterable[str] = ()) -> bool:
    """Return whether a phase is resolved and its result hides nothing of its orders.

    Orders that lay PFs face down (Rules F9) stay secret until the attacks of the turn reveal them.
    `early`: statuses that are accepted besides RESOLVED.
    """
    if phase.status != Phase.Status.RESOLVED and phase.status not in early:
        return False
    until = phase.game.rules.facts(PhaseId(phase.turn, phase.kind), phase.game.options).kept_until
    # A game that is over hides nothing any more.
    if until is None or phase.game.is_over:
        return True
    later = Phase.objects.filter(
        game=phase.game_id, turn=until.turn, kind=until.kind, status=Phase.Status.RESOLVED
    )
    return later.filter(number__gt=phase.number).exists()


def referees(person: Someone, game: Game) -> bool:
    """Return whether a person may send reports in a refereed game: their page shows orders."""
    return bool(game.rules.referee.seats) and reads_secret_orders(person, game)


def reads_report_files(person: Someone, phase: Phase) -> bool:
    """Return whether a person who sees the game may read the files with a phase's report.

    Everybody may once the phase is judged or the game is over; before that only the report's
    writers.
    """
    judged = phase.status == Phase.Status.RESOLVED
    return judged or phase.game.is_over or referees(person, phase.game)


def may_order(person: Someone, seat: Seat, phase: Phase | None = None) -> bool:
    """Return whether a person may send orders for the seat in a phase (None: the current one).

    Its players may, and for a seat that nobody holds those of the nation that controls it in that
    phase; for the gamesmaster's own seat, people who may send reports. Gamesmasters enter orders at
    the desk instead (`may_take_down`).
    """
    if seat.referee:
        return referees(person, seat.game)
    return holds(person, seat) or (
        seat.by_table
        and any(holds(person, controller) for controller in controlling_seats(seat, phase))
    )


def reads_draft(person: Someone, draft: Draft) -> bool:
    """Return whether a person may read orders being written: only their writer."""
    return is_active(person) and draft.person_id == person.pk


def reads_orders_ahead(person: Someone, ahead: OrdersAhead) -> bool:
    """Return whether a person may read orders for a later phase: only their writer.

    The gamesmaster reads them once they are orders.
    """
    return is_active(person) and ahead.person_id == person.pk


def keeps_notebook(person: Someone, game: Game) -> TypeGuard[Person]:
    """Return whether a person may keep a notebook: who runs the game, or plays or played in it."""
    return is_active(person) and (
        runs(person, game) or Sitting.objects.filter(seat__game=game, person=person).exists()
    )


def readable_notebooks(person: Someone, game: Game) -> QuerySet[Notebook]:
    """Return the notebooks that a person who sees a game may read.

    Their own, and once the game is over those whose writers allow it.
    """
    own_notebooks = Q(person=person.pk) if is_active(person) else Q(pk__in=[])
    opened = Q(opens=True) if game.is_over else Q(pk__in=[])
    return Notebook.objects.filter(own_notebooks | opened, game=game).select_related("person")


def controlling_seats(seat: Seat, phase: Phase | None = None) -> list[Seat]:
    """Return the seat that orders for a seat that nobody holds; else an empty list."""
    if not seat.by_table:
        return []
    phase = phase or Phase.objects.filter(game=seat.game_id).current()
    controller = phase.controllers.get(seat.nation) if phase is not None else None
    return [other for other in seat.game.seats.all() if other.nation == controller]


def may_take_down(person: Someone, seat: Seat) -> bool:
    """Return whether a person may enter a seat's orders from the telephone or from paper.

    Gamesmasters may, even if they play: the receipt tells the player who entered them. Reports
    cannot be entered this way.
    """
    return runs(person, seat.game) and not seat.referee


def may_rule(person: Someone, phase: Phase, kind: str) -> bool:
    """Return whether a gamesmaster may make rulings of a kind on a phase, or preview them.

    A gamesmaster who plays cannot rule on alliances while those are secret: the effect would show
    who is allied.
    """
    until = phase.game.rules.facts(PhaseId(phase.turn, phase.kind), phase.game.options).kept_until
    # Only offers stay hidden until a later turn, and a ruling shows nothing of them.
    if kind != "alliance" or until is None or until.turn:
        return True
    return phase.game.is_over or not held_seats(person, phase.game)


def lacks_secrets_of(person: Someone, seat: Seat, phase: Phase) -> bool:
    """Return whether a gamesmaster who plays lacks the secrets of a seat whose orders they enter.

    The text is then read with public knowledge only: otherwise they could find out the nation's
    chart in a blind game, or its face-down counters, by typing orders in its name.
    """
    return seat.nation not in readable_nations(person, seat.game, phase=phase)


def may_print(person: Someone, letter: Letter) -> bool:
    """Return whether a person may print a letter: its reader, or a gamesmaster for players by post.

    Letters with a token are never printed.
    """
    reader, game = letter.person, letter.game
    if letter.secret or not is_active(person) or reader is None:
        return False
    posted = reader.is_printed_for and game is not None and is_gamesmaster(person, game)
    return reader == person or posted


def reads_letter(person: Someone, letter: Letter) -> bool:
    """Return whether a person may read a letter in the outbox: its reader, or who runs its game.

    `reads_press` decides about letters between nations. Receipts contain orders, so only who may
    read secret ones reads others' letters; in a refereed game no gamesmaster does before it is
    over.
    """
    if not is_active(person) or letter.secret:
        return False
    if letter.person_id == person.pk:
        return True
    if letter.game is None:
        return person.is_superuser
    if "press" in letter.about:
        return reads_press(
            person, Press.objects.select_related("game", "seat").get(pk=letter.about["press"])
        )
    if "proposal" in letter.about:
        rows = Proposal.objects.select_related("game", "seat", "to")
        return reads_deal(person, rows.get(pk=letter.about["proposal"]))
    # It may show its reader's own hidden column.
    if letter.about.get("seats") and is_hidden_from_gamesmaster(letter.game, None):
        return False
    return reads_secret_orders(person, letter.game)


def prints_for(person: Someone, seat: Seat) -> bool:
    """Return whether a person may have the printouts of a seat (board, form, report).

    Gamesmasters may; one who plays has those of other seats only for players by post.
    """
    if not (is_active(person) and runs(person, seat.game)):
        return False
    if seat.nation in readable_nations(person, seat.game):
        return True
    load_seats(seat.game)
    sending = {each.nation for each in (seat, *controlling_seats(seat))}
    seats = (each for each in seat.game.seats_read or () if each.nation in sending)
    people = (sitting.person for each in seats for sitting in each.sitting_now or ())
    return is_gamesmaster(person, seat.game) and any(each.is_printed_for for each in people)


def view(game: Game, position: dict[str, Any], nation: str | None) -> Any:
    """Return a position as a nation, or the public (None), may see it: the only way to show one.

    All of it when the game is over, as its record has it.
    """
    state = game.load(position)
    return state if game.is_over else game.rules.view(state, nation)


def viewer_of(person: Someone, game: Game) -> str | None:
    """Return the viewer, for `view`, as whom a person reads boards and scores.

    It is their nation, the referee with scores that are only theirs, or the public (None).
    """
    seats = held_seats(person, game)
    if seats:
        return seats[0].nation
    return REFEREE_SEAT if referees(person, game) else None


def may_see_as_player(person: Someone, game: Game) -> bool:
    """Return whether a person may see the game's page as a player does.

    Its gamesmasters who do not play may, unless orders are hidden from the gamesmaster.
    """
    return reads_secret_orders(person, game) and not game.rules.seals_orders


def sees_figures(person: Someone, phase: Phase, *, judged: bool) -> bool:
    """Return whether a person may see the figures of a phase.

    Everybody may once it is judged or the game is over; a figure shown earlier would be taken for
    the result. Before that the gamesmaster may, who can add one.
    """
    return (
        judged or phase.game.is_over or (phase.locked_at is not None and runs(person, phase.game))
    )


# --- letters between nations (games.press.conversations) ---


def press_nations(person: Someone, game: Game) -> set[str]:
    """Return the nations whose letters a person reads as their own: those they play now."""
    return {seat.nation for seat in held_seats(person, game)}


def is_press_open(game: Game) -> bool:
    """Return whether a game's letters are public: it is over, and its rules release them."""
    return game.is_over and bool(game.press.get("released"))


def readable_press(person: Someone, game: Game) -> list[Press]:
    """Return the letters that a person may read, oldest first (`reads_press`), by one query."""
    if not isinstance(person, Person) and not is_press_open(game):
        return []
    # Joined, the phase of each letter would be read again.
    rows = Press.objects.filter(game=game).select_related("seat").prefetch_related("phase")
    reads = _press_reader(person, game)
    readable = [press for press in rows.order_by("number") if reads(press)]
    for press in readable:
        press.game = game
        if press.phase is not None:
            press.phase.game = game
    return readable


def reads_press(person: Someone, press: Press) -> bool:
    """Return whether a person may read one letter between nations.

    A nation's player reads all its letters; a former player, those of their time. Who answers
    questions reads letters with the gamesmaster, and the rest only if the game's rules allow it and
    they do not play. Signed letters of players whom the reader has blocked are left out. When the
    game is over its rules may release all letters to everybody who sees it.
    """
    return _press_reader(person, press.game)(press)


def _press_reader(person: Someone, game: Game) -> Callable[[Press], bool]:
    if is_press_open(game) and sees_game(person, game):
        return lambda press: True
    if not is_active(person):
        return lambda press: False
    is_master = answers_questions(person, game)
    reads_all = reads_all_between(person, game)
    reads_as_nation = _nation_reader(person, game)

    def reads(press: Press) -> bool:
        if reads_all or (is_master and (press.to_gamesmaster or press.seat_id is None)):
            return True
        inside = {*press.to, *([press.seat.nation] if press.seat is not None else [])}
        # Unsigned letters are never left out, as a missing one would name its writer.
        writer = press.person_id if press.seat_id is not None and press.signed else None
        return reads_as_nation(None if press.to_all else inside, writer, press.sent_at)

    return reads


def letters_to(person: Person, game: Game) -> Iterator[Press]:
    """Yield the letters of others that a person may read (`reads_press`), the newest first.

    Only about as many are read from the database as the caller takes.
    """
    known = {seat.pk: seat for seat in game.seats_read or ()}
    rows = Press.objects.filter(game=game).exclude(person=person)
    reads = _press_reader(person, game)
    rows = rows if known else rows.select_related("seat")
    for press in rows.order_by("-number").iterator(chunk_size=20):
        press.game = game
        if known and press.seat_id is not None:
            press.seat = known[press.seat_id]
        if reads(press):
            yield press


def reads_all_between(person: Someone, game: Game) -> bool:
    """Return whether a person reads all that nations write to each other.

    Only a gamesmaster who does not play, if the game's rules allow it.
    """
    return bool(game.press.get("gamesmaster_reads")) and reads_secret_orders(person, game)


def _nation_reader(
    person: Person, game: Game
) -> Callable[[Iterable[str] | None, int | None, datetime], bool]:
    """Return a function that says whether a person reads an item as one of its nations.

    Its arguments: the nations that the item is between (None: all), the person who wrote it (None:
    the gamesmaster or the service), and when.
    """
    current_nations = press_nations(person, game)
    if game.seats_read is None:
        rows = Sitting.objects.filter(seat__game=game, person=person).select_related("seat")
        own_sittings = list(rows)
    else:
        of_seats = (sitting for seat in game.seats_read for sitting in seat.sittings.all())
        own_sittings = [sitting for sitting in of_seats if sitting.person_id == person.pk]
    sittings = [(sitting.seat.nation, sitting.since, sitting.until) for sitting in own_sittings]

    @cache
    def blocked() -> dict[int, datetime]:
        if game.blocks_read is not None and person.pk in game.blocks_read:
            return game.blocks_read[person.pk]
        blocks = Block.objects.in_effect(game).filter(person=person).order_by()
        newest_first = sorted(blocks, key=attrgetter("since"), reverse=True)
        since = {block.blocked_id: block.since for block in newest_first}
        if game.blocks_read is not None:
            game.blocks_read[person.pk] = since
        return since

    def reads(inside: Iterable[str] | None, writer: int | None, at: datetime) -> bool:
        then = {
            nation
            for nation, since, until in sittings
            if since <= at and (until is None or until > at)
        }
        nations = current_nations | then
        if not nations or (inside is not None and nations.isdisjoint(inside)):
            return False
        since = blocked().get(writer) if writer is not None else None
        return since is None or since > at

    return reads


# --- deals between nations (games/press/deals.py) ---


def are_deals_open(game: Game) -> bool:
    """Return whether a game's deals are public: it is over, and its rules release them."""
    return game.is_over and game.press.get("deals") == "released"


def readable_deals(person: Someone, game: Game, wanted: Q = Q()) -> list[Proposal]:  # noqa: B008 - never changed
    """Return the wanted ones of the proposals that a person may read, oldest first.

    A player of one of the two nations reads its deals; a former player, those of their time. A
    gamesmaster who does not play reads all if the game's rules let them read letters. Proposals of
    players whom the reader has blocked are left out. When the game is over its rules may release
    all deals to everybody who sees it.
    """
    is_open = are_deals_open(game) and sees_game(person, game)
    if not (is_open or is_active(person)):
        return []
    known = {seat.pk: seat for seat in game.seats_read or ()}
    related = ["answer"] if known else ["seat", "to", "answer"]
    rows = sorted(
        Proposal.objects.filter(wanted, game=game).select_related(*related).order_by(),
        key=attrgetter("pk"),
    )
    for proposal in rows if known else ():
        proposal.seat, proposal.to = known[proposal.seat_id], known[proposal.to_id]
    if is_open or (is_active(person) and reads_all_between(person, game)):
        proposals = rows
    else:
        assert is_active(person)
        reads = _nation_reader(person, game)
        proposals = [
            proposal
            for proposal in rows
            if reads(
                {proposal.seat.nation, proposal.to.nation}, proposal.person_id, proposal.made_at
            )
        ]
    for proposal in proposals:
        proposal.game = game
    return proposals


def reads_deal(person: Someone, proposal: Proposal) -> bool:
    """Return whether a person may read one proposal (`readable_deals`)."""
    return bool(readable_deals(person, proposal.game, Q(pk=proposal.pk)))


def hears_complaints(person: Someone, game: Game) -> bool:
    """Return whether reported letters of a game go to a person.

    They go to operators, and to its gamesmasters who do not play.
    """
    return operates(person) or (runs(person, game) and not press_nations(person, game))


def answers_questions(person: Someone, game: Game) -> bool:
    """Return whether a person reads questions and writes as the gamesmaster: only named ones do."""
    return is_active(person) and is_gamesmaster(person, game)


# --- scenarios that gamesmasters type in (games.desk.scenarios) ---


def visible_scenarios(person: Someone) -> QuerySet[Scenario]:
    """Return scenarios to list: the person's own, and shared ones that can be played with."""
    rows = Scenario.objects.filter(removed_at=None).select_related("owner")
    if not is_active(person) or person.guest:
        return rows.none()
    return rows.filter(Q(owner=person) | Q(shared=True, fault=""))


def sees_scenario(person: Someone, scenario: Scenario) -> bool:
    return visible_scenarios(person).filter(pk=scenario.pk).exists()


def edits_scenario(person: Someone, scenario: Scenario) -> bool:
    """Return whether a person may change a scenario: only its owner may; others can copy it."""
    return is_active(person) and scenario.removed_at is None and scenario.owner_id == person.pk
