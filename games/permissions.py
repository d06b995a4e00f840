"""Who may see and do what: decided here, and nowhere else, for pages, letters, admin and exports
(docs/design.md 8).

What of the *position* somebody may see is the ruleset's to say (`view`); this module says who
somebody is to a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeGuard

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet, prefetch_related_objects

from games.rules import REFEREE_SEAT, PhaseId

from .models import (
    Block,
    Game,
    Letter,
    Notebook,
    Person,
    Phase,
    Press,
    Proposal,
    Seat,
    Sheet,
    Sitting,
)

if TYPE_CHECKING:
    from orders.models import Draft, OrdersAhead, Submission

Someone = Person | AnonymousUser


def active(person: Someone) -> TypeGuard[Person]:
    return isinstance(person, Person) and person.is_active


def runs(person: Someone, game: Game) -> bool:
    """Return whether this is a gamesmaster; administrators are, of all games, on the record."""
    if not active(person):
        return False
    return person.is_superuser or is_gamesmaster(person, game)


def is_gamesmaster(person: Person, game: Game) -> bool:
    """Return whether this is a gamesmaster by name, who gets the letters for gamesmasters."""
    return game.gamesmasters.filter(pk=person.pk).exists()


def enters_closures(person: Someone) -> bool:
    """Return whether somebody may enter a day without trading: staff, for it counts everywhere."""
    return active(person) and (person.is_staff or person.is_superuser)


def operates(person: Someone) -> bool:
    """Return whether somebody keeps the service running: sees games and phases, no orders."""
    return active(person) and person.is_superuser


def opens_games(person: Someone) -> bool:
    """Return whether somebody may open a game: staff, and whom GAMES_OPENED_BY names."""
    if not active(person) or person.guest:
        return False
    allowed = settings.GAMES_OPENED_BY
    return person.is_staff or person.is_superuser or "anyone" in allowed or person.email in allowed


def who_opens_games() -> str:
    """Return a sentence that says who may open games here."""
    if "anyone" in settings.GAMES_OPENED_BY:
        return "Anyone who logs in may open a game."
    if not any("@" in one for one in settings.GAMES_OPENED_BY):
        return "Only the staff of this service open games."
    return "Only people whom the operator of this service has named open games."


def load_seats(game: Game) -> None:
    """Read the seats of a game once, for whoever asks this object for them again and again."""
    prefetch_related_objects([game], "seats")


def nations_of(game: Game) -> list[Seat]:
    """Return the seats of a game in card order, without the gamesmaster's."""
    return [seat for seat in game.seats.all() if not seat.referee]


def seats_held(person: Someone, game: Game) -> list[Seat]:
    """Return the seats this person now sits in, in card order."""
    if not active(person):
        return []
    sitting = Sitting.objects.current().filter(person=person)
    return list(game.seats.filter(pk__in=sitting.values("seat")))


def held_seats_of(person: Someone, seats: Iterable[Seat]) -> list[Seat]:
    """Return `seats_held` from seats prefetched with `sitting_now`; ask the database nothing."""
    if not active(person):
        return []
    return [
        seat
        for seat in seats
        if any(sitting.person_id == person.pk for sitting in getattr(seat, "sitting_now", ()))
    ]


def sees_track_record(person: Someone, other: Person) -> bool:
    """Return whether somebody may see how another person plays: who shows it, and they alone."""
    return other.is_active and (other.record_shown or person == other)


def holds(person: Someone, seat: Seat) -> bool:
    return active(person) and Sitting.objects.current().filter(seat=seat, person=person).exists()


def plays_again(person: Someone, game: Game) -> bool:
    """Return whether somebody may open a game filled in as this one: who ran it or sat in it."""
    return opens_games(person) and (runs(person, game) or bool(seats_held(person, game)))


def sees_game(person: Someone, game: Game) -> bool:
    """Return whether somebody may read the game's board, reports and proofs at all."""
    return game.public or runs(person, game) or bool(seats_held(person, game))


