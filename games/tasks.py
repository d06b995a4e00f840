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
from games.desk import closure_evidence, demonstration, practice, votes
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


def _write_pulse(now: datetime) -> None:
    Pulse.objects.update_or_create(name="tick", defaults={"at": now})


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
}


@shared_task
def tick() -> None:
    """Hand out due work. Beat calls this every second; calling it twice does no harm."""
    if _may_run():
        _go_through(clock.now(), do_job.delay)


@shared_task
def do_job(name: str, ids: list[int], token: str) -> None:
    _do(name, ids, token, clock.now())


def do_all_due(now: datetime) -> int:
    """Do everything that is due in this process, until nothing is left. Return how many."""

    def do_here(name: str, ids: list[int], token: str) -> None:
        _do(name, ids, token, now)

    if not _may_run():
        return 0
    total = count = _go_through(now, do_here)
    while count:
        count = _go_through(now, do_here, again=True)
        total += count
    return total


def _may_run() -> bool:
    """Return whether the service may run: not after a restore that nobody has released yet."""
    return service.current() is None


def _go_through(
    now: datetime, hand_out: Callable[[str, list[int], str], object], *, again: bool = False
) -> int:
    """Go through the jobs of a tick, or go through them again. Return how much was due."""
    count = 0
    for name, job in JOBS.items():
        match job:
            case Once():
                if not again:
                    job.do(now)
            case Quick():
                count += job.do(now)
            case Claimed():
                count += _hand_out_rows(name, job, now, hand_out)
    return count


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


def _do(name: str, ids: list[int], token: str, now: datetime) -> None:
    job = JOBS[name]
    assert isinstance(job, Claimed), "only claimed rows are handed out"
    with logs.log_context():
        job.do(ids, token, now)
