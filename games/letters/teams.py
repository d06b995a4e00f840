"""Build sentences about orders that a team member has sent: a proposal, a vote, or the team's
orders (F1).

The state of the votes is stored with the letter when it is written, because the next vote changes
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from games import permissions
from games.models import Letter, Person, Phase, Seat
from games.outbox.messages import team_votes
from games.rules.names import all_of
from games.seats import teams

if TYPE_CHECKING:
    from orders.models import Submission


def team_facts(
    letter: Letter, submission: Submission, replaced: Submission | None
) -> dict[str, Any] | None:
    """Return the team part of a receipt's context, or None for orders that no team member sent.

    `replaced`: the orders that these replaced.
    """
    team = letter.about.get("team")
    if team is None:
        return None
    mine = letter.person_id == submission.person_id
    replaced_words = ""
    if replaced is not None:
        own_orders = replaced.person_id == letter.person_id
        number = replaced.seat_number
        replaced_words = f"yours, No. {number}" if own_orders else f"No. {number}"
    leads = letter.person_id == team["spokesman_id"]
    return sentences(submission, team, mine=mine, leads=leads, replaced=replaced_words)


def sentences(
    submission: Submission,
    team: dict[str, Any],
    *,
    mine: bool,
    leads: bool,
    replaced: str = "",
) -> dict[str, Any]:
    """Return the context about a team's orders: `opening`, `final` and `holds` are sentences,
    `lines` the votes line by line. All are empty where the orders count like anybody's.

    `mine`: the reader sent them. `leads`: the reader is the team's spokesman. `replaced`: words for
    the orders they replaced.
    """
    number, nation = submission.seat_number, submission.seat.nation
    by = "You have" if mine else f"{team['by']} has"
    facts: dict[str, Any] = {
        "by": by,
        "opening": "",
        "final": "",
        "holds": "",
        "lines": [],
        "proposal": submission.proposal,
        "adopts": False,
        "proposes": team["rule"] == "spokesman" and not leads,
    }
    readable = bool(submission.understood) and not submission.late
    if submission.proposal and readable:
        facts["opening"] = f"{by} proposed orders for {nation} to your team: No. {number}."
        facts["adopts"] = leads
        facts["holds"] = _adoption(number, nation, team["spokesman"], leads)
    elif team["rule"] == "majority" and submission.counts:
        facts["opening"] = f"{by} voted on the orders of {nation}: No. {number}."
        facts["final"] = final_votes(team)
        facts["holds"] = standing_in_words(nation, team)
        facts["lines"] = [
            {"words": words, "count": count, "counts": counts}
            for words, count, counts in team["tally"]
        ]
    elif not mine and submission.counts:
        instead = f", in place of {replaced}" if replaced else ""
        facts["opening"] = (
            f"{by} sent orders for {nation}: No. {number}. They are in force{instead}."
        )
    return facts


def _adoption(number: int, nation: str, spokesman: str, leads: bool) -> str:
    if leads:
        return f"They count once you adopt them: write ADOPT {number}, or open the order page."
    return f"They count once {spokesman or 'your spokesman'}, who speaks for {nation}, adopts them."


def final_votes(team: dict[str, Any]) -> str:
    """Return how many of a team's votes are final and what that means; "" where none is."""
    if not team.get("final"):
        return ""
    return (
        f"{team['final']} of the {team['size']} in your team have sent final orders; the team's"
        " orders are final once more than half have."
    )


def standing_in_words(nation: str, team: dict[str, Any]) -> str:
    """Return the state of a team's votes in 1 or 2 sentences."""
    size, voted = team["size"], team["voted"]
    agreed = sum(counts for _, _, counts in team["tally"])
    first = (
        f"{voted} of the {size} in your team have sent orders. A line counts once more than half of"
        " the team have sent it."
    )
    if agreed:
        count = "1 line counts" if agreed == 1 else f"{agreed} lines count"
        return " ".join([f"{first} So far {count}.", *team.get("short", ())])
    if 2 * voted > size:
        return f"{first} So far no line counts, which means PASS for {nation}."
    return f"{first} So far no line counts, and {nation} has no orders in force."


def brief(seat: Seat, phase: Phase, reader: Person | None) -> list[str]:
    """Return sentences that introduce a nation to the reader: that they send an ally's orders, or
    who their teammates are."""
    if seat.nation in phase.controllers:
        controller = phase.controllers[seat.nation]
        if seat.game.rules.shares_players:
            return [f"You play {seat.nation}, too: send its orders besides those of {controller}."]
        return [
            f"Nobody plays {seat.nation}: as {controller} you send its orders this turn, besides"
            " your own."
        ]
    if not seat.team or len(teams.members(seat)) < 2:
        return []
    return [f"{seat.nation} is played by {names(seat)}. {_whose_orders_count(seat, reader)}"]


def whose_orders_count(seat: Seat, phase: Phase, reader: Person | None) -> str:
    """Return whose orders count in the team that orders for a seat; "" where one person does."""
    sender = next(iter(permissions.controlling_seats(seat, phase)), seat)
    return (
        _whose_orders_count(sender, reader)
        if sender.team and len(teams.members(sender)) > 1
        else ""
    )


def _whose_orders_count(seat: Seat, reader: Person | None) -> str:
    """Return whose orders count in a team, worded for the reader, who is a member."""
    lead = teams.spokesman(seat) if teams.has_spokesman(seat.game) else None
    if lead is None:
        return HOW[teams.option(seat.game)]
    if lead.person == reader:
        return "Your orders count; what the others send is a proposal."
    return f"{team_votes.name_of(lead.person)}’s orders count; yours become proposals."


def missing(letter: Letter, seats: Iterable[Seat], phase: Phase) -> str:
    """Return what is missing, for a reminder: the reader's orders, their own vote, or the orders of
    their team's spokesman."""
    title = phase.short_title
    for seat in seats:
        if not whose_orders_count(seat, phase, letter.person):
            continue
        if teams.decides_by_vote(seat.game):
            return f"Your own vote on the orders of {seat.nation} has not come yet for {title}."
        lead = (
            teams.spokesman(next(iter(permissions.controlling_seats(seat, phase)), seat))
            if teams.has_spokesman(seat.game)
            else None
        )
        if lead is not None and lead.person.pk != letter.person_id:
            return (
                f"{team_votes.name_of(lead.person)}, who speaks for {seat.nation}, has sent no"
                f" orders yet for {title}."
            )
        return f"No orders of your team are in force yet for {title}."
    return f"No orders of yours are in force yet for {title}."


#: Whose orders count in a team, by its option, in words for its members.
HOW = {
    "spokesman": "The spokesman’s orders count; what the others send is a proposal.",
    "majority": (
        "A line counts once more than half of the team have sent it. If these lines place more PFs"
        " than you have, the last lines get what is left."
    ),
    "last_received": "The last orders that any of the team sends count.",
}


def names(seat: Seat) -> str:
    """Return the names of a team's members, the spokesman first if there is one."""
    people = sorted(teams.members(seat), key=lambda member: not member.spokesman)
    spokes = teams.has_spokesman(seat.game)
    return all_of(
        [
            team_votes.name_of(sitting.person)
            + (" (spokesman)" if sitting.spokesman and spokes else "")
            for sitting in people
        ]
    )
