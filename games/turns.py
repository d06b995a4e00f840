"""The one place where a phase goes from open to published (docs/design.md 5).

    open -> (deadline) locked -> placement: resolved at once
                              -> attacks:   drawing -> resolved
    and aside, from any of them: held, until a gamesmaster lifts it.

A worker takes a phase by a lease: one conditional update whose rows are counted. What takes long (the market) happens outside any
transaction; what it leads to is written in one short transaction that first makes sure that the lease is still its own. So it
does not matter how often a task is delivered, or where a worker dies: at the latest when the lease runs out the next tick finds
the phase due, in the state that was last written.
"""

from __future__ import annotations

import logging
import secrets
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from games import market, schedule
from games.models import Draw, Figure, Game, Phase, Resolution
from games.post import letters
from games.rules import Resolution as Judgement
from games.rules import RulesError, Standing, record

logger = logging.getLogger(__name__)

ACTIVE = (Phase.Status.OPEN, Phase.Status.LOCKED, Phase.Status.DRAWING)
#: Minutes until a phase that failed is tried again, by number of failures.
RETRY_MINUTES = (0, 1, 5, 15, 60)


class LeaseLost(Exception):
    """Another worker has taken the phase over meanwhile: everything done here since the last commit is dropped."""


# --- what stands ---


def start_position(game: Game) -> dict[str, Any]:
    """The position before the first phase."""
    rules = game.rules
    return rules.dump(rules.setup(game.card, game.options, [seat.nation for seat in game.seats.all()]))


def current_phase(game: Game) -> Phase | None:
    """The newest phase: the one that is played, or the last one of a finished game. None while the game is forming."""
    return game.phases.order_by("-number").first()


def newest_resolution(phase: Phase) -> Resolution | None:
    return phase.resolutions.order_by("-version").first()


def position(game: Game) -> dict[str, Any]:
    """The board of the game now: what the newest resolution of its last resolved phase left."""
    resolution = Resolution.objects.filter(phase__game=game).order_by("-phase__number", "-version").first()
    return resolution.after if resolution else start_position(game)


def position_before(phase: Phase) -> dict[str, Any]:
    """The position in which a phase is played."""
    before = Resolution.objects.filter(phase__game=phase.game_id, phase__number=phase.number - 1).order_by("-version").first()
    return before.after if before else start_position(phase.game)


def state_of(phase: Phase) -> Any:
    """The ruleset's state in which a phase is played."""
    return phase.game.load(position_before(phase))


def standing(game: Game) -> Standing:
    return game.rules.standing(game.load(position(game)))


# --- opening ---


def open_phase(game: Game, number: int, state: Any, now: datetime) -> Phase:
    """Opens the phase that comes next in a state, with its deadline by the game's schedule, and writes to everybody."""
    identity = game.rules.phase(state)
    assert identity is not None, "a finished game opens no phase"
    deadline = _deadline(game, game.rules.draws(identity), now)
    phase = Phase.objects.create(
        game=game,
        number=number,
        turn=identity.turn,
        kind=identity.kind,
        opened_at=now,
        deadline=deadline,
        due_at=deadline + _grace(game),
        remind_at=_reminder(now, deadline),
    )
    letters.opened(phase, now)
    return phase


def _deadline(game: Game, draws: bool, now: datetime) -> datetime:
    exchange = market.exchange_of(game.market)
    on_exchange = exchange != market.DEMO
    trading = (lambda day: market.is_session_day(exchange, day)) if on_exchange else _every_day
    return schedule.next_deadline(game.schedule, game.zone, now, trading=trading, on_trading_day=draws and on_exchange)


def _every_day(day: date) -> bool:
    return True


def _grace(game: Game) -> timedelta:
    return timedelta(hours=game.options["orders.grace_hours"])


def _reminder(opened: datetime, deadline: datetime) -> datetime | None:
    """Two days before the deadline, or when three quarters of a shorter phase are over; none in a phase of minutes."""
    length = deadline - opened
    return deadline - min(timedelta(days=2), length / 4) if length >= timedelta(minutes=10) else None


# --- the doorbell's questions ---


