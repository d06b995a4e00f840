"""Days without deadlines (rules 0.2): holidays, and all players' absences within an allowance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from games.models import Absence, DeadlineChange, Game, Sitting


def list_days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def holidays(game: Game) -> list[tuple[date, date, str]]:
    """Return first day, last day and name of each holiday, in order."""
    return sorted(
        (date.fromisoformat(first), date.fromisoformat(last), str(name))
        for first, last, name in game.holidays
    )


def announced_absences(games: Iterable[Game]) -> dict[int, list[Absence]]:
    """Return the absences of these games that use up allowances, by game, oldest first."""
    by_game: dict[int, list[Absence]] = {game.pk: [] for game in games}
    for row in _using_allowance(Absence.objects.filter(game__in=list(by_game))):
        by_game[row.game_id].append(row)
    return by_game


def _using_allowance(absences: QuerySet[Absence]) -> QuerySet[Absence]:
    """Return those not withdrawn, and those that had moved a deadline before they were.

    Otherwise one player could move every deadline as often as they like.
    """
    # Both rows have the time of the request (`games.desk.absences.announce`).
    moved = DeadlineChange.objects.filter(
        phase__game=OuterRef("game"), changed_at=OuterRef("entered_at")
    )
    return absences.filter(Q(withdrawn_at=None) | Exists(moved)).order_by("entered_at", "pk")


def counted_days(game: Game, person_id: int) -> set[date]:
    """Return the days of a player's absences that use up the allowance; these move deadlines."""
    rows = _using_allowance(Absence.objects.filter(game=game, person=person_id))
    return _days_within_allowance(game, rows)[0]


def _days_within_allowance(game: Game, absences: Iterable[Absence]) -> tuple[set[date], set[date]]:
    """Return the days that use up one player's allowance, and those that have no deadline: not
    those of an absence that was withdrawn."""
    used: set[date] = set()
    blocked: set[date] = set()
    for absence in absences:
        for day in list_days(absence.first, absence.last):
            if day not in used and len(used) >= game.absence_days:
                continue
            used.add(day)
            if absence.withdrawn_at is None:
                blocked.add(day)
    return used, blocked


def day_blocker(game: Game) -> Callable[[date], bool]:
    """Return a function that says whether a day, in the game's zone, is blocked for deadlines."""
    sitting = Sitting.objects.current().filter(seat__game=game)
    return day_blocker_for(
        game, announced_absences([game])[game.pk], set(sitting.values_list("person_id", flat=True))
    )


def day_blocker_for(
    game: Game, absences: Sequence[Absence], sitting: Collection[int]
) -> Callable[[date], bool]:
    """Return the function of `day_blocker`.

    It is made from absences and the ids of those who sit in the game.
    """
    blocked_days = {day for first, last, _ in holidays(game) for day in list_days(first, last)}
    for person in {absence.person_id for absence in absences} & set(sitting):
        blocked_days |= _days_within_allowance(
            game, [absence for absence in absences if absence.person_id == person]
        )[1]
    return blocked_days.__contains__
