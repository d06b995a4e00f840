"""What the order page says of a team: who is in it, what they have sent, how the votes stand."""

from __future__ import annotations

from dataclasses import dataclass

from games import permissions
from games.letters.teams import HOW, standing_in_words
from games.models import Person, Phase, Seat
from games.outbox.messages.teams import votes_of
from games.seats import teams
from orders import in_force, proposals
from orders.models import Submission

VOTE = "What you send is your vote, in place of your earlier one."
PROPOSAL = "What you send is proposed to your spokesman, and replaces nothing by itself."


@dataclass(frozen=True)
class Comrade:
    """One of the team, as the others see him. `sent` is his vote, or what he has proposed last;
    None where there is nothing."""

    name: str
    me: bool
    spokesman: bool
    sent: Submission | None


@dataclass(frozen=True)
class Company:
    """A team in a phase. `votes` are lines with how many sent them and whether they count,
    `standing` says what that comes to."""

    nation: str
    how: str
    comrades: tuple[Comrade, ...]
    leads: bool  # whether the reader is the spokesman, and may adopt
    proposals: tuple[
        tuple[Submission, str, tuple[str, ...]], ...
    ]  # with who made it, and its lines
    votes: tuple[tuple[str, int, bool], ...] = ()
    standing: str = ""
    mine: str = (
        ""  # what becomes of what the reader sends, where that is not to replace what is in force
    )


def company_of(person: Person, seat: Seat, phase: Phase) -> Company | None:
    """What the order page of a seat shows of its team; None where one person holds it."""
    team_seat = next(iter(permissions.controlling(seat, phase)), seat)
    me = teams.member(team_seat, person)
    if me is None:
        return None
    people = teams.members(team_seat)
    votes = in_force.votes(phase).get(seat.nation, {})
    spokes, voting = teams.has_spokesman(seat.game), teams.by_vote(seat.game)
    proposed = proposals.of_phase(seat, phase) if spokes else []
    comrades = []
    for one in people:
        sent = (
            votes.get(one.number)
            if voting
            else next((row for row in proposed if row.person_id == one.person.pk), None)
        )
        comrades.append(
            Comrade(_name(one.person), one.person.pk == person.pk, one.spokesman and spokes, sent)
        )
    told = votes_of(seat, phase) if voting else {"tally": []}
    return Company(
        nation=team_seat.nation,
        how=HOW[teams.option(seat.game)],
        comrades=tuple(comrades),
        leads=spokes and me.spokesman,
        proposals=tuple(
            (row, _name(row.person), _lines(row))
            for row in proposals.without_obsolete(proposed, seat, phase)
        ),
        votes=tuple((words, count, counts) for words, count, counts in told["tally"]),
        standing=standing_in_words(seat.nation, told) if voting else "",
        mine=VOTE if voting else PROPOSAL if spokes and not me.spokesman else "",
    )


def receipt_sentences(submission: Submission) -> str:
    """What a receipt says of a proposal or a vote; empty of orders that hold as anybody's would."""
    if submission.late or submission.withdraws or not submission.member:
        return ""
    seat, phase = submission.seat, submission.phase
    by = _name(submission.person)
    if submission.proposal:
        speaks = teams.spokesman(next(iter(permissions.controlling(seat, phase)), seat))
        adopts = (
            f"{_name(speaks.person)}, who speaks for the team, adopts it"
            if speaks
            else "the team’s spokesman adopts it"
        )
        return (
            f"A proposal of {by} to the team. It counts once {adopts}."
            if submission.understood
            else ""
        )
    if not submission.counts or not teams.by_vote(submission.game):
        return ""
    vote = in_force.votes(phase).get(seat.nation, {}).get(submission.member)
    if vote is None or vote.pk != submission.pk:
        return f"An earlier vote of {by}, replaced or taken back since."
    return f"The vote of {by}. {standing_in_words(seat.nation, votes_of(seat, phase))}"


def _name(person: Person | None) -> str:
    return person.name if person is not None and person.name else "A member of your team"


def _lines(sent: Submission | None) -> tuple[str, ...]:
    return tuple(words for _, words in sent.understood) if sent is not None else ()
