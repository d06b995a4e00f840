"""Read which orders of a phase are in force, and what a team's votes come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Max, Q, QuerySet

from games import permissions, positions
from games.models import Person, Phase, Seat
from games.rules import REFEREE_SEAT
from games.rules import teams as team_rule
from games.rules.verification import record
from games.seats import teams
from orders.models import Submission

#: What decides of a seat's submissions which is in force: the newest of those that count or take
# back, if it is one that counts.
_DECIDING = Q(counts=True) | Q(text=record.CANCELLED, late=False)


def in_force(phase: Phase) -> dict[str, Submission]:
    """The newest submission that counts of each nation that has one, in this phase. Those replaced
    are not read.

    Of a team that votes it is the newest vote, where the votes come to anything; its `final` is
    then the team's (games.rules.teams).
    """
    newest = (
        phase.submissions.filter(_DECIDING)
        .order_by()
        .values("seat")
        .annotate(newest=Max("number"))
        .values("newest")
    )
    rows = (
        phase.submissions.filter(counts=True, number__in=newest)
        .select_related("seat")
        .order_by("number")
    )
    found = {submission.seat.nation: submission for submission in rows}
    for nation, stands in _voted(phase).items():
        found.pop(nation, None)
        if stands is not None:
            submission = phase.submissions.select_related("seat").get(number=stands.number)
            submission.final = stands.final
            found[nation] = submission
    return found


def newest_in_force(phases: Iterable[Phase]) -> dict[int, dict[int, Submission]]:
    """`in_force` of many phases by one question: phase and seat to the newest that counts. For
    games without teams that vote."""
    newest: dict[tuple[int, int], Submission] = {}
    for row in Submission.objects.filter(
        _DECIDING, phase__in=[phase.pk for phase in phases]
    ).order_by("number"):
        newest[row.phase_id, row.seat_id] = row
    found: dict[int, dict[int, Submission]] = {}
    for (phase, seat), row in newest.items():
        if row.counts:
            found.setdefault(phase, {})[seat] = row
    return found


def standing(seat: Seat, phase: Phase) -> Submission | None:
    """The one of `in_force` that is a seat's."""
    if seat.team and teams.by_vote(phase.game):
        return in_force(phase).get(seat.nation)
    newest: Submission | None = (
        phase.submissions.filter(_DECIDING, seat=seat).order_by("-number").first()
    )
    if newest is None or not newest.counts:
        return None
    newest.seat = seat
    return newest


def texts_in_force(phase: Phase) -> dict[str, str]:
    """Nation to order text, as sent; under orders.amend = merge_lines what a nation has sent is put
    together in order, and of a team that votes the lines that most of its members have sent."""
    return {nation: one.text for nation, one in stands(phase).items()}


def stands(phase: Phase) -> dict[str, team_rule.InForce]:
    """What is in force of each nation that has anything, as the rules put it together: what the
    leaves of the digest are made of."""
    game = phase.game
    votes_count, merging = teams.by_vote(game), game.options["orders.amend"] == "merge_lines"
    if (
        not votes_count and not merging
    ):  # each nation's newest holds as it is, and the others need not be read
        newest = in_force(phase).items()
        return {
            nation: team_rule.InForce(row.text, row.number, row.salt, row.final)
            for nation, row in newest
        }
    rows = [
        _as_sent(row)
        for row in phase.submissions.filter(_DECIDING).select_related("seat").order_by("number")
    ]
    held = teams.of_phase(phase) if votes_count else {}
    return team_rule.in_force(
        game.rules, lambda: positions.state_of(phase), game.options, rows, held
    )


def tally(seat: Seat, phase: Phase) -> tuple[team_rule.Tally, ...]:
    """Of a team that votes every line that one of its members has sent, by whom, and whether it
    counts as the votes stand."""
    held = teams.of_phase(phase) if teams.by_vote(phase.game) else {}
    if seat.nation not in held:
        return ()
    rows = [
        _as_sent(row)
        for row in (
            phase.submissions.filter(_DECIDING, seat=seat).select_related("seat").order_by("number")
        )
    ]
    game = phase.game
    return team_rule.tallies(
        game.rules,
        lambda: positions.state_of(phase),
        game.options,
        rows,
        {seat.nation: held[seat.nation]},
    )[seat.nation]


