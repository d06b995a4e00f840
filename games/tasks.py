"""Celery tasks: a few lines each. They carry ids and a lease's token; everything else is looked up
when they run."""

from __future__ import annotations

from datetime import datetime

from celery import shared_task

from games.desk import closure_evidence, practice
from games.market import witnessing
from games.models import MarketClosure, Notice, Phase, Pulse, service
from games.outbox import queue
from games.turns import batch, clock_rollback, outage_credit
from games.turns import phases as turns
from games.webhooks import delivery as channel_outbox
from gamesmaster import clock, logs

#: What workers may hold at once. More would wait in the queue until its lease ran out, and be
# handed out again for nothing.
PHASES_IN_FLIGHT = 2000
LETTERS_IN_FLIGHT = 2000
LETTERS_A_TASK = 200


@shared_task
def tick() -> None:
    """Asks the tables what is due and hands it out. Beat rings this every second; ringing twice
    does no harm."""
    from orders import stock_checks as stock_checks
    from orders.models import StockCheck

    now = clock.now()
    if service.current() is not None:  # put back from a copy, and nobody has let it go on yet
        return
    clock_rollback.bring_back(
        now
    )  # before the rest asks what is due: the clock may have been ahead
    outage_credit.give_back(now)  # before any deadline is enforced that came while nothing ticked
    # Deadlines first: the players that the service plays, or a slow reminder, must keep no phase
    # waiting.
    if (room := PHASES_IN_FLIGHT - turns.in_flight(now)) > 0:
        token, phases = turns.claim(now, room)
        for first in range(0, len(phases), batch.AT_ONCE):
            try:
                advance_all.delay(phases[first : first + batch.AT_ONCE], token)
            except Exception:
                Phase.objects.release(phases[first:], token)
                raise
    if (room := LETTERS_IN_FLIGHT - queue.in_flight(now)) > 0:
        token, letters = queue.claim(
            now, room
        )  # all at once: each time everything that is due has to be put in order
        for first in range(0, len(letters), LETTERS_A_TASK):
            try:
                send_letters.delay(letters[first : first + LETTERS_A_TASK], token)
            except Exception:
                queue.release(letters[first:], token)
                raise
    token, checks = stock_checks.claim(now)
    if checks:
        try:
            check_listings.delay(checks, token)
        except Exception:
            StockCheck.objects.release(checks, token)
            raise
    hand_out_closures(now)
    hand_out_mail(now)
    hand_out_witnesses(now)
    hand_out_notices(now)
    beat(now)


def hand_out_closures(now: datetime) -> None:
    """A day entered as closed, for which the leading stocks are to be asked."""
    token, closures = closure_evidence.claim(now)
    if closures:
        try:
            check_closures.delay(closures, token)
        except Exception:
            MarketClosure.objects.release(closures, token)
            raise


@shared_task
def check_closures(closures: list[int], token: str) -> None:
    closure_evidence.check(closures, token, clock.now())


def hand_out_notices(now: datetime) -> None:
    """What channels of chat programs are to be told."""
    token, notices = channel_outbox.claim(now)
    if notices:
        try:
            send_notices.delay(notices, token)
        except Exception:
            Notice.objects.release(notices, token)
            raise


def hand_out_witnesses(now: datetime) -> None:
    """What the publishers say later of figures that have settled."""
    until, phases = witnessing.claim(now)
    if until is not None:
        try:
            take_witnesses.delay(phases, until.isoformat())
        except Exception:
            witnessing.give_back(phases, until, now)
            raise


@shared_task
def take_witnesses(phases: list[int], until: str) -> None:
    with logs.about():
        witnessing.take(phases, datetime.fromisoformat(until), clock.now())


@shared_task
def send_notices(notices: list[int], token: str) -> None:
    channel_outbox.send(notices, token, clock.now())


def hand_out_mail(now: datetime) -> None:
    """Mail that the way in could not deal with at once: the net below
    `orders.inbound.handle.take_in`."""
    from orders.inbound import queue as intake
    from orders.models import Handling

    token, letters = intake.claim(now)
    if letters:
        try:
            handle_mail.delay(letters, token)
        except Exception:
            Handling.objects.release(letters, token)
            raise


@shared_task
def handle_mail(handlings: list[int], token: str) -> None:
    from orders.inbound import handle

    for handling in handlings:
        handle.handle_mail(handling, token, clock.now())


@shared_task
def check_listings(checks: list[int], token: str) -> None:
    """Looks up stocks that orders have named; what is left of the lease's work the next tick hands
    out anew."""
    from orders import stock_checks as stock_checks

    stock_checks.check(checks, token, clock.now())


@shared_task
def advance(phase: int, token: str) -> None:
    with logs.about(phase=phase):
        turns.advance(phase, token, clock.now())


@shared_task
def advance_all(phases: list[int], token: str) -> None:
    with logs.about():
        batch.advance(phases, token, clock.now())


@shared_task
def send_letters(letters: list[int], token: str) -> None:
    with logs.about():
        queue.send(letters, token, clock.now())


def beat(now: datetime) -> None:
    """The part of a tick that is quick enough to be done at once: the pulse, the service's own
    players, the reminders."""
    from games.operations.personal import retention
    from orders import bots

    Pulse.objects.update_or_create(name="tick", defaults={"at": now})
    bots.play(now)
    practice.look_after(now)
    turns.remind(now)
    retention.look_after(now)


def all_due(now: datetime) -> int:
    """Does everything that is due in this process, without Celery (`manage.py tick`). Returns how
    many phases and letters it took."""
    from orders import stock_checks as stock_checks
    from orders.inbound import handle
    from orders.inbound import queue as intake

    done = 0
    if service.current() is not None:
        return done
    beat(now)
    token, checks = stock_checks.claim(now)
    stock_checks.check(checks, token, now)
    token, closures = closure_evidence.claim(now)
    closure_evidence.check(closures, token, now)
    until, witnessed = witnessing.claim(now)
    if until is not None:
        witnessing.take(witnessed, until, now)
    mail_lease, received = intake.claim(now)
    for handling in received:
        handle.handle_mail(handling, mail_lease, now)
    while True:
        token, phases = turns.claim(now, PHASES_IN_FLIGHT)
        for first in range(0, len(phases), batch.AT_ONCE):
            batch.advance(phases[first : first + batch.AT_ONCE], token, now)
        mail_token, letters = queue.claim(now, LETTERS_A_TASK)
        queue.send(letters, mail_token, now)
        notice_token, notices = channel_outbox.claim(now)
        channel_outbox.send(notices, notice_token, now)
        logs.concerns()  # nothing in particular again
        if not phases and not letters:
            return done
        done += len(phases) + len(letters)
