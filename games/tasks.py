"""The list of jobs of each tick, handed to workers (`tick`) or done in this process (`do_all_due`,
for `manage.py tick`).

The tables are the queues; Celery only wakes the workers. A task has the name of a job, ids and a
lease's token; everything else is looked up when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from celery import shared_task
from django.db import connection

from games.base import clock, ending, logs, stack
from games.desk import closure_evidence, demonstration, practice, votes
from games.letters import sending
from games.models import Game, MarketClosure, Notice, Phase, Pulse, service
from games.operations.personal import retention
from games.turns import clock_rollback, outage_credit, process, reminders, witnessing
from games.turns import queue as turns_queue
from games.webhooks import delivery as notices
from orders.inbound import handle
from orders.inbound import queue as mail
from orders.intake import ahead, bargaining, bots, stock_checks
from orders.models import Handling, StockCheck

#: How much workers may hold at once. More would wait in the queue until its lease expired, and be
#: handed out again for nothing.
PHASES_IN_FLIGHT = 2000
LETTERS_IN_FLIGHT = 2000
LETTERS_A_TASK = 200
#: The pulse of the ticks, and that of those which went through all jobs.
TICK, ALL_JOBS = "tick", "all jobs"
#: How often a tick goes through all jobs though nothing seems due: for hourly jobs, bots that have
#: thought for hours, phases overdue for minutes, and what was committed while a tick was at work.
AT_REST = timedelta(minutes=1)
#: Whether anything may be due: a row of a queue, a reminder, a vote, an outage; ticks that stopped,
#: or whose clock was ahead; or a new entry of a record since a tick went through all jobs, because
#: each phase that opens and each change of a seat or deadline writes one. Raw SQL, because Django
#: takes 10 times as long to build this query, each second, as the database to answer it. Games are
#: subqueries, because with joins SQLite looks through all that run; the newest entry is a
#: maximum, because PostgreSQL expects a third of a table to be newer than an instant that it does
#: not know, and reads it from end to end.
DUE = """
    SELECT EXISTS (SELECT 1 FROM games_phase phase WHERE phase.due_at <= %(now)s
            AND (SELECT status FROM games_game WHERE id = phase.game_id) = %(running)s)
        OR EXISTS (SELECT 1 FROM games_phase phase WHERE phase.remind_at <= %(now)s
            AND phase.status = %(open)s
            AND (SELECT status FROM games_game WHERE id = phase.game_id) = %(running)s)
        OR EXISTS (SELECT 1 FROM games_phase WHERE witness_at <= %(now)s)
        OR EXISTS (SELECT 1 FROM orders_handling WHERE due_at <= %(now)s)
        OR EXISTS (SELECT 1 FROM games_letter WHERE due_at <= %(now)s)
        OR EXISTS (SELECT 1 FROM games_notice WHERE due_at <= %(now)s)
        OR EXISTS (SELECT 1 FROM orders_stockcheck WHERE due_at <= %(now)s)
        OR EXISTS (SELECT 1 FROM games_marketclosure WHERE due_at <= %(now)s AND removed_at IS NULL)
        OR EXISTS (SELECT 1 FROM games_motion vote WHERE vote.due_at <= %(now)s
            AND vote.closed_at IS NULL
            AND (SELECT status FROM games_game WHERE id = vote.game_id) <> %(paused)s)
        OR EXISTS (SELECT 1 FROM games_outage WHERE credited_at IS NULL AND until <= %(now)s)
        OR (SELECT MAX(made_at) FROM games_recordentry) >=
            (SELECT at FROM games_pulse WHERE name = %(all_jobs)s)
        OR NOT EXISTS (SELECT 1 FROM games_pulse
            WHERE name = %(all_jobs)s AND at > %(rested)s AND at <= %(now)s)
        OR NOT EXISTS (SELECT 1 FROM games_pulse
            WHERE name = %(tick)s AND at >= %(silent)s AND at <= %(ahead)s)
