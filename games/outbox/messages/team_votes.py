"""Store the state of a team's votes with a letter when it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games import permissions, positions
from games.models import Phase, Seat
from games.models.people import who
from games.positions import in_force
from games.seats import teams

if TYPE_CHECKING:
    from orders.models import Submission


def team_facts(submission: Submission) -> dict[str, Any]:
    """Return the team's part of `Letter.about`; empty for orders that no team member sent."""
    if not submission.member:
        return {}

    people = teams.members(team_seat(submission))
    return {
        "team": {
            "rule": teams.option(submission.game),
            "by": name_of(submission.person),
            "spokesman": next(
                (name_of(sitting.person) for sitting in people if sitting.spokesman), ""
            ),
            "spokesman_id": next(
                (sitting.person.pk for sitting in people if sitting.spokesman), None
            ),
            **votes_of(submission.seat, submission.phase),
        }
    }


def votes_of(seat: Seat, phase: Phase) -> dict[str, Any]:
    """Return the state of a team's votes in a phase: the numbers of members, votes and final votes,
    and each line with its votes. Without voting, the numbers of votes are 0."""
    sent = in_force.votes(phase).get(seat.nation, {})
    members = teams.members(next(iter(permissions.controlling_seats(seat, phase)), seat))
    votes = [sent[member.number] for member in members if member.number in sent]
    return {
        "size": len(members),
        "voted": len(votes),
        "final": sum(vote.final for vote in votes),
        "short": _short_lines(seat, phase),
        "tally": [
            [line.words, len(line.members), line.counts] for line in in_force.tally(seat, phase)
        ],
    }


def _short_lines(seat: Seat, phase: Phase) -> list[str]:
    """Return remarks on the combination of lines that a team agrees on.

    Lines that have a majority each may together place more PFs than the team has, though no member
    sent that combination.
    """
    if not teams.decides_by_vote(phase.game):
        return []
    text = in_force.texts_in_force(phase).get(seat.nation, "")
    read = phase.game.rules.read(text, seat.nation, positions.state_of(phase))
    return [remark.message for remark in read.remarks if remark.code == "more_than_left"]


def team_seat(submission: Submission) -> Seat:
    """Return the seat whose team sent a submission: its own, or its controller's in the phase."""
    return next(
        iter(permissions.controlling_seats(submission.seat, submission.phase)), submission.seat
    )


def name_of(person: Any) -> str:
    return who(person) or "A member of your team"
