"""The team on the order page: its members, what they have sent, and how the votes stand."""

from __future__ import annotations

from dataclasses import dataclass

from games import permissions
from games.letters.teams import HOW, standing_in_words
from games.models import Person, Phase, Seat
from games.outbox.messages.team_votes import votes_of
from games.positions import in_force
from games.seats import teams
from orders.intake import proposals
from orders.models import Submission

VOTE = "What you send is your vote, in place of your earlier one."
PROPOSAL = "What you send is a proposal to your spokesman and replaces nothing."


@dataclass(frozen=True)
class Comrade:
    """A team member as the others see them.

    `sent` is their vote, or their newest proposal; None if there is nothing.
    """

    name: str
    me: bool
    spokesman: bool
    sent: Submission | None


@dataclass(frozen=True)
class Company:
    """A team in a phase.

    `votes` are lines, each with how many members sent it and whether it counts. `standing` says the
    result in words.
    """

    nation: str
    how: str
    comrades: tuple[Comrade, ...]
    leads: bool  # whether the reader is the spokesman and may adopt
    proposals: tuple[
        tuple[Submission, str, tuple[str, ...]], ...
    ]  # each with its author's name and its lines
    votes: tuple[tuple[str, int, bool], ...] = ()
    standing: str = ""
    # what the reader's orders become where they do not replace those in force
    mine: str = ""


def company_of(person: Person, seat: Seat, phase: Phase) -> Company | None:
    """Return the team to show on a seat's order page; None where one person holds the seat."""
    team_seat = next(iter(permissions.controlling_seats(seat, phase)), seat)
    me = teams.member(team_seat, person)
    if me is None:
        return None
    people = teams.members(team_seat)
    votes = in_force.votes(phase).get(seat.nation, {})
    has_spokesman, by_vote = teams.has_spokesman(seat.game), teams.decides_by_vote(seat.game)
    proposal_rows = proposals.phase_proposals(seat, phase) if has_spokesman else []
    comrades = []
    for member in people:
        sent = (
            votes.get(member.number)
            if by_vote
            else next((row for row in proposal_rows if row.person_id == member.person.pk), None)
        )
        comrades.append(
            Comrade(
                _name(member.person),
                member.person.pk == person.pk,
                member.spokesman and has_spokesman,
                sent,
            )
        )
    tally = votes_of(seat, phase) if by_vote else {"tally": []}
    return Company(
        nation=team_seat.nation,
        how=HOW[teams.option(seat.game)],
        comrades=tuple(comrades),
        leads=has_spokesman and me.spokesman,
        proposals=tuple(
            (row, _name(row.person), _lines(row))
            for row in proposals.adoptable_proposals(proposal_rows, seat, phase)
        ),
        votes=tuple((words, count, counts) for words, count, counts in tally["tally"]),
        standing=standing_in_words(seat.nation, tally) if by_vote else "",
        mine=VOTE if by_vote else PROPOSAL if has_spokesman and not me.spokesman else "",
    )


def receipt_sentences(submission: Submission) -> str:
    """Return what a receipt says about a proposal or a vote; "" for ordinary orders."""
    if submission.late or submission.withdraws or not submission.member:
        return ""
    seat, phase = submission.seat, submission.phase
    author = _name(submission.person)
    if submission.proposal:
        spokesman = teams.spokesman(next(iter(permissions.controlling_seats(seat, phase)), seat))
        adopts = (
            f"{_name(spokesman.person)}, who speaks for the team, adopts it"
            if spokesman
            else "the team’s spokesman adopts it"
        )
        return (
            f"A proposal of {author} to the team. It counts once {adopts}."
            if submission.understood
            else ""
        )
    if not submission.counts or not teams.decides_by_vote(submission.game):
        return ""
    vote = in_force.votes(phase).get(seat.nation, {}).get(submission.member)
    if vote is None or vote.pk != submission.pk:
        return f"An earlier vote of {author}, replaced or taken back since."
    return f"The vote of {author}. {standing_in_words(seat.nation, votes_of(seat, phase))}"


def _name(person: Person | None) -> str:
    return person.name if person is not None and person.name else "A member of your team"


def _lines(sent: Submission | None) -> tuple[str, ...]:
    return tuple(words for _, words in sent.understood) if sent is not None else ()