"""
_NAMES = {
    "tick": TICK,
    "all_jobs": ALL_JOBS,
    "running": Game.Status.RUNNING.value,
    "paused": Game.Status.PAUSED.value,
    "open": Phase.Status.OPEN.value,
}


@dataclass(frozen=True)
class Once:
    """Work that a tick does once, in its own process, however often it goes through its jobs."""

    do: Callable[[datetime], object]


@dataclass(frozen=True)
class Quick:
    """Work that a tick does in its own process.

    `do` returns how much it did that may have made something else due.
    """

    do: Callable[[datetime], int]


@dataclass(frozen=True)
class Claimed:
    """Work for workers: lease due rows, process them, and release those that no worker got."""

    claim: Callable[[datetime], tuple[str, list[int]]]
    do: Callable[[list[int], str, datetime], object]
    release: Callable[[list[int], str], object]
    a_task: int = 100


def _claim_phases(now: datetime) -> tuple[str, list[int]]:
    return turns_queue.claim(now, PHASES_IN_FLIGHT - turns_queue.count_in_flight(now))


def _claim_letters(now: datetime) -> tuple[str, list[int]]:
    """Claim all letters at once, because each claim has to sort everything that is due."""
    return sending.claim(now, LETTERS_IN_FLIGHT - sending.count_in_flight(now))


def _handle_mail(handlings: list[int], token: str, now: datetime) -> None:
    for handling in handlings:
        handle.handle_mail(handling, token, now)


def _write_pulse(now: datetime, name: str = TICK) -> None:
    if not Pulse.objects.filter(name=name).update(at=now):
        Pulse.objects.update_or_create(name=name, defaults={"at": now})


#: All that a tick does, in this order.
JOBS: dict[str, Once | Quick | Claimed] = {
    # Before any deadline is enforced, and before this tick's pulse hides the last one.
    "clock rollback": Once(clock_rollback.undo_clock_jump),
    "outage credit": Once(outage_credit.credit_time),
    # Before any phase is locked: orders ahead were stored before the phase opened.
    "orders ahead": Quick(ahead.enter),
    # Before phases: a lock waits for mail that arrived in time.
    "mail": Claimed(mail.claim, _handle_mail, Handling.objects.release),
    # Before slow jobs.
    "phases": Claimed(_claim_phases, process.process, Phase.objects.release, process.AT_ONCE),
    "letters": Claimed(_claim_letters, sending.send, sending.release, LETTERS_A_TASK),
    "stock checks": Claimed(stock_checks.claim, stock_checks.check, StockCheck.objects.release),
    "closures": Claimed(
        closure_evidence.claim, closure_evidence.check, MarketClosure.objects.release
    ),
    "witnesses": Claimed(witnessing.claim, witnessing.take, witnessing.release),
    "notices": Claimed(notices.claim, notices.send, Notice.objects.release),
    # After everything whose failure must show as a tick that did not come.
    "pulse": Once(_write_pulse),
    "bargaining": Quick(bargaining.bargain),
    "bots": Quick(bots.play),
    "practice games": Quick(practice.look_after),
    "demonstration": Quick(demonstration.begin_another_to_watch),
    "reminders": Quick(reminders.remind),
    "votes": Quick(votes.carry_out_due),
    "retention": Once(retention.look_after),
    # Last: after a failure the next tick goes through all jobs again.
    "all jobs": Once(partial(_write_pulse, name=ALL_JOBS)),
}


# The names are only names: during an upgrade the queue has calls of the other version.
@shared_task(name="games.tasks.tick")
def tick() -> None:
    """Hand out due work. Beat calls this every second; calling it twice does no harm."""
    if not _may_run():
        return
    now = clock.now()
    if may_be_due(now):
        _go_through(now, do_job.delay)
    else:
        _write_pulse(now)


@shared_task(name="games.tasks.do_job")
def do_job(name: str, ids: list[int], token: str) -> None:
    _do(name, ids, token, clock.now())


def do_all_due(now: datetime) -> int:
    """Do everything that is due in this process, until nothing is left. Return how many.

    It goes through the jobs again only as far as the last that had anything to do: those after it
    have been asked since.
    """

    def do_here(name: str, ids: list[int], token: str) -> None:
        _do(name, ids, token, now)

    if not _may_run():
        return 0
    total, last = _go_through(now, do_here)
    while last:
        count, last = _go_through(now, do_here, again_until=last)
        total += count
    return total


def may_be_due(now: datetime) -> bool:
    """Return whether a tick has to go through its jobs.

    The cost must not depend on the number of running games: an idle service asks this each second.
    """
    instants = {
        "now": now,
        "rested": now - AT_REST,
        "silent": now - outage_credit.SILENT,
        "ahead": now + clock_rollback.SLACK,
    }
    adapted = {name: connection.ops.adapt_datetimefield_value(at) for name, at in instants.items()}
    with connection.cursor() as cursor:
        cursor.execute(DUE, {**adapted, **_NAMES})
        return bool(cursor.fetchone()[0])


def _may_run() -> bool:
    """Return whether work may be handed out: not after a restore that nobody has released yet.

    Nor by a process that is asked to end: what it claims in memory would wait for its lease.
    """
    return not ending.is_asked() and service.current() is None


def _go_through(
    now: datetime, hand_out: Callable[[str, list[int], str], object], *, again_until: str = ""
) -> tuple[int, str]:
    """Go through the jobs of a tick. Return how much was due, and the last job that had any.

    `again_until`: go through them again, as far as this job if none of them has anything to do.
    """
    total, last = 0, ""
    for name, job in JOBS.items():
        count = 0
        match job:
            case Once():
                if not again_until:
                    job.do(now)
            case Quick():
                count = job.do(now)
            case Claimed():
                count = _hand_out_rows(name, job, now, hand_out)
        if count:
            total, last = total + count, name
        elif name == again_until and not last:
            break
    return total, last


def _hand_out_rows(
    name: str, job: Claimed, now: datetime, hand_out: Callable[[str, list[int], str], object]
) -> int:
    """Claim the due rows of a job and hand them out, a few at a time. Return how many.

    Rows that cannot be handed out are released, so that they need not wait for the lease to expire.
    """
    token, ids = job.claim(now)
    for first in range(0, len(ids), job.a_task):
        try:
            hand_out(name, ids[first : first + job.a_task], token)
        except Exception:
            job.release(ids[first:], token)
            raise
    return len(ids)


@stack.roomy
def _do(name: str, ids: list[int], token: str, now: datetime) -> None:
    job = JOBS[name]
    assert isinstance(job, Claimed), "only claimed rows are handed out"
    if ending.is_asked():
        job.release(ids, token)
        return
    with logs.log_context():
        job.do(ids, token, now)
