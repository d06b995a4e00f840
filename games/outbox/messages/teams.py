"""Store with a letter what a team had voted when it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games import permissions
from games.models import Seat
from games.models.people import who
from games.seats import teams
from orders import in_force

if TYPE_CHECKING:
    from orders.models import Submission


def team_facts(submission: Submission) -> dict[str, Any]:
    """Return facts for `Letter.about`; empty for orders that no member of a team sent."""
    if not submission.member:
        return {}

    seat = team_seat(submission)
    people = teams.members(seat)
    phase = submission.phase
    return {
        "team": {
            "rule": teams.option(submission.game),
            "by": name_of(submission.person),
            "spokesman": next((name_of(one.person) for one in people if one.spokesman), ""),
            "spokesman_id": next((one.person.pk for one in people if one.spokesman), None),
            "size": len(people),
            "voted": len(in_force.votes(phase).get(submission.seat.nation, {})),
            "tally": [
                [line.words, len(line.members), line.counts]
                for line in in_force.tally(submission.seat, phase)
            ],
        }
    }


def team_seat(submission: Submission) -> Seat:
    """Return the seat whose team sent a submission: its own, or its controller's in the phase."""
    return next(iter(permissions.controlling(submission.seat, submission.phase)), submission.seat)


def name_of(person: Any) -> str:
    return who(person) or "Somebody of your team"
