"""Read which orders of a phase are in force, and the result of a team's votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from games import permissions, positions
from games.models import Game, Person, Phase, Seat
from games.positions import final_marks
from games.rules import REFEREE_SEAT, doubts
from games.rules import teams as team_rule
from games.rules.verification import record
from games.seats import teams
from orders.models import Submission

#: The submissions that decide what is in force for a seat: those that count, and withdrawals in
#: time. The newest of them is in force, unless it is a withdrawal.
DECIDING = Q(counts=True) | Q(text=record.CANCELLED, late=False)
#: Orders in doubt, and a member's proposals, which settle what was in doubt before.
_ASKING = Q(late=False) & (Q(doubt__isnull=False) | (Q(proposal=True) & ~Q(understood=[])))
#: The newest of the former of each seat in some phases. Raw SQL, because most pages of a game ask
#: it, and Django takes as long to build it as to read the submissions.
_NEWEST = """
    SELECT MAX(sent.id) FROM orders_submission sent
    WHERE sent.phase_id IN ({}) AND (sent.counts OR (sent.text = %s AND NOT sent.late))
    GROUP BY sent.phase_id, sent.seat_id
"""
#: The newest of the former of one seat in a phase, for the same reason; and those of the latter.
_NEWEST_OF_SEAT = """
    SELECT sent.id FROM orders_submission sent
    WHERE sent.phase_id = %s AND sent.seat_id = %s
        AND (sent.counts OR (sent.text = %s AND NOT sent.late){})
    ORDER BY sent.number DESC LIMIT {}