def sees_names(person: Someone, game: Game) -> bool:
    """Return whether a person may learn who plays which nation.

    In an anonymous game only its gamesmasters may, and everybody who sees it once it is over.
    Members of a team know each other in any case.
    """
    return not game.anonymous or game.is_over or runs(person, game)


def visible_games(person: Someone) -> QuerySet[Game]:
    """Return the games to list for somebody: their own seats and campaigns, and the public ones."""
    rule = Q(public=True)
    if isinstance(person, Person):
        if person.is_superuser:
            return Game.objects.all()
        # Asked for by id and not joined: whoever has few games of his own must not have all games
        # looked through for them.
        rule |= Q(pk__in=Game.gamesmasters.through.objects.filter(person=person).values("game"))
        rule |= Q(pk__in=Sitting.objects.current().filter(person=person).values("seat__game"))
    return Game.objects.filter(rule)


def nations_controlled(nations: Iterable[str], phase: Phase | None) -> set[str]:
    """Return the unheld nations whose orders these nations send in a phase (N3: for one turn)."""
    own = set(nations)
    return (
        {ally for ally, controller in phase.controllers.items() if controller in own}
        if phase is not None
        else set()
    )


def seats_ordered(person: Someone, game: Game, phase: Phase | None) -> list[Seat]:
    """Return the seats somebody may order for: their own, then allies', in card order."""
    own = seats_held(person, game)
    allies = nations_controlled((seat.nation for seat in own), phase)
    if not allies:
        return own
    return own + [
        seat for seat in game.seats.filter(nation__in=allies).order_by("ordinal") if seat not in own
    ]


def readable_nations(
    person: Someone, game: Game, *, settled: bool = False, phase: Phase | None = None
) -> set[str]:
    """Return the nations whose orders somebody may read.

    Players read their own at any time, those of allies they control in `phase`, and all once the
    game is over. The gamesmaster reads all; one who also plays reads the others' only of phases
    that `is_settled` accepts. They read no orders sealed from them
    (`is_hidden_from_gamesmaster`).
    """
    everybody = {seat.nation for seat in game.seats.all()}
    if game.status == Game.Status.FINISHED and sees_game(person, game):
        return everybody
    own = {seat.nation for seat in seats_held(person, game)}
    if runs(person, game) and (settled or not own):
        return (
            {seat.nation for seat in game.seats.all() if seat.referee}
            if is_hidden_from_gamesmaster(game, phase)
            else everybody
        )
    return own | nations_controlled(own, phase)


def is_hidden_from_gamesmaster(game: Game, phase: Phase | None) -> bool:
    """Return whether orders of this phase (None: of any) are sealed from whoever runs the game."""
    if not game.rules.referee or game.status == Game.Status.FINISHED:
        return False
    return phase is None or game.rules.facts(PhaseId(phase.turn, phase.kind), game.options).sealed


def reads_orders(person: Someone, submission: Submission) -> bool:
    """Return whether somebody may read one order set."""
    phase = submission.phase
    return submission.seat.nation in readable_nations(
        person, submission.game, settled=is_settled(phase), phase=phase
    )


def is_settled(phase: Phase, *, early: Iterable[str] = ()) -> bool:
    """Return whether a phase is resolved, and its result keeps nothing of its orders back.

    Orders that lay PFs face down (Rules F9) stay secret until the attacks of the turn turn them up.
    `early`: states of a phase besides RESOLVED that will do.
    """
    if phase.status != Phase.Status.RESOLVED and phase.status not in early:
        return False
    until = phase.game.rules.facts(PhaseId(phase.turn, phase.kind), phase.game.options).kept_until
    if (
        until is None or phase.game.status == Game.Status.FINISHED
    ):  # over: what was kept to the end is kept no longer
        return True
    later = Phase.objects.filter(
        game=phase.game_id, turn=until.turn, kind=until.kind, status=Phase.Status.RESOLVED
    )
    return later.filter(number__gt=phase.number).exists()


def referees(person: Someone, game: Game) -> bool:
    """Return whether somebody may send sheets: who runs a game with sheets, and sits in no seat."""
    return game.rules.referee is not None and runs(person, game) and not seats_held(person, game)


