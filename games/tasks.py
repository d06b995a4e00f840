"""What is done every second: one list of jobs, handed to workers (`tick`) or done in this process
(`all_due`, for `manage.py tick`).

The tables are the queues and Celery wakes the workers. A task carries the name of a job, ids and a
lease's token; everything else is looked up when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from celery import shared_task

from games.desk import closure_evidence, practice, votes
from games.letters import sending
from games.market import witnessing
from games.models import MarketClosure, Notice, Phase, Pulse, service
from games.operations.personal import retention
from games.turns import clock_rollback, outage_credit, process, reminders
from games.turns import queue as turns_queue
from games.webhooks import delivery as notices
from gamesmaster import clock, logs
from orders import ahead, bargaining, bots, stock_checks
from orders.inbound import handle
from orders.inbound import queue as mail
from orders.models import Handling, StockCheck

#: What workers may hold at once. More would wait in the queue until its lease ran out, and be
# handed out again for nothing.
PHASES_IN_FLIGHT = 2000
LETTERS_IN_FLIGHT = 2000
LETTERS_A_TASK = 200


@dataclass(frozen=True)
class Job:
    """One kind of work: take what is due by a lease, do it, and release what could not be handed
    out."""

    claim: Callable[[datetime], tuple[str, list[int]]]
    do: Callable[[list[int], str, datetime], object]
    release: Callable[[list[int], str], object]
    a_task: int = 100


def _claim_phases(now: datetime) -> tuple[str, list[int]]:
    return turns_queue.claim(now, PHASES_IN_FLIGHT - turns_queue.in_flight(now))


def _claim_letters(now: datetime) -> tuple[str, list[int]]:
    """All at once: each time everything that is due has to be put in order."""
    return sending.claim(now, LETTERS_IN_FLIGHT - sending.in_flight(now))


def _handle_mail(handlings: list[int], token: str, now: datetime) -> None:
    for handling in handlings:
        handle.handle_mail(handling, token, now)


#: In this order. Deadlines come before whatever may be slow; mail before deadlines, because a lock
# waits for mail that came in time.
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
    """Hand out what is due. Beat calls this every second; calling it twice does no harm."""
    now = clock.now()
    if _may_begin(now):
        _go_through(now, do_job.delay)


@shared_task
def do_job(name: str, ids: list[int], token: str) -> None:
    _do(name, ids, token, clock.now())


def all_due(now: datetime) -> int:
    """Do everything that is due in this process, until nothing is. Return how many things were
    done."""
    done = 0
    if _may_begin(now):
        while some := _go_through(now, lambda name, ids, token: _do(name, ids, token, now)):
            done += some
    return done


def beat(now: datetime) -> int:
    """Do the part of a tick that is quick enough to be done at once: the pulse, the service's own
    players, the reminders. Return how much was done that may have made something else due."""
    Pulse.objects.update_or_create(name="tick", defaults={"at": now})
    done = bargaining.bargain(now) + bots.play(now) + practice.look_after(now)
    done += reminders.remind(now) + votes.carry_out_due(now)
    retention.look_after(now)
    return done


def _may_begin(now: datetime) -> bool:
    """Set the clock's and an outage's damage right before any deadline is enforced. Return whether
    the service is let go on: not after a restoration that nobody has looked at yet."""
    if service.current() is not None:
        return False
    clock_rollback.undo_clock_jump(now)
    outage_credit.credit_time(now)
    return True


def _go_through(now: datetime, hand_out: Callable[[str, list[int], str], object]) -> int:
    """Claim what is due of each job and hand it out, a few at a time. Return how much that was.

    What cannot be handed out is released, so that it need not wait until its lease runs out.
    """
    # Before any phase is locked: what was kept for it was there when it opened.
    done = ahead.enter(now)
    for name, job in JOBS.items():
        token, ids = job.claim(now)
        for first in range(0, len(ids), job.a_task):
            try:
                hand_out(name, ids[first : first + job.a_task], token)
            except Exception:
                job.release(ids[first:], token)
                raise
        done += len(ids)
    return done + beat(now)


def _do(name: str, ids: list[int], token: str, now: datetime) -> None:
    with logs.about():
        JOBS[name].do(ids, token, now)