def claim(now: datetime, most: int) -> tuple[str, list[int]]:
    """Takes the phases that are due, by a lease under a fresh token. Of two callers each phase goes to one."""
    due = Q(status__in=ACTIVE, due_at__lte=now, game__status=Game.Status.RUNNING) & (Q(claimed_until=None) | Q(claimed_until__lte=now))
    ids = list(Phase.objects.filter(due).order_by("due_at").values_list("pk", flat=True)[:most])
    if not ids:
        return "", []
    token = secrets.token_hex(16)
    # The condition stands in the update once more: whoever comes second updates no row.
    free = Q(status__in=ACTIVE, due_at__lte=now) & (Q(claimed_until=None) | Q(claimed_until__lte=now))
    Phase.objects.filter(free, pk__in=ids).update(claim=token, claimed_until=now + timedelta(seconds=settings.LEASE_SECONDS))
    return token, list(Phase.objects.filter(claim=token).order_by("due_at").values_list("pk", flat=True))


def in_flight(now: datetime) -> int:
    """How many phases workers hold just now. The tick hands out no more than they can do before their leases run out."""
    return Phase.objects.filter(status__in=ACTIVE, claimed_until__gt=now).count()


def remind(now: datetime) -> int:
    """Writes the reminders that are due to those who have sent nothing. Returns for how many phases."""
    done = 0
    due = Phase.objects.filter(status=Phase.Status.OPEN, remind_at__lte=now, game__status=Game.Status.RUNNING).select_related("game")
    for phase in due[:200]:
        try:
            done += _remind(phase, now)
        except Exception:  # one bad game must not keep the others from being reminded
            logger.exception("the reminder of phase %s failed", phase.pk)
            later = now + timedelta(minutes=10)
            Phase.objects.filter(pk=phase.pk).update(remind_at=later if later < phase.deadline else None)
    return done


@transaction.atomic
def _remind(phase: Phase, now: datetime) -> bool:
    from orders import ledger

    if Phase.objects.filter(pk=phase.pk, status=Phase.Status.OPEN, remind_at=phase.remind_at).update(remind_at=None) != 1:
        return False
    sent = ledger.in_force(phase)
    acting = phase.game.rules.acting(state_of(phase))
    silent = [seat for seat in phase.game.seats.all() if seat.nation in acting and seat.nation not in sent and not seat.bot]
    if phase.deadline > now:  # after an outage a reminder would come too late to help
        letters.reminder(phase, silent, now)
    return True


def orders_arrived(phase: Phase, now: datetime) -> None:
    """Ends a phase early, or takes that back, where the game allows it and every seat has said that its orders are final."""
    from orders import ledger

    game = phase.game
    if not game.may_lock_early:
        return
    sent = ledger.in_force(phase)
    acting = game.rules.acting(state_of(phase))
    seats = [seat for seat in game.seats.all() if seat.nation in acting and (seat.bot or seat.sittings.filter(until=None).exists())]
    all_final = bool(seats) and all(seat.nation in sent and sent[seat.nation].final for seat in seats)
    due = min(now, phase.deadline) if all_final else phase.deadline + _grace(game)
    Phase.objects.filter(pk=phase.pk, status=Phase.Status.OPEN).update(due_at=due)


# --- one step on ---


def advance(phase_id: int, token: str, now: datetime) -> None:
    """Does what is due with a phase that this caller holds the lease of. A failure is released with a growing delay, then held."""
    try:
        phase = Phase.objects.select_related("game").filter(pk=phase_id, claim=token).first()
        if phase is None:
            return
        if phase.status == Phase.Status.OPEN:
            lock(phase, token, now)
        if phase.status == Phase.Status.LOCKED:
            _judge_without_digits(phase, token, now)
        elif phase.status == Phase.Status.DRAWING:
            _draw(phase, token, now)
    except LeaseLost:
        logger.warning("phase %s: the lease was lost to another worker", phase_id)
    except RulesError as error:
        hold(phase_id, token, f"The rules cannot decide this phase: {error}", now)
    except Exception as error:
        logger.exception("phase %s failed", phase_id)
        _release_after_failure(phase_id, token, error, now)


