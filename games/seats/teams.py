"""Who belongs to the team of a seat, under which number, and who is its spokesman (F1, `ow2.team`).

A member's number is the place among all who ever sat there, by when they first sat down; it never
changes. `games.rules.teams` says what several members' submissions come to; this module knows the
people.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from games.models import Game, Person, Phase, Seat, Sitting
from games.rules import teams as rule


@dataclass(frozen=True)
class Member:
    """A person who sits in a team's seat now, or at the instant asked about."""

    person: Person
    number: int
    spokesman: bool


def members(seat: Seat) -> list[Member]:
    """Return who sits in a seat now, by number. The spokesman is named, or sat down first."""
    sittings = list(seat.sittings.select_related("person").order_by("pk"))
    numbers = _numbers(sittings)
    now = sorted(
        (one for one in sittings if one.is_current), key=lambda one: numbers[one.person_id]
    )
    named = next((one for one in now if one.spokesman), now[0] if now else None)
    return [Member(one.person, numbers[one.person_id], one is named) for one in now]


def everybody(seat: Seat) -> dict[int, Person]:
    """Return all who sit or sat in a seat, by number."""
    sittings = list(seat.sittings.select_related("person").order_by("pk"))
    people = {one.person_id: one.person for one in sittings}
    return {number: people[pk] for pk, number in _numbers(sittings).items()}


def member(seat: Seat, person: Person | None) -> Member | None:
    """Return the one of `members` who is this person; None if no team, or not there."""
    if person is None or not seat.team:
        return None
    return next((one for one in members(seat) if one.person.pk == person.pk), None)


def spokesman(seat: Seat) -> Member | None:
    """Return the member whose orders count, if the game has spokesmen and somebody sits there."""
    return next((one for one in members(seat) if one.spokesman), None)


def option(game: Game) -> str:
    return str(game.options.get(rule.OPTION, rule.SPOKESMAN))


def by_vote(game: Game) -> bool:
    """Return whether a team's orders are those that most of its members sent."""
    return option(game) == rule.MAJORITY


def has_spokesman(game: Game) -> bool:
    return option(game) == rule.SPOKESMAN


def of_game(game: Game) -> dict[str, list[int]]:
    """Return nations held by teams with their members' numbers, as `Phase.teams` stores them at the
    lock.

    A seat that all members have left keeps the last one: that member's orders stay in force.
    """
    rows = Sitting.objects.filter(seat__game=game, seat__team=True).select_related("seat")
    return of_seats(game.seats.filter(team=True), rows.order_by("pk"))


def of_seats(seats: Iterable[Seat], sittings: Iterable[Sitting]) -> dict[str, list[int]]:
    """Return the same from a game's seats and all sittings in them."""
    by_seat: dict[str, list[Sitting]] = {seat.nation: [] for seat in seats if seat.team}
    for row in sorted(sittings, key=lambda one: one.pk):
        if row.seat.nation in by_seat:
            by_seat[row.seat.nation].append(row)
    return {nation: _team(sittings) for nation, sittings in by_seat.items()}


def of_phase(phase: Phase) -> dict[str, list[int]]:
    """Return the same at the lock, or now; an ally's orders are those of its controller's team."""
    if phase.locked_at is not None:
        return dict(phase.teams)
    return with_allies(of_game(phase.game), phase)


def with_allies(held: dict[str, list[int]], phase: Phase) -> dict[str, list[int]]:
    """Return teams together with the allies whose orders they send in a phase."""
    return held | {
        ally: held[controller]
        for ally, controller in phase.controllers.items()
        if controller in held
    }


def _team(sittings: list[Sitting]) -> list[int]:
    numbers = _numbers(sittings)
    now = [one for one in sittings if one.is_current]
    if not now and sittings:
        last: datetime = max(one.until for one in sittings if one.until is not None)
        now = [one for one in sittings if one.until == last]
    return sorted({numbers[one.person_id] for one in now})


def _numbers(sittings: list[Sitting]) -> dict[int, int]:
    """Return person to number, by their first sitting; `sittings` by primary key."""
    found: dict[int, int] = {}
    for one in sittings:
        found.setdefault(one.person_id, len(found) + 1)
    return found
