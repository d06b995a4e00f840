"""Find who still owes orders in an open phase (F1, `ow2.team`).

In a team that votes, every member owes a vote. A nation that can order nothing owes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from games import permissions, positions
from games.models import Game, Person, Phase, Seat
from games.positions import in_force as orders_in_force
from games.seats import teams
from orders.models import Submission


def asked_nations(game: Game, state: Any) -> tuple[str, ...]:
    """Return the nations that are asked for orders in a state, in card order.

    They are those that may send some and could order something.
    """
    rules = game.rules
    acting = rules.acting_nations(state)
    return tuple(nation for nation in acting if rules.could_order(state, nation))


@dataclass(frozen=True)
class OwingSeat:
    """A seat that still owes orders.

    `done` holds the primary keys of its people who have done their part.
    """

    seat: Seat
    done: frozenset[int] = frozenset()


def owing_seats(
    phase: Phase,
    asked: Iterable[tuple[Seat, Seat]],
    in_force: Mapping[str, Submission] | None = None,
) -> list[OwingSeat]:
    """Return the seats that still owe something.

    `asked` pairs each seat that may order with the seat that sends for it (`positions.senders`).
    `in_force`: the orders in force, if the caller has them.

    - A seat of one person, or of a team whose newest orders count, owes until something is in
      force.
    - Where a spokesman's orders count, the team owes until theirs are in force. Another member has
      done their part with a proposal.
    - Where a team votes, it owes until every member has voted, whatever the votes yield before. If
      orders were taken down for the team as a whole, nobody owes any more.
    - A seat whose nation is asked for nothing (`asked_nations`) does not owe.
    """
    if in_force is None:
        in_force = orders_in_force.in_force(phase)
    votes = orders_in_force.votes(phase)
    owing = []
    for seat, sender in asked:
        if sender.team and teams.decides_by_vote(phase.game):
            voted = votes.get(seat.nation, {})
            if seat.nation in in_force and not voted:
                continue
            voters = {
                member.person.pk for member in teams.members(sender) if member.number in voted
            }
            if len(voters) < len(teams.members(sender)):
                owing.append(OwingSeat(seat, frozenset(voters)))
        elif seat.nation not in in_force:
            owing.append(OwingSeat(seat, _proposers(seat, sender, phase)))
    if not owing:
        return []
    nations = asked_nations(phase.game, positions.state_of(phase))
    return [one for one in owing if one.seat.nation in nations]


def _proposers(seat: Seat, sender: Seat, phase: Phase) -> frozenset[int]:
    """Return the primary keys of members who have made a proposal, without the spokesman."""
    if not sender.team or not teams.has_spokesman(phase.game):
        return frozenset()
    rows = phase.submissions.filter(seat=seat, proposal=True, late=False).exclude(understood=[])
    proposers = set(rows.values_list("person", flat=True))
    return frozenset(
        member.person.pk
        for member in teams.members(sender)
        if member.person.pk in proposers and not member.spokesman
    )


def nations_owed_by(
    person: Person, phase: Phase, in_force: Mapping[str, Submission] | None = None
) -> list[str]:
    """Return the nations for which a person still owes something in an open phase.

    Their own nations come first, then those of allies that they control. `in_force`: the orders in
    force, if the caller has them.
    """
    seats_and_senders = [
        (seat, next(iter(permissions.controlling_seats(seat, phase)), seat))
        for seat in permissions.orderable_seats(person, phase.game, phase)
    ]
    if not seats_and_senders:
        return []
    return [
        owing.seat.nation
        for owing in owing_seats(phase, seats_and_senders, in_force)
        if person.pk not in owing.done
    ]
