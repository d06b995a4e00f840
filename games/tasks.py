"""The list of jobs of each tick, handed to workers (`tick`) or done in this process (`do_all_due`,
for `manage.py tick`).

The tables are the queues; Celery only wakes the workers. A task has the name of a job, ids and a
lease's token; everything else is looked up when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from celery import shared_task

from games.base import clock, logs
from games.desk import closure_evidence, practice, votes
from games.letters import sending
from games.models import MarketClosure, Notice, Phase, Pulse, service
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


@dataclass(frozen=True)
class Job:
    """A kind of work: lease due rows, process them, and release those that were not handed out."""

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


#: In this order. Deadlines come before slow jobs; mail comes before deadlines, because a lock waits
#: for mail that arrived in time.
JOBS = {
    "mail": Job(mail.claim, _handle_mail, Handling.objects.release),
    "phases": Job(_claim_phases, process.process, Phase.objects.release, process.AT_ONCE),
    "letters": Job(_claim_letters, sending.send, sending.release, LETTERS_A_TASK),
    "stock checks": Job(stock_checks.claim, stock_checks.check, StockCheck.objects.release),
    "closures": Job(closure_evidence.claim, closure_evidence.check, MarketClosure.objects.release),
    "witnesses": Job(witnessing.claim, witnessing.take, witnessing.release),
    "notices": Job(notices.claim, notices.send, Notice.objects.release),
}


@shared_task
def tick() -> None:
    """Hand out due work. Beat calls this every second; calling it twice does no harm."""
    now = clock.now()
    if _may_begin(now):
        _go_through(now, do_job.delay)


@shared_task
def do_job(name: str, ids: list[int], token: str) -> None:
    _do(name, ids, token, clock.now())


def do_all_due(now: datetime) -> int:
    """Do everything that is due in this process, until nothing is left. Return how many."""
    total = 0
    if _may_begin(now):
        while count := _go_through(now, lambda name, ids, token: _do(name, ids, token, now)):
            total += count
    return total


def beat(now: datetime) -> int:
    """Do the quick part of a tick: the pulse, the bots, reminders, votes and retention.

    Return how much was done that may have made something else due.
    """
    Pulse.objects.update_or_create(name="tick", defaults={"at": now})
    count = bargaining.bargain(now) + bots.play(now) + practice.look_after(now)
    count += reminders.remind(now) + votes.carry_out_due(now)
    retention.look_after(now)
    return count


def _may_begin(now: datetime) -> bool:
    """Repair times after a clock jump or an outage, before any deadline is enforced.

    Return whether the service may run: not after a restore that nobody has released yet.
    """
    if service.current() is not None:
        return False
    clock_rollback.undo_clock_jump(now)
    outage_credit.credit_time(now)
    return True


def _go_through(now: datetime, hand_out: Callable[[str, list[int], str], object]) -> int:
    """Claim the due rows of each job and hand them out, a few at a time. Return how many.

    Rows that cannot be handed out are released, so that they need not wait for the lease to expire.
    """
    # Before any phase is locked: orders ahead were stored before the phase opened.
    count = ahead.enter(now)
    for name, job in JOBS.items():
        token, ids = job.claim(now)
        for first in range(0, len(ids), job.a_task):
            try:
                hand_out(name, ids[first : first + job.a_task], token)
            except Exception:
                job.release(ids[first:], token)
                raise
        count += len(ids)
    return count + beat(now)


def _do(name: str, ids: list[int], token: str, now: datetime) -> None:
    with logs.log_context():
        JOBS[name].do(ids, token, now)
