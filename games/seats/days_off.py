"""Days that take no deadline in a game: holidays, and absences within each player's allowance. For
everybody alike (rules 0.2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from games.models import Absence, Game, Sitting


def days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def holidays(game: Game) -> list[tuple[date, date, str]]:
    """First day, last day and name of each, in the order in which they come."""
    return sorted(
        (date.fromisoformat(first), date.fromisoformat(last), str(name))
        for first, last, name in game.holidays
    )


def counted(game: Game, person_id: int) -> set[date]:
    """The days of one player's absences that move deadlines: those told first count first, until
    the game's allowance is used up."""
    allowed: set[date] = set()
    for absence in Absence.objects.filter(game=game, person=person_id, withdrawn_at=None).order_by(
        "entered_at", "pk"
    ):
        for day in days(absence.first, absence.last):
            if day not in allowed and len(allowed) >= game.absence_days:
                return allowed
            allowed.add(day)
    return allowed


def holiday(game: Game) -> Callable[[date], bool]:
    """`blocked` of a game of which nobody has told an absence."""
    return {day for first, last, _ in holidays(game) for day in days(first, last)}.__contains__


def blocked(game: Game) -> Callable[[date], bool]:
    """Says whether a day, in the game's zone, takes no deadline. Of those who have left the game no
    absence counts any more."""
    taken = {day for first, last, _ in holidays(game) for day in days(first, last)}
    told = (
        Absence.objects.filter(game=game, withdrawn_at=None)
        .values_list("person_id", flat=True)
        .distinct()
    )
    sitting = set(
        Sitting.objects.filter(seat__game=game, until=None, person__in=list(told)).values_list(
            "person_id", flat=True
        )
    )
    for person in sitting:
        taken |= counted(game, person)
    return taken.__contains__