def lock(phase: Phase, token: str, now: datetime) -> None:
    """Closes a phase to orders, publishes the digest over those in force and, for attacks, the session and the stocks."""
    from orders import ledger

    game = phase.game
    with transaction.atomic():
        # The game's row is what intake locks too: every submission is wholly before this or wholly after it.
        Game.objects.filter(pk=game.pk).update(last_submission=F("last_submission"))
        phase.refresh_from_db()
        if phase.claim != token or phase.status != Phase.Status.OPEN:
            raise LeaseLost
        if phase.due_at is None or phase.due_at > now:  # moved, or no longer final: nothing is due after all
            _release(phase.pk, token)
            return
        salts = {nation: submission.salt for nation, submission in ledger.in_force(phase).items()}
        texts = ledger.texts_in_force(phase)
        phase.status = Phase.Status.LOCKED
        phase.locked_at = now
        phase.leaves = {nation: record.leaf(nation, text, salts[nation]) for nation, text in texts.items()}
        phase.digest = record.digest(phase.leaves)
        phase.remind_at = None
        phase.due_at = now
        state = state_of(phase)
        orders = game.rules.in_force(state, texts)
        if phase.draws and _needs_digits(phase, state, orders):
            session = market.session_after(game.market, now, game.options["rng.quote_session"])
            phase.status = Phase.Status.DRAWING
            phase.stocks = list(game.rules.stocks(state, orders))
            phase.exchange, phase.session = session.exchange, session.label
            phase.session_opens, phase.session_closes = session.opens, session.closes
            phase.first_reading_at = market.first_reading_time(market.policy_of(game), session)
            phase.due_at = phase.first_reading_at
            phase.claim, phase.claimed_until = "", None
        phase.attempts, phase.fault = 0, ""
        phase.save()
        if phase.status == Phase.Status.DRAWING:
            letters.locked(phase, now)
    logger.info("phase %s locked, %d order sets, digest %s", phase.pk, len(phase.leaves), phase.digest)


def _needs_digits(phase: Phase, state: Any, orders: dict[str, str]) -> bool:
    """Whether any attack comes to a throw at all, whatever the digits: a phase of void attacks need not wait for the market."""
    try:
        phase.game.rules.resolve(state, orders, market.Figures({}), phase.game.reserves)
    except market.Unsettled:
        return True
    return False


def _orders(phase: Phase, state: Any) -> dict[str, str]:
    from orders import ledger

    return phase.game.rules.in_force(state, ledger.texts_in_force(phase))


def _judge_without_digits(phase: Phase, token: str, now: datetime) -> None:
    state = state_of(phase)
    orders = _orders(phase, state)
    judgement = phase.game.rules.resolve(state, orders, market.Figures({}), phase.game.reserves)
    _publish(phase, token, state, orders, judgement, now)


def _draw(phase: Phase, token: str, now: datetime) -> None:
    """Reads what is to be read; judges the phase once every digit that it needs has settled, else looks again later.

    The named stocks are read all of them, reserves only when an attack comes to them, in the order of use.
    """
    state = state_of(phase)
    orders = _orders(phase, state)
    wanted = list(phase.stocks)
    while True:
        seen = market.observe(phase, wanted, now)
        if not seen.waiting:
            try:
                judgement = phase.game.rules.resolve(state, orders, market.Figures(seen.settled), phase.game.reserves)
            except market.Unsettled as unsettled:
                wanted.append(unsettled.symbol)
                continue
            break
        _release(phase.pk, token, due_at=seen.next_look)
        return
    if _lacks_a_digit(phase.game, judgement):
        hold(phase.pk, token, "No usable sales figure is left for an attack: the named stocks and the whole reserve list have none.", now)
        return
    _publish(phase, token, state, orders, judgement, now)


def _lacks_a_digit(game: Game, judgement: Judgement) -> bool:
    if game.options["rng.no_stock"] == "attack_void":
        return False
    return any(event["kind"] == "void" and event["reason"] == "no_digit" for event in judgement.events)