def reads_report_files(person: Someone, phase: Phase) -> bool:
    """Return whether somebody who sees the game may read the files with a phase's report: all of
    them once it is judged, before that who writes it."""
    return phase.status == Phase.Status.RESOLVED or referees(person, phase.game)


def may_order(person: Someone, seat: Seat, phase: Phase | None = None) -> bool:
    """Return whether somebody may send orders for the seat in a phase (None: the current one).

    Only who sits there may, and where nobody does the nation that controls it in that phase; for
    the gamesmaster's own seat whoever may send sheets. Gamesmasters take orders down at the desk.
    """
    if seat.referee:
        return referees(person, seat.game)
    return holds(person, seat) or (
        seat.by_table and any(holds(person, one) for one in controlling(seat, phase))
    )


def reads_draft(person: Someone, draft: Draft) -> bool:
    """Return whether somebody may read orders being written: only their writer."""
    return active(person) and draft.person_id == person.pk


def reads_orders_ahead(person: Someone, ahead: OrdersAhead) -> bool:
    """Return whether somebody may read orders for a later phase: only their writer. The gamesmaster
    reads them once they are orders."""
    return active(person) and ahead.person_id == person.pk


def keeps_notebook(person: Someone, game: Game) -> TypeGuard[Person]:
    """Return whether somebody may keep a notebook: who runs the game, sits or sat in it."""
    return active(person) and (
        runs(person, game) or Sitting.objects.filter(seat__game=game, person=person).exists()
    )


def notebooks_read(person: Someone, game: Game) -> QuerySet[Notebook]:
    """Return the notebooks that somebody who sees a game may read: their own; once it is over,
    those whose writers allow it."""
    own = Q(person=person.pk) if active(person) else Q(pk__in=[])
    opened = Q(opens=True) if game.is_over else Q(pk__in=[])
    return Notebook.objects.filter(own | opened, game=game).select_related("person")


def controlling(seat: Seat, phase: Phase | None = None) -> list[Seat]:
    """Return the seat that orders for one that nobody holds; else none."""
    if not seat.by_table:
        return []
    phase = phase or Phase.objects.filter(game=seat.game_id).current()
    controller = phase.controllers.get(seat.nation) if phase is not None else None
    return list(Seat.objects.filter(game=seat.game_id, nation=controller)) if controller else []


def may_take_down(person: Someone, seat: Seat) -> bool:
    """Return whether somebody may take a seat's orders down from the telephone or from paper.

    Gamesmasters may, also one who plays: the receipt tells the player who took them down. Sheets
    nobody takes down.
    """
    return runs(person, seat.game) and not seat.referee


def may_rule(person: Someone, phase: Phase, kind: str) -> bool:
    """Return whether a gamesmaster may make rulings of a kind on a phase, or preview them.

    One who plays rules on no alliance while those are secret: the effect would tell who is allied.
    """
    until = phase.game.rules.facts(PhaseId(phase.turn, phase.kind), phase.game.options).kept_until
    if (
        kind != "alliance" or until is None or until.turn
    ):  # kept to a later turn are offers alone, of which a ruling tells nothing
        return True
    return phase.game.status == Game.Status.FINISHED or not seats_held(person, phase.game)


def lacks_secrets_of(person: Someone, seat: Seat, phase: Phase) -> bool:
    """Return whether a gamesmaster who plays takes down orders of a seat whose secrets they lack.

    A text is then read by what everybody knows: the nation's chart in a blind game, or its counters
    that lie face down, could else be found out by typing orders in its name.
    """
    return seat.nation not in readable_nations(person, seat.game, phase=phase)


def may_print(person: Someone, letter: Letter) -> bool:
    """Return whether somebody may print a letter: its reader, or a gamesmaster for players by post.

    Letters that hold a key are never printed.
    """
    if letter.secret or not active(person) or letter.person is None:
        return False
    return letter.person == person or (
        letter.person.by_post and letter.game is not None and runs(person, letter.game)
    )