"""
_OR_ASKING = """ OR (NOT sent.late
    AND (sent.doubt IS NOT NULL OR (sent.proposal AND sent.understood <> '[]')))"""


def deciding(
    phases: Iterable[Phase], submissions: QuerySet[Submission] | None = None
) -> dict[int, list[Submission]]:
    """Return the submissions that decide what is in force in each of these phases, in order.

    For each seat only the newest, but all of them where votes or lines are combined. `submissions`
    is the queryset to read them from; by default, submissions with their seats.
    """
    phases = list(phases)
    seats: dict[int, Seat] = {}
    if submissions is None and all(phase.game.seats_read is not None for phase in phases):
        seats = {seat.pk: seat for phase in phases for seat in phase.game.seats_read or ()}
        submissions = Submission.objects.all()
    elif submissions is None:
        submissions = Submission.objects.select_related("seat")
    rows_by_phase: dict[int, list[Submission]] = {phase.pk: [] for phase in phases}
    combined_phases = [phase.pk for phase in phases if _combines_lines(phase.game)]
    newest_only_phases = [phase.pk for phase in phases if not _combines_lines(phase.game)]
    rows: list[Submission] = []
    # Sorted here: to order wide rows costs Django more than to read a few.
    if newest_only_phases:
        newest = _NEWEST.format(", ".join(["%s"] * len(newest_only_phases)))
        ids = RawSQL(newest, [*newest_only_phases, record.CANCELLED])
        rows += submissions.filter(pk__in=ids).order_by()
    if combined_phases:
        rows += submissions.filter(DECIDING, phase__in=combined_phases).order_by()
    phases_by_pk = {phase.pk: phase for phase in phases}
    for row in sorted(rows, key=attrgetter("number")):
        row.phase = phases_by_pk[row.phase_id]
        if seats:
            row.seat = seats[row.seat_id]
        rows_by_phase[row.phase_id].append(row)
    final_marks.lapse(rows)
    return rows_by_phase


def _combines_lines(game: Game) -> bool:
    return teams.decides_by_vote(game) or game.options["orders.amend"] == "merge_lines"


def questions(phases: Sequence[Phase]) -> dict[int, list[doubts.Sent]]:
    """Return by phase what decides which orders in doubt count at the deadline, in order.

    These are the orders in doubt that came in time, and what settles them. Phases without orders in
    doubt are left out.
    """
    asked = Q(doubt__isnull=False, late=False)
    rows = Submission.objects.filter(asked | DECIDING, phase__in=[phase.pk for phase in phases])
    by_phase: dict[int, list[doubts.Sent]] = {}
    for phase, number, nation, counts, text, doubt in rows.order_by("number").values_list(
        "phase", "number", "seat__nation", "counts", "text", "doubt"
    ):
        settles = counts or text == record.CANCELLED
        item = doubts.Sent(number, nation, None if settles else doubts.from_json(doubt))
        by_phase.setdefault(phase, []).append(item)
    return {
        phase: items
        for phase, items in by_phase.items()
        if any(item.doubt is not None for item in items)
    }


def open_question(seat: Seat, phase: Phase, person: Person | None) -> Submission | None:
    """Return the orders in doubt that wait for an answer, or None.

    In a team, those of this person. What a seat sends later that counts settles them, or that is
    in doubt itself.
    """
    if not phase.takes_orders:
        return None
    rows = phase.submissions.filter(DECIDING | _ASKING, seat=seat)
    sender = member_of(seat, phase, person) if person is not None else None
    if sender is not None:
        rows = rows.filter(member__in=(sender.number, 0))
    newest: Submission | None = rows.order_by("-number").first()
    if newest is None or newest.doubt is None:
        return None
    newest.seat, newest.phase, newest.game = seat, phase, phase.game
    return newest


def standing_and_question(
    seat: Seat, phase: Phase, person: Person
) -> tuple[Submission | None, Submission | None]:
    """Return the submission of a seat that is in force and the orders in doubt that wait for an
    answer of this person (`submission_in_force`, `open_question`), each or None.

    By one query, unless something is in doubt or a team sends the seat's orders.
    """
    if not seat.team and member_of(seat, phase, person) is None:
        newest = next(iter(_newest_of_seat(seat, phase, or_asking=True)), None)
        if newest is None:
            return None, None
        if newest.counts:
            return newest, None
    return submission_in_force(seat, phase), open_question(seat, phase, person)


def _newest_of_seat(
    seat: Seat, phase: Phase, *, most: int = 1, or_asking: bool = False
) -> list[Submission]:
    """Return the newest submissions of a seat in a phase that decide (`DECIDING`), or also those
    that ask (`_ASKING`), the newest first."""
    statement = _NEWEST_OF_SEAT.format(_OR_ASKING if or_asking else "", most)
    ids = RawSQL(statement, [phase.pk, seat.pk, record.CANCELLED])
    rows = list(phase.submissions.filter(pk__in=ids).order_by())
    for row in rows:
        row.seat = seat
    final_marks.lapse(rows)
    return sorted(rows, key=attrgetter("number"), reverse=True)


def counts_at_deadline(question: Submission, state: Any) -> bool:
    """Return whether orders in doubt count if nothing else comes and nothing else is in force.

    `state`: the state in which their phase is played.
    """
    game, phase, nation = question.game, question.phase, question.seat.nation
    asked = [doubts.Sent(question.number, nation, question.question)]
    members_by_nation = teams.teams_of_phase(phase)
    return phase.has_deadline and bool(
        doubts.counting(game.rules, state, game.options, asked, (), members_by_nation)
    )


def in_force(phase: Phase) -> dict[str, Submission]:
    """Return the newest submission that counts, by nation.

    For a team that votes, it is the newest vote if the votes yield any orders; its `final` is then
    the team's (games.rules.teams).
    """
    rows = deciding([phase])[phase.pk]
    newest = {row.seat.nation: row for row in rows}
    submissions = {nation: row for nation, row in newest.items() if row.counts}
    members_by_nation = teams.teams_of_phase(phase) if teams.decides_by_vote(phase.game) else {}
    combined = (
        combine(phase, rows, members_by_nation, lambda: positions.state_of_orders(phase))
        if members_by_nation
        else {}
    )
    for nation in members_by_nation:
        submissions.pop(nation, None)
        if nation in combined:
            combined_orders = combined[nation]
            submissions[nation] = next(row for row in rows if row.number == combined_orders.number)
            submissions[nation].final = combined_orders.final
    return submissions


def submission_in_force(seat: Seat, phase: Phase) -> Submission | None:
    """Return the submission of a seat that is in force, or None."""
    if teams.decides_by_vote(phase.game):  # for the seat, or for one that the team controls
        return in_force(phase).get(seat.nation)
    newest = newest_decision(seat, phase)
    return newest if newest is not None and newest.counts else None


def texts_in_force(phase: Phase) -> dict[str, str]:
    """Return the order texts in force, as they are judged, by nation.

    With orders.amend = merge_lines, all texts of a nation in order; for a team that votes, the
    lines that most members sent. What another edition of the reader read stands in canonical lines.
    """
    return {nation: orders.judged for nation, orders in orders_in_force(phase).items()}


def orders_in_force(phase: Phase) -> dict[str, team_rule.OrdersInForce]:
    """Return the orders in force by nation, combined by the rules.

    The digest is computed from them.
    """
    members_by_nation = teams.teams_of_phase(phase) if teams.decides_by_vote(phase.game) else {}
    rows = deciding([phase])[phase.pk]
    return combine(phase, rows, members_by_nation, lambda: positions.state_of_orders(phase))


def combine(
    phase: Phase,
    rows: Iterable[Submission],
    held: Mapping[str, Sequence[int]],
    state: Callable[[], Any],
) -> dict[str, team_rule.OrdersInForce]:
    """Return the orders in force, computed from the submissions that decide (`deciding`).

    `held`: nations held by teams, with the numbers of their members. `state` returns the state in
    which orders are put together (`positions.state_of_orders`).
    """
    game = phase.game
    if not _combines_lines(game):
        newest = {row.seat.nation: row for row in rows}
        return {
            nation: team_rule.OrdersInForce(row.text, row.number, row.salt, row.final, row.judged)
            for nation, row in newest.items()
            if row.counts
        }
    sent = [_team_submission(row) for row in rows]
    return team_rule.in_force(
        game.rules, state, game.options, sent, held if teams.decides_by_vote(game) else {}
    )


def tally(seat: Seat, phase: Phase) -> tuple[team_rule.Tally, ...]:
    """Return each line from a voting team, with the members who sent it and whether it counts."""
    members_by_nation = teams.teams_of_phase(phase) if teams.decides_by_vote(phase.game) else {}
    if seat.nation not in members_by_nation:
        return ()
    rows = phase.submissions.filter(DECIDING, seat=seat).select_related("seat").order_by("number")
    return team_rule.tallies(
        phase.game.rules,
        lambda: positions.state_of_orders(phase),
        phase.game.options,
        [_team_submission(row) for row in rows],
        {seat.nation: members_by_nation[seat.nation]},
    )[seat.nation]


def own_text(seat: Seat, phase: Phase, person: Person, standing: Submission | None) -> str:
    """Return the text that a person would edit for a seat.

    That is the orders in force, or in a team the person's own vote or proposal. `standing`: the
    orders in force (`submission_in_force`).
    """
    if not seat.team and not seat.by_table and not _combines_lines(phase.game):
        return standing.text if standing is not None else ""
    sender = member_of(seat, phase, person)
    if sender is not None and teams.decides_by_vote(phase.game):
        vote = votes(phase).get(seat.nation, {}).get(sender.number)
        return vote.text if vote is not None else ""
    if sender is not None and teams.has_spokesman(phase.game) and not sender.spokesman:
        rows = (
            phase.submissions.filter(seat=seat, person=person, proposal=True)
            .exclude(understood=[])
            .order_by("-number")
        )
        if (proposal := rows.first()) is not None:
            return str(proposal.text)
    standing_orders = orders_in_force(phase).get(seat.nation)
    return standing_orders.text if standing_orders is not None else ""


def nations_in_force(phases: Iterable[int]) -> set[tuple[int, str]]:
    """Return phase and nation of all orders in force in these phases, in one query.

    Votes are not counted: a team has sent orders if its newest vote has not been withdrawn.
    """
    rows = Submission.objects.filter(DECIDING, phase__in=list(phases)).order_by("number")
    newest = {
        (phase, nation): counts
        for phase, nation, counts in rows.values_list("phase_id", "seat__nation", "counts")
    }
    return {place for place, counts in newest.items() if counts}


def newest_decision(seat: Seat, phase: Phase) -> Submission | None:
    """Return the newest submission of a seat that decides: its orders in force, or a withdrawal."""
    return next(iter(_newest_of_seat(seat, phase)), None)


def newer_submissions(
    seat: Seat, phase: Phase, received: datetime, known: datetime
) -> list[Submission]:
    """Return the submissions that decide for a seat and are newer than a message, newest first.

    They arrived after it was `received`, or people sent them after the instant until which its
    sender can have `known` of them.
    """
    rows = phase.submissions.filter(DECIDING, seat=seat, received_at__gt=min(received, known))
    return [
        row
        for row in rows.order_by("-number")
        if row.received_at > received
        or (row.channel != Submission.Channel.PROGRAM and row.sent_at > known)
    ]


def newest(seat: Seat, phase: Phase, sender: teams.Member | None) -> Submission | None:
    """Return the orders that new ones of this sender would replace or add to, or None.

    For a member of a team that votes, their own vote. A member who may only propose replaces
    nothing.
    """
    rows = phase.submissions.filter(DECIDING, seat=seat)
    if sender is not None and teams.has_spokesman(phase.game) and not sender.spokesman:
        return None
    if sender is not None and teams.decides_by_vote(phase.game):
        rows = rows.filter(member__in=(sender.number, 0))
    row: Submission | None = rows.order_by("-number").first()
    return row if row is not None and row.counts else None


def replaced_submission(submission: Submission) -> Submission | None:
    """Return the orders that a submission replaced, or None."""
    if not submission.counts:
        return None
    rows = submission.phase.submissions.filter(
        DECIDING, seat=submission.seat_id, number__lt=submission.number
    )
    if teams.decides_by_vote(submission.game):
        rows = rows.filter(member__in=(submission.member, 0))
    row: Submission | None = rows.order_by("-number").first()
    return row if row is not None and row.counts else None


def standing_and_replaced(
    submission: Submission,
) -> tuple[Submission | None, Submission | None]:
    """Return the submission that is in force for the seat of this one, and the one that this one
    replaced (`submission_in_force`, `replaced_submission`), each or None.

    By one query if this is the seat's newest.
    """
    seat, phase = submission.seat, submission.phase
    if not teams.decides_by_vote(phase.game):
        newest = _newest_of_seat(seat, phase, most=2)
        if newest and newest[0].number == submission.number:
            replaced = newest[1] if submission.counts and len(newest) > 1 else None
            return (
                newest[0] if submission.counts else None,
                replaced if replaced is not None and replaced.counts else None,
            )
    return submission_in_force(seat, phase), replaced_submission(submission)


def _team_submission(row: Submission) -> team_rule.TeamSubmission:
    return team_rule.TeamSubmission(
        row.number,
        row.seat.nation,
        row.text,
        row.counts,
        row.late,
        row.final,
        row.salt,
        row.member,
        row.before,
    )


def votes(phase: Phase) -> dict[str, dict[int, Submission]]:
    """Return each member's newest vote that is not withdrawn, by nation and member number.

    Also those of members who have left, which count for nothing.
    """
    members_by_nation = teams.teams_of_phase(phase) if teams.decides_by_vote(phase.game) else {}
    if not members_by_nation:
        return {}
    votes_by_nation: dict[str, dict[int, Submission]] = {nation: {} for nation in members_by_nation}
    sent = phase.submissions.filter(DECIDING, seat__nation__in=members_by_nation)
    rows = list(sent.select_related("seat", "person").order_by("number"))
    final_marks.lapse(rows)
    for row in rows:
        votes_by_member = votes_by_nation[row.seat.nation]
        if not row.member:
            votes_by_member.clear()
        elif row.withdraws:
            votes_by_member.pop(row.member, None)
        else:
            votes_by_member[row.member] = row
    return votes_by_nation


def member_of(seat: Seat, phase: Phase, person: Person) -> teams.Member | None:
    """Return the person's membership in the team that sends for a seat, or None.

    That is the seat's team, or the team of the nation that controls it in the phase.
    """
    return teams.member(next(iter(permissions.controlling_seats(seat, phase)), seat), person)


def referee_report(phase: Phase) -> Any:
    """Return the gamesmaster's report (a submission) that counts in a refereed phase, or None."""
    return in_force(phase).get(REFEREE_SEAT)


def is_report_owed(phase: Phase) -> bool:
    """Return whether an open phase waits for the gamesmaster's report and none has arrived."""
    return phase.status == Phase.Status.OPEN and phase.due_at is None and not phase.has_deadline


def salted_texts(phase: Phase) -> dict[str, tuple[str, str]]:
    """Return salt and text of the orders in force by nation: the preimages of the digest's leaves.

    Secret until the game is over.
    """
    return {nation: (orders.salt, orders.text) for nation, orders in orders_in_force(phase).items()}
