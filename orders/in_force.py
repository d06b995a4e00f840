"""Read which orders of a phase are in force, and what a team's votes come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max, Q, QuerySet

from games import permissions, positions
from games.models import Game, Person, Phase, Seat
from games.rules import REFEREE_SEAT
from games.rules import teams as team_rule
from games.rules.verification import record
from games.seats import teams
from orders.models import Submission

#: What decides of a seat's submissions which is in force: the newest of those that count or take
# back, if it is one that counts.
_DECIDING = Q(counts=True) | Q(text=record.CANCELLED, late=False)


def deciding(
    phases: Iterable[Phase], submissions: QuerySet[Submission] | None = None
) -> dict[int, list[Submission]]:
    """The submissions that decide what is in force in each of these phases, in order: of a seat
    the newest alone, but all where votes or lines are put together. They are read as
    `submissions` reads them, else with their seats."""
    if submissions is None:
        submissions = Submission.objects.select_related("seat")
    found: dict[int, list[Submission]] = {}
    whole: list[int] = []
    newest: list[int] = []
    for phase in phases:
        found[phase.pk] = []
        (whole if _combines_lines(phase.game) else newest).append(phase.pk)
    rows: list[Submission] = []
    if newest:
        by_seat = Submission.objects.filter(_DECIDING, phase__in=newest).order_by()
        last = by_seat.values("phase", "seat").annotate(newest=Max("pk")).values("newest")
        rows += submissions.filter(pk__in=last).order_by("number")
    if whole:
        rows += submissions.filter(_DECIDING, phase__in=whole).order_by("number")
    for row in rows:
        found[row.phase_id].append(row)
    return found


def _combines_lines(game: Game) -> bool:
    return teams.by_vote(game) or game.options["orders.amend"] == "merge_lines"


def in_force(phase: Phase) -> dict[str, Submission]:
    """Return the newest submission that counts, by nation.

    If a team votes it is the newest vote, if the votes come to anything; its `final` is then the
    team's (games.rules.teams).
    """
    rows = deciding([phase])[phase.pk]
    newest = {row.seat.nation: row for row in rows}
    found = {nation: row for nation, row in newest.items() if row.counts}
    held = teams.of_phase(phase) if teams.by_vote(phase.game) else {}
    together = combine(phase, rows, held, lambda: positions.state_of(phase)) if held else {}
    for nation in held:
        found.pop(nation, None)
        if nation in together:
            stands = together[nation]
            found[nation] = next(row for row in rows if row.number == stands.number)
            found[nation].final = stands.final
    return found


def in_force_of(seat: Seat, phase: Phase) -> Submission | None:
    """Return the submission of a seat that is in force, or None."""
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
    """Return the order texts in force, as sent, by nation.

    Under orders.amend = merge_lines all of a nation's texts in order; of a team that votes the
    lines that most members sent.
    """
    return {nation: one.text for nation, one in orders_in_force(phase).items()}


def orders_in_force(phase: Phase) -> dict[str, team_rule.InForce]:
    """Return the orders in force by nation, combined by the rules; the digest is computed from
    them.
    """
    held = teams.of_phase(phase) if teams.by_vote(phase.game) else {}
    rows = deciding([phase])[phase.pk]
    return combine(phase, rows, held, lambda: positions.state_of(phase))


def combine(
    phase: Phase,
    rows: Iterable[Submission],
    held: Mapping[str, Sequence[int]],
    state: Callable[[], Any],
) -> dict[str, team_rule.InForce]:
    """Return the orders in force from the submissions that decide (`deciding`).

    `held`: nations held by teams, with the numbers of their members; `state`: in which the phase is
    played.
    """
    game = phase.game
    if not _combines_lines(game):
        newest = {row.seat.nation: row for row in rows}
        return {
            nation: team_rule.InForce(row.text, row.number, row.salt, row.final)
            for nation, row in newest.items()
            if row.counts
        }
    sent = [_sent(row) for row in rows]
    return team_rule.in_force(
        game.rules, state, game.options, sent, held if teams.by_vote(game) else {}
    )


def tally(seat: Seat, phase: Phase) -> tuple[team_rule.Tally, ...]:
    """Return every line that a member of a voting team sent, by whom, and whether it counts now."""
    held = teams.of_phase(phase) if teams.by_vote(phase.game) else {}
    if seat.nation not in held:
        return ()
    rows = [
        _sent(row)
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


def own_text(seat: Seat, phase: Phase, person: Person, standing: Submission | None = None) -> str:
    """Return what a person would edit for a seat: orders in force, or their own vote or
    proposal.

    `standing`: the orders in force (`in_force_of`), from a caller that has them.
    """
    if not seat.team and not seat.by_table and not _combines_lines(phase.game):
        standing = standing or in_force_of(seat, phase)
        return standing.text if standing is not None else ""
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
    """Return phase and nation of all orders in force in these phases, by one query.

    Votes are not counted: a team has sent orders if its newest vote stands.
    """
    rows = Submission.objects.filter(_DECIDING, phase__in=list(phases)).order_by("number")
    newest = {
        (phase, nation): counts
        for phase, nation, counts in rows.values_list("phase_id", "seat__nation", "counts")
    }
    return {place for place, counts in newest.items() if counts}


def newer_submissions(seat: Seat, phase: Phase, since: datetime) -> QuerySet[Submission]:
    """Return the submissions after an instant that decide for a seat, newest first."""
    rows = phase.submissions.filter(_DECIDING, seat=seat, received_at__gt=since)
    return rows.order_by("-number")


def newest(seat: Seat, phase: Phase, sender: teams.Member | None) -> Submission | None:
    """Return the orders that new ones of this sender would replace or add to, or None.

    In a team that votes, their own vote. A member who may only propose replaces nothing.
    """
    rows = phase.submissions.filter(_DECIDING, seat=seat)
    if sender is not None and teams.has_spokesman(phase.game) and not sender.spokesman:
        return None
    if sender is not None and teams.by_vote(phase.game):
        rows = rows.filter(member__in=(sender.number, 0))
    row: Submission | None = rows.select_related("person").order_by("-number").first()
    return row if row is not None and row.counts else None


def replaced_submission(submission: Submission) -> Submission | None:
    """Return the orders that a submission replaced, or None."""
    if not submission.counts:
        return None
    rows = submission.phase.submissions.filter(
        _DECIDING, seat=submission.seat_id, number__lt=submission.number
    )
    if teams.by_vote(submission.game):
        rows = rows.filter(member__in=(submission.member, 0))
    row: Submission | None = rows.select_related("person").order_by("-number").first()
    return row if row is not None and row.counts else None


def _sent(row: Submission) -> team_rule.Sent:
    return team_rule.Sent(
        row.number, row.seat.nation, row.text, row.counts, row.late, row.final, row.salt, row.member
    )


def votes(phase: Phase) -> dict[str, dict[int, Submission]]:
    """Return each member's newest vote that is not withdrawn, by nation and member number."""
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
    """Return the member that a person is in the team that sends for a seat, or None.

    That is the seat's team, or the team of the nation that controls it in the phase.
    """
    return teams.member(next(iter(permissions.controlling(seat, phase)), seat), person)


def newest_sheet(phase: Phase) -> Any:
    """Return the report (a submission) that counts in a phase that waits for one, or None."""
    return in_force(phase).get(REFEREE_SEAT)


def awaits_sheet(phase: Phase) -> bool:
    """Return whether the game waits for the gamesmaster's report: open, and none has arrived."""
    return phase.status == Phase.Status.OPEN and phase.due_at is None and phase.sheeted


def salted_texts(phase: Phase) -> dict[str, tuple[str, str]]:
    """Return salt and text of the orders in force by nation: the preimages of the digest's leaves.

    Secret until the game is over.
    """
    return {nation: (one.salt, one.text) for nation, one in orders_in_force(phase).items()}
