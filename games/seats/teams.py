"""Members of a seat's team, their numbers, and the spokesman (F1, `ow2.team`).

A member's number is their place among all who ever sat there, in the order of their first sittings;
it never changes. `games.rules.teams` combines the submissions of several members; this module knows
the people.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from games.models import Game, Person, Phase, Seat, Sitting
from games.rules import teams


@dataclass(frozen=True)
class Member:
    """A person who sits in a team's seat, now or at a given instant."""

    person: Person
    number: int
    spokesman: bool


def members(seat: Seat) -> list[Member]:
    """Return who sits in a seat now, by number.

    The spokesman is the one marked as such, or else the first member who gets mail, or else the
    first member.
    """
    sittings = _sittings(seat)
    numbers = _numbers(sittings)
    now = sorted(
        (sitting for sitting in sittings if sitting.is_current),
        key=lambda sitting: numbers[sitting.person_id],
    )
    named = [sitting for sitting in now if sitting.spokesman]
    by_mail = [sitting for sitting in now if not sitting.person.by_post]
    speaks = next(iter(named or by_mail or now), None)
    return [
        Member(sitting.person, numbers[sitting.person_id], sitting is speaks) for sitting in now
    ]


def _sittings(seat: Seat) -> list[Sitting]:
    """Return all sittings in a seat, by primary key, with their people."""
    if seat.sitting_now is not None:  # `permissions.load_seats` has read them, in any order
        return sorted(seat.sittings.all(), key=attrgetter("pk"))
    return list(seat.sittings.select_related("person").order_by("pk"))


def member(seat: Seat, person: Person | None) -> Member | None:
    """Return the member who is this person; None without a team, or if they do not sit there."""
    if person is None or not seat.team:
        return None
    return next(
        (candidate for candidate in members(seat) if candidate.person.pk == person.pk), None
    )


def spokesman(seat: Seat) -> Member | None:
    """Return the member whose orders count in a game with spokesmen; None if nobody sits there."""
    return next((candidate for candidate in members(seat) if candidate.spokesman), None)


def option(game: Game) -> str:
    return str(game.options.get(teams.OPTION, teams.SPOKESMAN))


def decides_by_vote(game: Game) -> bool:
    """Return whether a team's orders are those that most of its members sent."""
    return option(game) == teams.MAJORITY


def has_spokesman(game: Game) -> bool:
    return option(game) == teams.SPOKESMAN


def teams_of_game(game: Game) -> dict[str, list[int]]:
    """Return nations held by teams, with their members' numbers, as `Phase.teams` stores them.

    A seat that all members have left keeps the last one, whose orders stay in force.
    """
    rows = Sitting.objects.filter(seat__game=game, seat__team=True).select_related("seat")
    return teams_of_seats(game.seats.filter(team=True), rows.order_by("pk"))


def teams_of_seats(seats: Iterable[Seat], sittings: Iterable[Sitting]) -> dict[str, list[int]]:
    """Return the same from a game's seats and all sittings in them."""
    by_seat: dict[str, list[Sitting]] = {seat.nation: [] for seat in seats if seat.team}
    for row in sorted(sittings, key=lambda sitting: sitting.pk):
        if row.seat.nation in by_seat:
            by_seat[row.seat.nation].append(row)
    return {nation: _team(sittings) for nation, sittings in by_seat.items()}


def teams_of_phase(phase: Phase) -> dict[str, list[int]]:
    """Return the same for a phase, as of its lock, or now if it is open.

    An ally has the members of its controller's team.
    """
    if phase.locked_at is not None:
        return dict(phase.teams)
    return add_allies(teams_of_game(phase.game), phase)


def add_allies(held: dict[str, list[int]], phase: Phase) -> dict[str, list[int]]:
    """Return teams, together with the allies whose orders they send in a phase."""
    return held | {
        ally: held[controller]
        for ally, controller in phase.controllers.items()
        if controller in held
    }


def _team(sittings: list[Sitting]) -> list[int]:
    numbers = _numbers(sittings)
    present = [sitting for sitting in sittings if sitting.is_current]
    if not present and sittings:
        last: datetime = max(sitting.until for sitting in sittings if sitting.until is not None)
        present = [sitting for sitting in sittings if sitting.until == last]
    return sorted({numbers[sitting.person_id] for sitting in present})


def _numbers(sittings: list[Sitting]) -> dict[int, int]:
    """Return numbers by person, in the order of their first sittings.

    `sittings` are by primary key.
    """
    numbers: dict[int, int] = {}
    for sitting in sittings:
        numbers.setdefault(sitting.person_id, len(numbers) + 1)
    return numbers
