"""What letters and answers say of orders that a member of a team has sent: that they are a
proposal, a vote, or the team's orders (F1).

What is told of the votes is kept with the letter as it stood when the letter was written: they
change with the next one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from games import permissions
from games.models import Letter, Phase, Seat
from games.outbox.messages import teams as messages_teams
from games.rules.names import all_of
from games.seats import teams

if TYPE_CHECKING:
    from orders.models import Submission


def team_facts(
    letter: Letter, submission: Submission, replaced: Submission | None
) -> dict[str, Any] | None:
    """For the receipt's templates; None of orders that no member of a team has sent.

    `replaced`: the orders that these have replaced.
    """
    team = letter.about.get("team")
    if team is None:
        return None
    mine = letter.person_id == submission.person_id
    whose = ""
    if replaced is not None:
        own = replaced.person_id == letter.person_id
        number = replaced.seat_number
        whose = f"yours, No. {number}" if own else f"No. {number}"
    leads = letter.person_id == team["spokesman_id"]
    return sentences(submission, team, mine=mine, leads=leads, replaced=whose)


def sentences(
    submission: Submission,
    team: dict[str, Any],
    *,
    mine: bool,
    leads: bool,
    replaced: str = "",
) -> dict[str, Any]:
    """`opening`, `final` and `holds` are sentences, `lines` the votes line by line; all of them
    empty where orders hold as anybody's would.

    `mine`: the reader sent them; `leads`: the reader is the team's spokesman; `replaced`: the
    orders before them.
    """
    number, nation = submission.seat_number, submission.seat.nation
    by = "You have" if mine else f"{team['by']} has"
    said: dict[str, Any] = {
        "by": by,
        "opening": "",
        "final": "",
        "holds": "",
        "lines": [],
        "proposal": submission.proposal,
    }
    readable = bool(submission.understood) and not submission.late
    if submission.proposal and readable:
        said["opening"] = f"{by} proposed orders for {nation} to your team: No. {number}."
        said["holds"] = _adoption(number, nation, team["spokesman"], leads)
    elif team["rule"] == "majority" and submission.counts:
        said["opening"] = f"{by} voted on the orders of {nation}: No. {number}."
        said["final"] = final_votes(team)
        said["holds"] = standing_in_words(nation, team)
        said["lines"] = [
            {"words": words, "count": count, "counts": counts}
            for words, count, counts in team["tally"]
        ]
    elif not mine and submission.counts:
        instead = f", in place of {replaced}" if replaced else ""
        said["opening"] = (
            f"{by} sent orders for {nation}: No. {number}. They are in force{instead}."
        )
    return said


def _adoption(number: int, nation: str, spokesman: str, leads: bool) -> str:
    if leads:
        return (
            f"They count once you adopt them: write ADOPT {number}, or open the order page. Until"
            " then what you have sent holds."
        )
    return (
        f"They count once {spokesman or 'your spokesman'}, who speaks for {nation}, adopts them."
        " Until then what they have sent holds."
    )


def final_votes(team: dict[str, Any]) -> str:
    """Say how many of a team's votes are marked as final, and what that means."""
    if not team.get("final"):
        return ""
    return (
        f"{team['final']} of the {team['size']} in your team need no more time; the orders are"
        " final once more than half have said so."
    )


def standing_in_words(nation: str, team: dict[str, Any]) -> str:
    """How a team's votes stand, in a sentence or two."""
    size, voted = team["size"], team["voted"]
    agreed = sum(counts for _, _, counts in team["tally"])
    first = (
        f"{voted} of the {size} in your team have sent orders, and a line counts once more than"
        " half of the team have sent it alike."
    )
    if agreed:
        count = "one line counts" if agreed == 1 else f"{agreed} lines count"
        return " ".join([f"{first} As it stands, {count}.", *team.get("short", ())])
    if 2 * voted > size:
        return f"{first} As it stands none does: that is a PASS of {nation}."
    return f"{first} As it stands none does, and {nation} has no orders in force."


def brief(seat: Seat, phase: Phase) -> list[str]:
    """What somebody is told of a nation beside its orders: that he sends them for an ally, or who
    sits there with him."""
    if seat.nation in phase.controllers:
        return [
            f"Nobody plays {seat.nation}: as {phase.controllers[seat.nation]} you send its orders"
            " this turn, beside your own."
        ]
    if not seat.team or len(teams.members(seat)) < 2:
        return []
    return [f"{seat.nation} is played by {names(seat)}. {HOW[teams.option(seat.game)]}"]


def how(seat: Seat, phase: Phase) -> str:
    """Whose orders hold in the team that sends for a seat; empty where one person alone does."""
    sender = next(iter(permissions.controlling(seat, phase)), seat)
    return HOW[teams.option(seat.game)] if sender.team and len(teams.members(sender)) > 1 else ""


def missing(letter: Letter, seats: Iterable[Seat], phase: Phase) -> str:
    """What a reminder waits for: orders, the reader's own vote, or what the spokesman of his team
    is to send."""
    title = phase.title
    for seat in seats:
        if not how(seat, phase):
            continue
        if teams.by_vote(seat.game):
            return f"Your own vote on the orders of {seat.nation} has not come yet for {title}."
        lead = (
            teams.spokesman(next(iter(permissions.controlling(seat, phase)), seat))
            if teams.has_spokesman(seat.game)
            else None
        )
        if lead is not None and lead.person.pk != letter.person_id:
            return (
                f"{messages_teams.name_of(lead.person)}, who speaks for {seat.nation}, has sent no"
                f" orders yet for {title}."
            )
        return f"No orders of your team are in force yet for {title}."
    return f"No orders have come from you yet for {title}."


#: Whose orders hold in a team, in words for its members.
HOW = {
    "spokesman": "The spokesman’s orders count; what the others send is a proposal.",
    "majority": (
        "A line counts once more than half of the team have sent it alike. If these lines place"
        " more PFs than there are, the last of them get what is left."
    ),
    "last_received": "The last orders that any of the team sends count.",
}


def names(seat: Seat) -> str:
    """Who sits in a team's seat, the spokesman first where it has one."""
    people = sorted(teams.members(seat), key=lambda one: not one.spokesman)
    spokes = teams.has_spokesman(seat.game)
    return all_of(
        [
            messages_teams.name_of(one.person)
            + (" (spokesman)" if one.spokesman and spokes else "")
            for one in people
        ]
    )
