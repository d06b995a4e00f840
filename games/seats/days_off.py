"""Days without deadlines: holidays, and absences within an allowance; for all (rules 0.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
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


def told(games: Iterable[Game]) -> dict[int, list[Absence]]:
    """The absences told in each of these games that stand, those told first first."""
    found: dict[int, list[Absence]] = {game.pk: [] for game in games}
    rows = Absence.objects.filter(game__in=list(found), withdrawn_at=None)
    for row in rows.order_by("entered_at", "pk"):
        found[row.game_id].append(row)
    return found


def counted(game: Game, person_id: int) -> set[date]:
    """Return the days of a player's absences that move deadlines, within the allowance."""
    rows = Absence.objects.filter(game=game, person=person_id, withdrawn_at=None)
    return _counted(game, rows.order_by("entered_at", "pk"))


def _counted(game: Game, absences: Iterable[Absence]) -> set[date]:
    allowed: set[date] = set()
    for absence in absences:
        for day in days(absence.first, absence.last):
            if day not in allowed and len(allowed) >= game.absence_days:
                return allowed
            allowed.add(day)
    return allowed


def blocked(game: Game) -> Callable[[date], bool]:
    """Says whether a day, in the game's zone, takes no deadline."""
    sitting = Sitting.objects.current().filter(seat__game=game)
    return blocked_by(game, told([game])[game.pk], set(sitting.values_list("person_id", flat=True)))


def blocked_by(
    game: Game, absences: Sequence[Absence], sitting: Collection[int]
) -> Callable[[date], bool]:
    """Do as `blocked`, with absences (`told`) and the ids of those who sit in the game now."""
    taken = {day for first, last, _ in holidays(game) for day in days(first, last)}
    for person in {one.person_id for one in absences} & set(sitting):
        taken |= _counted(game, [one for one in absences if one.person_id == person])
    return taken.__contains__
