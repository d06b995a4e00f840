"""Announce the absences of players, by themselves or by a gamesmaster.

Within each player's allowance the days of an absence have no deadline, for everybody in the game.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db import transaction

from games import permissions
from games.models import Absence, Game, Person, Sitting
from games.seats import days_off
from games.turns.deadlines import FURTHEST

from . import acts
from .times import move_off_blocked_day
from .words import DeskError

LONGEST_DAYS = 60
#: How long before an open deadline players must announce an absence for that deadline to move: they
#: cannot use one to escape a phase that is going badly.
IN_GOOD_TIME = timedelta(hours=24)


def describe_day(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


def describe_absence(absence: Absence) -> str:
    """Return “away on Friday 4 December 2026”, “away from Friday 4 December 2026 to Monday 7
    December 2026”.
    """
    if absence.first == absence.last:
        return f"away on {describe_day(absence.first)}"
    return f"away from {describe_day(absence.first)} to {describe_day(absence.last)}"


def describe_effect(absence: Absence) -> str:
    """Describe the effect of an absence to the player who announced it."""
    if absence.withdrawn_at is not None:
        return "It is withdrawn."
    if absence.game.schedule["every"] == "minutes":
        return "In a game by minutes deadlines stay where they are; the gamesmaster is notified."
    away = set(days_off.list_days(absence.first, absence.last))
    moving = away & days_off.counted_days(absence.game, absence.person_id)
    if not moving:
        allowance = absence.game.absence_days
        return (
            f"It moves no deadline: this game allows {allowance} days of absence for each player."
            " The gamesmaster is notified."
        )
    effect = (
        f"The first {len(moving)} of its {len(away)} days have no deadline; that uses up the"
        f" allowance of this game."
        if moving != away
        else "Deadlines that would fall on these days come later, for everybody."
    )
    phase = absence.game.phases.current()
    if phase is not None and phase.is_timed:
        due = phase.deadline.astimezone(absence.game.zoneinfo).date()
        if due in moving:  # it was entered too late for this one
            effect += f" The open deadline stays on {describe_day(due)}."
    return effect


@transaction.atomic
def announce(
    game: Game, person: Person, first: date, last: date, by: Person, now: datetime
) -> Absence:
    """Record that a player is away from `first` to `last`, both included, in the game's zone.

    An open deadline on such a day moves at once if the absence is announced 24 hours before it, or
    by a gamesmaster. Raise `DeskError` for invalid days, and for a person who plays no seat.
    """
    acts.take_row(game, None if by.pk == person.pk else by)
    if game.is_over:
        raise DeskError(f"“{game.title}” is over; there are no more deadlines.")
    sitting = (
        Sitting.objects.current()
        .filter(seat__game=game, person=person)
        .select_related("seat")
        .order_by("seat__ordinal")
        .first()
    )
    if sitting is None:
        raise DeskError(
            f"{person} plays no seat in “{game.title}”: only a player's absence matters."
        )
    today = now.astimezone(game.zoneinfo).date()
    own = by.pk == person.pk
    _check(first, last, today, own=own)
    for row in Absence.objects.filter(
        game=game, person=person, withdrawn_at=None, first__lte=last, last__gte=first
    ):
        who, by_mail = (
            ("You are", " (by mail: NOT ABSENT)") if own else (f"{sitting.seat.nation} is", "")
        )
        raise DeskError(
            f"{who} already {describe_absence(row)}. Withdraw that first{by_mail}, or enter other"
            " days."
        )
    absence = Absence.objects.create(
        game=game, person=person, first=first, last=last, entered_by=by, entered_at=now
    )
    words = f"{sitting.seat.nation} is {describe_absence(absence)}."
    acts.write(game, "away", words, now, by=by, seat=sitting.seat, private=True, absence=absence.pk)
    phase = game.phases.current()
    if phase is not None and (phase.deadline - now >= IN_GOOD_TIME or permissions.runs(by, game)):
        # The change names nobody: only the gamesmaster learns who is away.
        move_off_blocked_day(game, f"A player is away until {describe_day(last)}.", None, now)
    return absence


def _check(first: date, last: date, today: date, *, own: bool) -> None:
    if last < first:
        raise DeskError(
            f"The absence ends on {last}, before it begins on {first}; change one of the two dates."
        )
    if first < today:
        raise DeskError(
            f"{describe_day(first)} is in the past; begin with today, {today}, or later."
        )
    if (length := (last - first).days + 1) > LONGEST_DAYS:
        instead = (
            "Ask the gamesmaster for a pause, or to replace you."
            if own
            else "Pause the game, or replace the player."
        )
        raise DeskError(
            f"These are {length} days; at most {LONGEST_DAYS} are allowed at once. {instead}"
        )
    if first > today + FURTHEST:
        raise DeskError(f"{describe_day(first)} is more than a year ahead; enter it later.")


@transaction.atomic
def withdraw(absence: Absence, by: Person, now: datetime) -> None:
    """Withdraw an absence. Deadlines that moved for it stay, because they have been announced."""
    acts.take_row(absence.game, None if by.pk == absence.person_id else by)
    if Absence.objects.filter(pk=absence.pk, withdrawn_at=None).update(withdrawn_at=now) != 1:
        raise DeskError("That absence is already withdrawn.")
    absence.refresh_from_db(fields=["withdrawn_at"])
    seat = (
        absence.game.seats.filter(sittings__person=absence.person, sittings__until=None)
        .order_by("ordinal")
        .first()
    )
    words = (
        f"{seat.nation if seat else 'A former player'} is no longer {describe_absence(absence)}."
    )
    acts.write(
        absence.game, "not-away", words, now, by=by, seat=seat, private=True, absence=absence.pk
    )