def own_text(seat: Seat, phase: Phase, person: Person) -> str:
    """What somebody would send anew for a seat: what is in force, or in a team his own vote or
    proposal; empty where there is none."""
    sender = member_of(seat, phase, person)
    if sender is not None and teams.by_vote(phase.game):
        vote = votes(phase).get(seat.nation, {}).get(sender.number)
        return vote.text if vote is not None else ""
    if sender is not None and teams.has_spokesman(phase.game) and not sender.spokesman:
        rows = (
            phase.submissions.filter(seat=seat, person=person, proposal=True)
            .exclude(understood=[])
            .order_by("-number")
        )
        if (proposed := rows.first()) is not None:
            return str(proposed.text)
    return texts_in_force(phase).get(seat.nation, "")


def nations_in_force(phases: Iterable[int]) -> set[tuple[int, str]]:
    """Return phase and nation of all orders in force in these phases, by one query. What a team's
    votes come to is not asked: it counts as having sent where the newest vote stands."""
    rows = Submission.objects.filter(_DECIDING, phase__in=list(phases)).order_by("number")
    newest = {
        (phase, nation): counts
        for phase, nation, counts in rows.values_list("phase_id", "seat__nation", "counts")
    }
    return {place for place, counts in newest.items() if counts}


def sent_since(seat: Seat, phase: Phase, since: datetime) -> QuerySet[Submission]:
    """Return what came after an instant and decides what of a seat is in force, the newest
    first."""
    rows = phase.submissions.filter(_DECIDING, seat=seat, received_at__gt=since)
    return rows.order_by("-number")


def _as_sent(row: Submission) -> team_rule.Sent:
    return team_rule.Sent(
        row.number, row.seat.nation, row.text, row.counts, row.late, row.final, row.salt, row.member
    )


def _voted(phase: Phase) -> Mapping[str, team_rule.InForce | None]:
    """Of each nation whose team votes what that comes to; None where it comes to nothing."""
    if not teams.by_vote(phase.game):
        return {}
    held = teams.of_phase(phase)
    found = stands(phase) if held else {}
    return {nation: found.get(nation) for nation in held}


def votes(phase: Phase) -> dict[str, dict[int, Submission]]:
    """Of each nation whose team votes the set of each member that counts: the newest that he has
    not taken back, by his number."""
    held = teams.of_phase(phase) if teams.by_vote(phase.game) else {}
    found: dict[str, dict[int, Submission]] = {nation: {} for nation in held}
    for row in (
        phase.submissions.filter(_DECIDING, seat__nation__in=held)
        .select_related("seat", "person")
        .order_by("number")
    ):
        own = found[row.seat.nation]
        if not row.member:
            own.clear()
        elif row.withdraws:
            own.pop(row.member, None)
        else:
            own[row.member] = row
    return found


def member_of(seat: Seat, phase: Phase, person: Person) -> teams.Member | None:
    """Who somebody is in the team that sends for a seat: that which holds it, or that of the nation
    which controls it in the phase."""
    return teams.member(next(iter(permissions.controlling(seat, phase)), seat), person)


def newest_sheet(phase: Phase) -> Any:
    """The sheet (a submission) that stands in a phase that waits for one, or None."""
    return in_force(phase).get(REFEREE_SEAT)


def awaits_sheet(phase: Phase) -> bool:
    """Whether everybody waits for the gamesmaster: the phase is open and no sheet has come for
    it."""
    return phase.status == Phase.Status.OPEN and phase.due_at is None and phase.sheeted


def sealed(phase: Phase) -> dict[str, tuple[str, str]]:
    """Nation to salt and text of its orders in force: what its leaf in the digest is made of.
    Nobody else's until the game is over."""
    return {nation: (one.salt, one.text) for nation, one in stands(phase).items()}