def _publish(phase: Phase, token: str, state: Any, orders: dict[str, str], judgement: Judgement, now: datetime) -> None:
    """One transaction: the resolution, its draws, the next phase or the end of the game, and everybody's letters."""
    game, rules = phase.game, phase.game.rules
    after = judgement.state
    result = rules.standing(after)
    over = rules.phase(after) is None
    with transaction.atomic():
        held = Phase.objects.filter(pk=phase.pk, claim=token, status__in=(Phase.Status.LOCKED, Phase.Status.DRAWING))
        if held.update(status=Phase.Status.RESOLVED, due_at=None, claim="", claimed_until=None, attempts=0, fault="") != 1:
            raise LeaseLost
        resolution = Resolution.objects.create(
            phase=phase,
            version=1,
            before=rules.dump(state),
            orders=orders,
            events=list(judgement.events),
            remarks={nation: [remark.as_json() for remark in remarks] for nation, remarks in judgement.remarks.items()},
            after=rules.dump(after),
            scores=dict(result.scores),
            winners=list(result.winners) if over and result.winners is not None else None,
            closing=result.remark if over else "",
            resolved_at=now,
        )
        _record_draws(phase, judgement, now)
        phase.status = Phase.Status.RESOLVED
        if over:
            Game.objects.filter(pk=game.pk).update(status=Game.Status.FINISHED, finished_at=now)
            game.status, game.finished_at = Game.Status.FINISHED, now
        following = None if over else open_phase(game, phase.number + 1, after, now)
        letters.board(resolution, now)
        if over:
            letters.over(game, resolution, now)
    logger.info("phase %s resolved; %s", phase.pk, f"next deadline {following.deadline:%Y-%m-%d %H:%M}" if following else "game over")


def _record_draws(phase: Phase, judgement: Judgement, now: datetime) -> None:
    figures = {figure.symbol: figure for figure in Figure.objects.filter(phase=phase)}
    Draw.objects.bulk_create(
        Draw(
            phase=phase,
            nation=event["nation"],
            line=event["line"],
            area=event["area"],
            figure=figures[event["stock"]],
            digit=event["digit"],
            drawn_at=now,
        )
        for event in judgement.events
        if event["kind"] == "attack"
    )


# --- letting go ---


def _release(phase_id: int, token: str, due_at: datetime | None = None) -> None:
    changes: dict[str, Any] = {"claim": "", "claimed_until": None, "attempts": 0, "fault": ""}
    if due_at is not None:
        changes["due_at"] = due_at
    Phase.objects.filter(pk=phase_id, claim=token).update(**changes)


def _release_after_failure(phase_id: int, token: str, error: Exception, now: datetime) -> None:
    """Pushes a failed phase back so that it blocks nobody; after a few tries it is held and the gamesmaster told."""
    phase = Phase.objects.filter(pk=phase_id, claim=token).first()
    if phase is None:
        return
    fault = f"{type(error).__name__}: {error}"
    attempts = phase.attempts + 1
    if attempts >= settings.PHASE_TRIES:
        hold(phase_id, token, f"{attempts} tries failed, the last with {fault}", now)
        return
    later = now + timedelta(minutes=RETRY_MINUTES[min(attempts, len(RETRY_MINUTES) - 1)])
    Phase.objects.filter(pk=phase_id, claim=token).update(due_at=later, claim="", claimed_until=None, attempts=attempts, fault=fault[:2000])


def hold(phase_id: int, token: str, why: str, now: datetime) -> None:
    """Sets a phase aside for the gamesmaster, with the reason, and tells him. Only the holder of the lease may."""
    with transaction.atomic():
        phase = Phase.objects.filter(pk=phase_id, claim=token, status__in=ACTIVE).first()
        if phase is None:
            return
        held = {
            "status": Phase.Status.HELD,
            "held_from": phase.status,
            "fault": why[:2000],
            "due_at": None,
            "claim": "",
            "claimed_until": None,
        }
        if Phase.objects.filter(pk=phase_id, claim=token).update(**held) == 1:
            phase.refresh_from_db()
            letters.held(phase, now)
    logger.error("phase %s held: %s", phase_id, why)
