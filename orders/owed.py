"""Whose orders are still wanted in an open phase, and from whom: of a team that votes each member's
own vote (F1, `ow2.team`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from games import permissions
from games.models import Person, Phase, Seat
from games.seats import teams
from orders import in_force as orders_in_force


@dataclass(frozen=True)
class Wanted:
    """A seat of which orders are still wanted. `done` are the primary keys of those of its people
    who have done their part."""

    seat: Seat
    done: frozenset[int] = frozenset()


def of_phase(phase: Phase, asked: Iterable[tuple[Seat, Seat]]) -> list[Wanted]:
    """Of seats that may order, each with the seat that sends for it (`turns.senders`), those of
    which something is wanted.

    - Of one person's seat, and of a team's whose newest orders hold: until something is in force.
    - Where a spokesman's orders count: until his are; who has proposed something meanwhile has done
      his part, if he is not the spokesman.
    - Where a team votes: until everybody who sits there has voted, whatever the votes come to
      before. Orders that somebody took down for the team as a whole are wanted from nobody any
      more.
    """
    in_force = orders_in_force.in_force(phase)
    votes = orders_in_force.votes(phase)
    found = []
    for seat, sender in asked:
        if sender.team and teams.by_vote(phase.game):
            voted = votes.get(seat.nation, {})
            if seat.nation in in_force and not voted:
                continue
            done = {one.person.pk for one in teams.members(sender) if one.number in voted}
            if len(done) < len(teams.members(sender)):
                found.append(Wanted(seat, frozenset(done)))
        elif seat.nation not in in_force:
            found.append(Wanted(seat, _proposers(seat, sender, phase)))
    return found


def _proposers(seat: Seat, sender: Seat, phase: Phase) -> frozenset[int]:
    if not sender.team or not teams.has_spokesman(phase.game):
        return frozenset()
    rows = phase.submissions.filter(seat=seat, proposal=True, late=False).exclude(understood=[])
    proposed = set(rows.values_list("person", flat=True))
    return frozenset(
        one.person.pk
        for one in teams.members(sender)
        if one.person.pk in proposed and not one.spokesman
    )


def by(person: Person, phase: Phase) -> list[str]:
    """The nations for which somebody has still something to send in an open phase: his own, then
    those of allies that he controls."""
    asked = [
        (seat, next(iter(permissions.controlling(seat, phase)), seat))
        for seat in permissions.seats_ordered(person, phase.game, phase)
    ]
    return [one.seat.nation for one in of_phase(phase, asked) if person.pk not in one.done]
