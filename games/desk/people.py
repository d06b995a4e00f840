"""Manage changes of people: vacated seats, stand-ins, further gamesmasters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from games import permissions
from games.accounts import tokens
from games.models import Act, Game, Invitation, Person, PersonNote, Phase, Seat, Sitting
from games.outbox.messages import desk_letters
from games.positions import game_row
from games.rules.names import all_of
from games.seats import pairs, teams
from games.turns import deadlines, vacancies

from . import acts, votes
from .seats import (
    check_may_sit,
    check_not_barred,
    invite,
    start_when_full,
    stop_service,
    valid_address,
)
from .teams import announce_change
from .words import DeskError, check_gamesmaster_may_play, one_line

LONGEST_NUMBER = 40

# --- leaving ---


@transaction.atomic
def vacate(
    seat: Seat,
    person: Person,
    reason: str,
    by: Person,
    now: datetime,
    *,
    replaced: bool = False,
) -> None:
    """End a sitting, by the player or the gamesmaster. Submitted orders stay in force.

    `replaced`: another player is invited. The others then get one letter, once the seat is taken;
    until then the public list says that it is vacant.
    """
    kind = "left" if by.pk == person.pk else "vacated"
    _end(seat, person, reason, by, now, kind, replaced=replaced)


@transaction.atomic
def leave(game: Game, person: Person, reason: str, now: datetime) -> None:
    """Vacate every seat that a person holds in a game, as they wish."""
    while held := permissions.held_seats(person, game):  # a pair is vacated together
        vacate(held[0], person, reason, person, now)


@transaction.atomic
def eject(seat: Seat, person: Person, reason: str, by: Person, now: datetime) -> None:
    """Remove a person from a seat against their will."""
    _end(seat, person, reason, by, now, "ejected")


def _end(
    seat: Seat,
    person: Person,
    reason: str,
    by: Person,
    now: datetime,
    kind: str,
    *,
    replaced: bool = False,
) -> None:
    reason = acts.clean_reason(reason)
    game = seat.game
    acts.take_row(game, None if by.pk == person.pk else by)
    if game.is_over:
        raise DeskError(f"“{game.title}” is over: there is no seat to leave.")
    sitting = Sitting.objects.current().filter(person=person)
    seat = game.seats.get(pk=seat.pk)  # a page may have loaded who sits there; that changes now
    spoke = teams.spokesman(seat)
    if sitting.filter(seat=seat).update(until=now, ended_because=reason[:200]) == 0:
        raise DeskError(f"{person} no longer plays {seat.nation}.")
    paired_seats = pairs.seats_of_pair(seat)  # a pair of nations is vacated together
    sitting.filter(seat__in=paired_seats).update(until=now, ended_because=reason[:200])
    names = all_of([each.nation for each in paired_seats])
    words = {
        "left": f"The player of {names} left the game.",
        "vacated": f"The seat of {names} was vacated.",
        "ejected": f"The player of {names} was removed from the game.",
    }
    phase = game.phases.current()
    if team_continues := seat.team and seat.sittings.current().exists():
        words = dict.fromkeys(
            words, f"A player left the team of {seat.nation}; the others play on."
        )
    act = acts.write(game, kind, words[kind], now, by=by, reason=reason, seat=seat, phase=phase)
    if team_continues and phase is not None and phase.status == Phase.Status.OPEN:
        deadlines.update_due_time(phase, now)  # the votes of those who stay may all be final now
    # Who leaves gives the reason to everybody, before the game has begun, too.
    if not replaced and (game.in_progress or kind == "left"):
        desk_letters.seat(act, None, now)
    desk_letters.farewell(act, person, now)
    if team_continues and game.in_progress and not replaced:
        announce_change(seat, spoke, by, now)
    if not replaced:
        votes.count_again(game, now)


def may_return(seats: Iterable[Seat]) -> dict[int, Sitting]:
    """Return by seat the sitting that a gamesmaster ended last, while nobody else has the seat.

    The number of queries does not grow with the seats of a game, if their sittings are loaded.
    """
    seats = [seat for seat in seats if not seat.game.is_over]
    acts = Act.objects.filter(seat__in=seats, kind__in=("left", "vacated", "ejected"))
    last = {act.seat_id: act for act in acts.order_by("pk")}
    ended: dict[int, Sitting] = {}
    for seat in seats:
        act, sittings = last.get(seat.pk), seat.sittings.all()
        if act is None or act.kind == "left":
            continue
        is_taken = any(sitting.is_current for sitting in sittings)
        if seat.team or not (seat.bot or seat.by_table or seat.referee or is_taken):
            for sitting in sittings:
                if sitting.until == act.done_at:
                    ended[seat.pk] = sitting
    return ended


@transaction.atomic
def take_back(seat: Seat, reason: str, by: Person, now: datetime) -> Person:
    """Undo the removal of a player: the sitting continues as if it had not ended."""
    reason = acts.clean_reason(reason)
    game = seat.game
    acts.take_row(game, by)
    seat.refresh_from_db(fields=["bot"])
    sitting = may_return([seat]).get(seat.pk)
    if sitting is None:
        raise DeskError(f"Nobody can return to {seat.nation}: it is taken, or the game is over.")
    person = sitting.person
    if not person.is_active:
        raise DeskError(f"The account of {person} is closed.")
    check_may_sit(seat, person, now)
    paired_seats = pairs.seats_of_pair(seat)
    ended = Sitting.objects.filter(seat__in=paired_seats, person=person, until=sitting.until)
    ended.update(until=None, ended_because="")
    Seat.objects.filter(pk__in=[each.pk for each in paired_seats]).end_offers()
    if not seat.team:
        Invitation.objects.open().filter(seat__in=paired_seats).update(withdrawn_at=now)
    names = all_of([each.nation for each in paired_seats])
    phase = game.phases.current()
    words = f"The player of {names} returned to the game."
    act = acts.write(game, "returned", words, now, by=by, reason=reason, seat=seat, phase=phase)
    if game.in_progress:
        desk_letters.announce_act(act, now)
    start_when_full(game, now)
    return person


@transaction.atomic
def replace(
    seat: Seat,
    email: str,
    reason: str,
    by: Person,
    now: datetime,
    *,
    name: str = "",
    extra_hours: int = 0,
) -> Invitation:
    """Vacate a seat, also one that a bot plays, and offer it to an address."""
    email = valid_address(email)
    acts.take_row(seat.game, by)
    for sitting in seat.sittings.current().select_related("person"):
        vacate(seat, sitting.person, reason, by, now, replaced=True)
    seat.refresh_from_db(fields=["bot"])
    if seat.bot:
        stop_service(seat, by, now)
    return invite(seat, email, by, now, name=name, extra_hours=extra_hours)


# --- stand-ins, and what a gamesmaster notes of players ---


@transaction.atomic
def set_stand_ins(game: Game, stand_ins: bool, by: Person, now: datetime) -> None:
    """Set whether the service orders for vacant seats (orders.intake.bots). Notify everybody."""
    acts.take_row(game, by)
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
        desk_letters.announce_act(act, now)


def note_player_view(seat: Seat, by: Person, now: datetime) -> None:
    """Record publicly that a gamesmaster looked at the game as a player sees it."""
    words = f"The gamesmaster looked at the game as {seat.nation} sees it."
    acts.write(seat.game, "seen-as", words, now, by=by, seat=seat)


def note_number(sitting: Sitting, number: str) -> None:
    """Store the number at which a gamesmaster reaches a person, for this game alone.

    The person's own entry stays. Raise `DeskError` if it is no telephone number.
    """
    number = one_line(number, "The number")
    if len(number) > LONGEST_NUMBER:
        raise DeskError(f"“{number}” is longer than {LONGEST_NUMBER} characters.")
    if number and not re.fullmatch(r"[+(]?[0-9][0-9 ()/.*#-]*", number):
        raise DeskError(f"“{number}” is not a telephone number. Write it such as +49 40 123456.")
    sitting.telephone = number
    sitting.save(update_fields=["telephone"])


def note_person(game: Game, person: Person, text: str, by: Person, now: datetime) -> None:
    """Store a gamesmaster's note about a person of their game, for themselves alone.

    An empty text removes it.
    """
    if not permissions.people_of(game).filter(pk=person.pk).exists():
        raise DeskError("That person is not in this game.")
    text = text.strip()
    notes = PersonNote.objects.filter(person=person, writer=by, by_operator=False)
    if text:
        notes.update_or_create(
            person=person,
            writer=by,
            by_operator=False,
            defaults={"text": text, "saved_at": now},
        )
    else:
        notes.delete()


# --- gamesmasters ---

#: The kinds of acts that ask a person to run a game, and that end the request.
ASKED = "asked-gamesmaster"
#: How many such letters a gamesmaster may have sent within a day.
MOST_ASKED_A_DAY = 20
ANSWERED = ("gamesmaster", "handed-over", "no-gamesmaster", "unasked")


@transaction.atomic
def ask_gamesmaster(
    game: Game, email: str, by: Person, now: datetime, *, hands_over: bool = False
) -> Person:
    """Ask a person by letter to run a game too, or instead of `by`. They answer by its link."""
    person = _possible_gamesmaster(game, email, by)
    game_row.take_person(by)
    asked = Act.objects.filter(kind=ASKED, done_by=by, done_at__gt=now - timedelta(days=1))
    if asked.count() >= MOST_ASKED_A_DAY:
        raise DeskError(
            f"You have asked {MOST_ASKED_A_DAY} gamesmasters within a day. Go on tomorrow."
        )
    _withdraw_request(game, person, by, now)
    words = f"A gamesmaster was invited{' to take over' if hands_over else ''}."
    act = acts.write(game, ASKED, words, now, by=by, person=person.pk, hands_over=hands_over)
    desk_letters.asks_to_run(act, person, now)
    return person


def asked_gamesmasters(game: Game) -> list[tuple[Act, Person]]:
    """Return the people a letter asks to run the game and who have not answered."""
    acts = Act.objects.filter(game=game, kind__in=(ASKED, *ANSWERED)).select_related("done_by")
    last = {act.about.get("person"): act for act in acts.order_by("pk")}
    requests = sorted((act for act in last.values() if act.kind == ASKED), key=lambda act: act.pk)
    people = Person.objects.in_bulk([act.about["person"] for act in requests])
    return [(act, people[act.about["person"]]) for act in requests]


def _is_open(act: Act) -> bool:
    later = Act.objects.filter(game=act.game_id, kind__in=(ASKED, *ANSWERED), pk__gt=act.pk)
    return not later.filter(about__person=act.about["person"]).exists()


def _withdraw_request(game: Game, person: Person, by: Person, now: datetime) -> bool:
    """Withdraw the request to a person; return whether there was one."""
    if all(asked.pk != person.pk for _, asked in asked_gamesmasters(game)):
        return False
    words = "The invitation of a gamesmaster was withdrawn."
    acts.write(game, "unasked", words, now, by=by, person=person.pk)
    return True


@transaction.atomic
def withdraw_gamesmaster_request(game: Game, person: Person, by: Person, now: datetime) -> None:
    """Withdraw the request to a person. Raise `DeskError` if they have answered."""
    acts.take_row(game, by)
    if not _withdraw_request(game, person, by, now):
        raise DeskError("That invitation has been accepted or withdrawn already.")


def find_request(token: str, now: datetime) -> tuple[Act, Person]:
    """Return a request and whom it asks. Raise `KeyRefused` if it is no longer valid."""
    act = Act.objects.filter(code=tokens.code_in(token), kind=ASKED).first()
    person = Person.objects.filter(pk=act.about["person"], is_active=True).first() if act else None
    if (
        act is None
        or person is None
        or act.done_by is None
        or not tokens.is_request(token, act)
        or now >= tokens.invitation_ends(act.done_at)
        or not permissions.runs(act.done_by, act.game)
        or not _is_open(act)
    ):
        raise tokens.KeyRefused(tokens.NO_LONGER)
    return act, person


@transaction.atomic
def accept_request(token: str, now: datetime) -> tuple[Game, Person]:
    """Let a person run a game after they agreed to. Raise `KeyRefused` or `DeskError`."""
    act, _ = find_request(token, now)
    game_row.take_row(act.game)  # the second of two simultaneous clicks sees that it is done
    act, person = find_request(token, now)
    check_not_barred(person, now)
    assert act.done_by is not None
    grant = hand_over if act.about["hands_over"] else add_gamesmaster
    grant(act.game, person.email, act.done_by, now)
    return act.game, person


@transaction.atomic
def add_gamesmaster(game: Game, email: str, by: Person, now: datetime) -> Person:
    """Give one more person the desk of a game; they log in by letter like everybody."""
    person = _possible_gamesmaster(game, email, by)
    game.gamesmasters.add(person)
    game.run_by = {}
    words = "The game has another gamesmaster."
    act = acts.write(game, "gamesmaster", words, now, by=by, person=person.pk)
    desk_letters.gamesmasters(act, person, now)
    return person


def _possible_gamesmaster(game: Game, email: str, by: Person) -> Person:
    """Return the person with this address. Raise `DeskError` if they run the game or may not."""
    email = valid_address(email)
    acts.take_row(game, by)
    if game.gamesmasters.filter(email=email).exists():
        raise DeskError(f"{email} already runs this game.")
    person = Person.objects.at(email)
    if not person.is_active:
        raise DeskError(f"The account of {email} is closed.")
    if Sitting.objects.current().filter(seat__game=game, person=person).exists():
        check_gamesmaster_may_play(game.rules, game.options)
    return person


@transaction.atomic
def remove_gamesmaster(game: Game, person: Person, by: Person, now: datetime) -> None:
    """Take the desk from a gamesmaster, never from the last one."""
    acts.take_row(game, by)
    if not game.gamesmasters.filter(pk=person.pk).exists():
        raise DeskError("That person does not run this game.")
    if not game.gamesmasters.filter(is_active=True).exclude(pk=person.pk).exists():
        raise DeskError("A game needs a gamesmaster. Add another one first.")
    game.gamesmasters.remove(person)
    game.run_by = {}
    act = acts.write(
        game, "no-gamesmaster", "A gamesmaster left the game.", now, by=by, person=person.pk
    )
    desk_letters.gamesmasters(act, None, now)


@transaction.atomic
def hand_over(game: Game, email: str, by: Person, now: datetime) -> Person:
    """Hand the game over to another gamesmaster; `by` no longer runs it."""
    acts.take_row(game, by)
    current = game.gamesmasters.filter(email=valid_address(email)).first()
    if current is not None and current.pk == by.pk:
        raise DeskError("You already run this game. Enter another address.")
    person = current or _possible_gamesmaster(game, email, by)
    game.gamesmasters.add(person)
    game.gamesmasters.remove(by)
    game.run_by = {}
    words = "The game was handed over to another gamesmaster."
    act = acts.write(game, "handed-over", words, now, by=by, person=person.pk)
    desk_letters.gamesmasters(act, person, now)
    return person


# --- missed turns ---


def vacant_seats(game: Game) -> list[tuple[Seat, int]]:
    """Return seats whose player missed as many phases as the game allows, with their number."""
    locked = game.phases.exclude(locked_at=None).not_undone().order_by("-number").first()
    if locked is None:
        return []
    limit = int(game.options.get("seat.nmr_limit", 2))
    counted = vacancies.count_missed(game, locked).items()
    return [(seat, missed) for seat, missed in counted if limit and missed >= limit]