def reads_letter(person: Someone, letter: Letter) -> bool:
    """Return whether somebody may read a letter in the outbox: its reader, or who runs its game.

    Letters between nations follow `reads_press`. A gamesmaster who plays reads none of the others',
    for receipts hold orders; nor does one who referees, before the game is over.
    """
    if not active(person) or letter.secret:
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
    if letter.about.get("seats") and is_hidden_from_gamesmaster(
        letter.game, None
    ):  # it may tell its reader's own sealed column
        return False
    return runs(person, letter.game) and not seats_held(person, letter.game)


def prints_for(person: Someone, seat: Seat) -> bool:
    """Return whether somebody may have the sheets of a seat (board, form, report).

    Gamesmasters may; one who plays has those of the others only for a player without e-mail.
    """
    if not runs(person, seat.game):
        return False
    sending = [seat, *controlling(seat)]
    by_post = Sitting.objects.current().filter(seat__in=sending, person__by_post=True)
    return seat.nation in readable_nations(person, seat.game) or by_post.exists()


def view(game: Game, position: dict[str, Any], nation: str | None) -> Any:
    """Return a position as a nation, or the public (None), may see it: the only way to show one."""
    return game.rules.view(game.load(position), nation)


def reads_as(person: Someone, game: Game) -> str | None:
    """Return as whom somebody reads boards and scores: for `view`, their nation, the referee who
    knows the scores that are theirs alone, or the public (None)."""
    mine = seats_held(person, game)
    if mine:
        return mine[0].nation
    return REFEREE_SEAT if referees(person, game) else None


def sees_as(person: Someone, game: Game) -> bool:
    """Return whether somebody may see the game's page as a player does: who runs it and sits
    nowhere. Not where orders are sealed from the gamesmaster."""
    return runs(person, game) and not game.rules.referee and not seats_held(person, game)


def sees_figures(person: Someone, phase: Phase, *, judged: bool) -> bool:
    """Return whether somebody may see the figures of a phase: everybody once it is judged, for one
    shown earlier would be read as the result; before, whoever runs the game and may add one."""
    return judged or (phase.locked_at is not None and runs(person, phase.game))


def seats_to_remind(phase: Phase) -> QuerySet[Seat]:
    """Return seats that may act in this phase and have people in them, whom a reminder reaches."""
    return phase.game.seats.filter(
        bot=False, sittings__until=None, sittings__isnull=False
    ).distinct()


# --- letters between nations (games.press.conversations) ---


def press_nations(person: Someone, game: Game) -> set[str]:
    """Return the nations whose letters somebody reads as their own: those they play now."""
    return {seat.nation for seat in seats_held(person, game)}


def is_press_open(game: Game) -> bool:
    """Return whether a game's letters are open: it is over, and its rules said so before."""
    return game.status == Game.Status.FINISHED and bool(game.press.get("released"))


def readable_press(person: Someone, game: Game) -> list[Press]:
    """Return the letters that somebody may read, oldest first (`reads_press`), by one query."""
    if not isinstance(person, Person) and not is_press_open(game):
        return []
    rows = (
        Press.objects.filter(game=game)
        .select_related("seat", "person", "phase", "answers", "game")
        .order_by("number")
    )
    reads = _press_reader(person, game)
    return [press for press in rows if reads(press)]


def reads_press(person: Someone, press: Press) -> bool:
    """Return whether somebody may read one letter between nations.

    Who sits in a nation reads all its letters; who sat there before, those of their time. A
    gamesmaster reads what is addressed to them, and the rest only where the game's rules say so
    and they do not play. Letters of players whom the reader has blocked are left out. Once the
    game is over its rules may open all letters to whoever sees it.
    """
    return _press_reader(person, press.game)(press)


def _press_reader(person: Someone, game: Game) -> Callable[[Press], bool]:
    if is_press_open(game) and sees_game(person, game):
        return lambda press: True
    if not active(person):
        return lambda press: False
    master = runs(person, game)
    all_of_it = _reads_all_between(person, game)
    reads_as_nation = _nation_reader(person, game)

    def reads(press: Press) -> bool:
        if all_of_it or (master and (press.to_gamesmaster or press.seat_id is None)):
            return True
        inside = {*press.to, *([press.seat.nation] if press.seat is not None else [])}
        writer = press.person_id if press.seat_id is not None else None
        return reads_as_nation(None if press.to_all else inside, writer, press.sent_at)

    return reads


