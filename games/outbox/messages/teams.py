"""Store with a letter what a team had voted when it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games import permissions, positions
from games.models import Phase, Seat
from games.models.people import who
from games.seats import teams
from orders import in_force

if TYPE_CHECKING:
    from orders.models import Submission


def team_facts(submission: Submission) -> dict[str, Any]:
    """Return facts for `Letter.about`; empty for orders that no member of a team sent."""
    if not submission.member:
        return {}

    people = teams.members(team_seat(submission))
    return {
        "team": {
            "rule": teams.option(submission.game),
            "by": name_of(submission.person),
            "spokesman": next((name_of(one.person) for one in people if one.spokesman), ""),
            "spokesman_id": next((one.person.pk for one in people if one.spokesman), None),
            **votes_of(submission.seat, submission.phase),
        }
    }


def votes_of(seat: Seat, phase: Phase) -> dict[str, Any]:
    """Return how a team stands in a phase: how many they are, have voted and are final, and each
    line with its votes. Nobody has voted where a team does not vote."""
    votes = in_force.votes(phase).get(seat.nation, {})
    sender = next(iter(permissions.controlling(seat, phase)), seat)
    return {
        "size": len(teams.members(sender)),
        "voted": len(votes),
        "final": sum(vote.final for vote in votes.values()),
        "short": _short_lines(seat, phase),
        "tally": [
            [line.words, len(line.members), line.counts] for line in in_force.tally(seat, phase)
        ],
    }


def _short_lines(seat: Seat, phase: Phase) -> list[str]:
    """Return what is wrong with the lines that a team agrees on, taken together.

    Lines with a majority each may ask for more PFs than there are: no member sent them so.
    """
    if not teams.by_vote(phase.game):
        return []
    text = in_force.texts_in_force(phase).get(seat.nation, "")
    read = phase.game.rules.read(text, seat.nation, positions.state_of(phase))
    return [remark.message for remark in read.remarks if remark.code == "more_than_left"]


def team_seat(submission: Submission) -> Seat:
    """Return the seat whose team sent a submission: its own, or its controller's in the phase."""
    return next(iter(permissions.controlling(submission.seat, submission.phase)), submission.seat)


def name_of(person: Any) -> str:
    return who(person) or "A member of your team"