def _reads_all_between(person: Person, game: Game) -> bool:
    """Return whether a person reads all that nations write to each other: a gamesmaster who does
    not play, where the game's rules say so."""
    return (
        bool(game.press.get("gamesmaster_reads"))
        and runs(person, game)
        and not press_nations(person, game)
    )


def _nation_reader(
    person: Person, game: Game
) -> Callable[[Iterable[str] | None, int | None, datetime], bool]:
    """Return who reads as a nation: given the nations that something is between (None: all), the
    person who wrote it (None: the gamesmaster or the service), and when."""
    own = press_nations(person, game)
    times = list(
        Sitting.objects.filter(seat__game=game, person=person).values_list(
            "seat__nation", "since", "until"
        )
    )
    blocked = dict(Block.objects.filter(person=person).values_list("blocked", "since"))

    def reads(inside: Iterable[str] | None, writer: int | None, at: datetime) -> bool:
        if writer in blocked and blocked[writer] <= at:
            return False
        then = {
            nation
            for nation, since, until in times
            if since <= at and (until is None or until > at)
        }
        nations = own | then
        return bool(nations) and (inside is None or not nations.isdisjoint(inside))

    return reads


# --- deals between nations (games/press/deals.py) ---


def are_deals_open(game: Game) -> bool:
    """Return whether a game's deals are open: it is over, and its rules said so before."""
    return game.status == Game.Status.FINISHED and game.press.get("deals") == "released"


def readable_deals(person: Someone, game: Game) -> list[Proposal]:
    """Return the proposals that a person may read, oldest first.

    Who sits in one of the two nations reads its deals; who sat there before, those of their time. A
    gamesmaster who does not play reads all where the game's rules let them read letters. Proposals
    of players whom the reader has blocked are left out. Once the game is over its rules may open
    all deals to everybody who sees it.
    """
    is_open = are_deals_open(game) and sees_game(person, game)
    if not (is_open or active(person)):
        return []
    rows = (
        Proposal.objects.filter(game=game)
        .select_related("seat", "to", "phase", "answer", "person", "counters")
        .order_by("pk")
    )
    if is_open or (active(person) and _reads_all_between(person, game)):
        found = list(rows)
    else:
        assert active(person)
        reads = _nation_reader(person, game)
        found = [
            one
            for one in rows
            if reads({one.seat.nation, one.to.nation}, one.person_id, one.made_at)
        ]
    for one in found:
        one.game = game
    return found


def reads_deal(person: Someone, proposal: Proposal) -> bool:
    """Return whether a person may read one proposal (`readable_deals`)."""
    return any(one.pk == proposal.pk for one in readable_deals(person, proposal.game))


def hears_complaints(person: Someone, game: Game) -> bool:
    """Return whether letters of a game are reported to somebody: an operator, or a gamesmaster who
    does not play."""
    return operates(person) or (runs(person, game) and not press_nations(person, game))


def answers_questions(person: Someone, game: Game) -> bool:
    """Return whether somebody may write letters as the gamesmaster."""
    return runs(person, game)


# --- sheets that gamesmasters type in (games.desk.sheets) ---


def visible_sheets(person: Someone) -> QuerySet[Sheet]:
    """Return sheets to list: one's own, and shared ones that can be played with."""
    rows = Sheet.objects.filter(removed_at=None).select_related("owner")
    if not active(person) or person.guest:
        return rows.none()
    return rows.filter(Q(owner=person) | Q(shared=True, fault=""))


def sees_sheet(person: Someone, sheet: Sheet) -> bool:
    return visible_sheets(person).filter(pk=sheet.pk).exists()


def edits_sheet(person: Someone, sheet: Sheet) -> bool:
    """Return whether somebody may change a sheet: its owner. Everybody else copies it."""
    return active(person) and sheet.removed_at is None and sheet.owner_id == person.pk
