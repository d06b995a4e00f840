"""The one place where a phase goes from open to published (docs/design.md 5).

    open -> (deadline) locked -> placement: resolved at once
                              -> attacks:   drawing -> resolved
    before that, where the game has it so: approval, until the gamesmaster lets it go or its hours
      are over; where he is to place
    what players have left, until he has placed it or lets it go;
    and aside, from any of them: held, until a gamesmaster lifts it.

A worker takes a phase by a lease: one conditional update whose rows are counted. What takes long
(the market) happens outside any transaction; what it leads to is written in one short transaction
that first makes sure that the lease is still its own. So it does not matter how often a task is
delivered, or where a worker dies: at the latest when the lease runs out the next tick finds the
phase due, in the state that was last written.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Q

from games import game_row, market, positions
from games.evidence import hashes, rows
from games.models import Act, Figure, Game, Phase
from games.outbox.messages import game as letters
from games.rules import RulesError, rulings
from games.rules.digits import digits_told, roll_number
from games.rules.rulings import Judged
from games.rules.verification import record
from games.seats import days_off, teams
from games.turns import judging, schedule
from games.turns.judging import Case
from gamesmaster import logs
from orders import in_force

logger = logging.getLogger(__name__)

ACTIVE = (Phase.Status.OPEN, Phase.Status.LOCKED, Phase.Status.DRAWING, Phase.Status.APPROVAL)
#: Minutes until a phase that failed is tried again, by number of failures.
RETRY_MINUTES = (0, 1, 5, 15, 60)
#: How long a lock waits for mail that came in time and is still being read, and how soon it looks
# again.
MAIL_PATIENCE, MAIL_LOOK = timedelta(seconds=30), timedelta(seconds=2)
#: Where mail comes in, a letter that was received in the last instant is on the disk after this at
# the latest: no lock comes before.
MAIL_KEPT_WITHIN = timedelta(seconds=2)


#: How long a phase is open in which nobody acts, because something is drawn in it and that is all.
IDLE = timedelta(minutes=1)


class LeaseLost(Exception):
    """Another worker has taken the phase over meanwhile: everything done here since the last commit
    is dropped."""


# --- what stands ---


def case_of(phase: Phase) -> Case:
    """What a phase is judged from now: position, orders, and the rulings that hold on it."""
    from orders import in_force

    newest = judging.newest_ruling(phase.game)
    known = judging.rulings_of(phase.game) if newest else []
    return Case(
        phase=phase,
        position=positions.position_before(phase),
        sent=in_force.texts_in_force(phase),
        submissions=judging.submissions_of(phase) if known else {},
        rulings=rulings.on_phase(known, phase.number),
        after_ruling=newest,
    )


def judged(phase: Phase) -> Judged:
    """What a phase comes to with the figures that have settled and the rulings that hold. Nothing
    is written.

    Raises `market.Unsettled` where a figure is not known yet, `RulesError` where the rules cannot
    decide.
    """
    return case_of(phase).judge(judging.figures_of(phase))


# --- opening ---


def open_phase(
    game: Game,
    previous: Phase | None,
    state: Any,
    now: datetime,
    deadline: datetime | None = None,
    parts: Sequence[hashes.Part] = (),
) -> Phase:
    """Opens the phase that comes next in a state, with its deadline (else by the game's schedule),
    and writes to everybody.

    `previous` is the phase that left the state; None at the start of the game. Its number is no
    guide: a ruling may have rolled back. `parts` of the record that are made in the same step are
    covered by the entry of the opening.
    """
    number = (game.phases.aggregate(newest=Max("number"))["newest"] or 0) + 1
    phase = next_phase(game, previous, number, state, now, deadline)
    phase.save()
    hashes.append(game, [*parts, hashes.opened(phase)], now)
    if is_announced(phase):
        letters.opened(phase, now)
    return phase


def next_phase(
    game: Game,
    previous: Phase | None,
    number: int,
    state: Any,
    now: datetime,
    deadline: datetime | None = None,
    blocked: schedule.IsBlocked | None = None,
) -> Phase:
    """The phase that `open_phase` opens, not written yet. `blocked` says which days take no
    deadline, where the caller knows."""
    identity = game.rules.phase(state)
    assert identity is not None, "a finished game opens no phase"
    facts = game.rules.facts(identity, game.options)
    if facts.idle:  # nobody orders anything in it, so that there is nothing to wait for
        deadline = now + IDLE
    # played out by a person, who takes as long as it takes: it closes once his sheet has come
    # (`orders_arrived`)
    if facts.sheeted:
        deadline = schedule.STANDS
    deadline = deadline or deadline_after(game, facts.draws, now, blocked, facts.days)
    phase = Phase(
        game=game,
        number=number,
        previous=previous,
        turn=identity.turn,
        kind=identity.kind,
        opened_at=now,
        deadline=deadline,
        due_at=None if facts.sheeted else deadline + _grace(game),
        remind_at=sheet_reminder(game, now) if facts.sheeted else reminder(now, deadline),
        controllers=dict(game.rules.controllers(state)),
    )
    if phase.draws and market.source_of(game) == market.COMMIT_REVEAL:
        market.sow(phase)
    return phase


def is_announced(phase: Phase) -> bool:
    """Whether a letter tells that a phase is open; of one that waits for a sheet it tells the
    gamesmasters alone (`letters.opened`).

    That something is drawn next is in the letter that comes at the same time, and whose sales
    decide in the next one; but the hash of a seed is published before the seed is used.
    """
    return not phase.idle or bool(phase.seed_hash)


def follow_draw(game: Game, now: datetime) -> None:
    """After a ruling: who sends the orders of nations that nobody holds, in a phase that is open,
    follows the draw as it now is."""
    phase = positions.current_phase(game)
    if phase is None or phase.status != Phase.Status.OPEN:
        return
    phase.game = game
    controllers = dict(game.rules.controllers(positions.state_of(phase)))
    if controllers != phase.controllers:
        before = hashes.renewable(phase)
        phase.controllers = controllers
        Phase.objects.filter(pk=phase.pk).update(controllers=controllers)
        hashes.append(game, [hashes.renewed(phase, before)], now)


def deadline_after(
    game: Game,
    draws: bool,
    now: datetime,
    blocked: schedule.IsBlocked | None = None,
    lasts: int | None = None,
) -> datetime:
    """The first deadline after an instant by the game's schedule, off its holidays and its players'
    absences.

    `lasts`: for how many days the rules want the phase to last, at the schedule's hour
    (`schedule.for_days`).
    """
    exchange = market.exchange_of(game)
    on_exchange = exchange != market.DEMO and market.by_sales(game)
    trading = (lambda day: market.is_session_day(exchange, day)) if on_exchange else _every_day
    rule, after = (
        (game.schedule, now)
        if not lasts
        else schedule.for_days(game.schedule, game.zone, now, lasts)
    )
    return schedule.next_deadline(
        rule,
        game.zone,
        after,
        trading=trading,
        on_trading_day=draws and on_exchange,
        blocked=blocked or days_off.blocked(game),
    )


def _every_day(day: date) -> bool:
    return True


def _grace(game: Game) -> timedelta:
    return timedelta(hours=game.options["orders.grace_hours"])


def sheet_reminder(game: Game, now: datetime) -> datetime | None:
    """When the gamesmaster is reminded of a sheet that is due; None where he is not."""
    return now + timedelta(days=game.sheet_days) if game.sheet_days else None


def reminder(opened: datetime, deadline: datetime) -> datetime | None:
    """Two days before the deadline, or when three quarters of a shorter phase are over; none in a
    phase of minutes.

    A deadline that moves gets one of its own, counted from the moment at which it is moved.
    """
    length = deadline - opened
    return (
        deadline - min(timedelta(days=2), length / 4) if length >= timedelta(minutes=10) else None
    )


# --- the doorbell's questions ---


def claim(now: datetime, most: int) -> tuple[str, list[int]]:
    """Take phases that are due, by a lease. What has become of the game meanwhile, which the claim
    cannot check, `advance` sees."""
    in_play = Phase.objects.filter(game__status=Game.Status.RUNNING)
    return in_play.claim(now, most, Q(status__in=ACTIVE))


def in_flight(now: datetime) -> int:
    """Count the phases that workers hold. The tick hands out no more than they can do before their
    leases run out."""
    return Phase.objects.filter(status__in=ACTIVE).in_flight(now)


def remind(now: datetime) -> int:
    """Writes the reminders that are due to those who have sent nothing. Returns for how many
    phases."""
    done = 0
    due = Phase.objects.filter(
        status=Phase.Status.OPEN, remind_at__lte=now, game__status=Game.Status.RUNNING
    ).select_related("game")
    for phase in due[:200]:
        try:
            done += _remind(phase, now)
        except Exception:  # one bad game must not keep the others from being reminded
            logger.exception("the reminder of phase %s failed", phase.pk)
            later = now + timedelta(minutes=10)
            Phase.objects.filter(pk=phase.pk).update(
                remind_at=later if later < phase.deadline else None
            )
    return done


@transaction.atomic
def _remind(phase: Phase, now: datetime) -> bool:
    from orders import owed

    if (
        Phase.objects.filter(
            pk=phase.pk, status=Phase.Status.OPEN, remind_at=phase.remind_at
        ).update(remind_at=None)
        != 1
    ):
        return False
    if phase.sheeted:
        return _remind_of_sheet(phase, now)
    asked = [
        (seat, sender)
        for seat, sender in positions.senders(phase, positions.state_of(phase))
        if not sender.bot
    ]
    if phase.deadline > now:  # after an outage a reminder would come too late to help
        wanted = owed.of_phase(phase, asked)
        # A team whose spokesman is silent hears of it whole, those who have proposed something too.
        voted = {one.seat.pk: one.done for one in wanted} if teams.by_vote(phase.game) else {}
        letters.reminder(phase, [one.seat for one in wanted], now, voted)
    return True


def _remind_of_sheet(phase: Phase, now: datetime) -> bool:
    """Reminds whoever runs the game that everybody waits for his sheet, and will do so again; not
    while one stands and is due."""
    Phase.objects.filter(pk=phase.pk).update(remind_at=sheet_reminder(phase.game, now))
    if phase.due_at is None:
        letters.sheet_waits(phase, now)
    return phase.due_at is None


def orders_arrived(phase: Phase, now: datetime) -> None:
    """Ends a phase early, or takes that back, where the game allows it and every seat has said that
    its orders are final."""
    from orders import in_force

    game = phase.game
    if phase.sheeted:
        _sheet_arrived(phase, now)
        return
    if not game.may_lock_early:
        return
    sent = in_force.in_force(phase)
    waited_for = positions.senders(phase, positions.state_of(phase))
    seats = [
        seat
        for seat, sender in waited_for
        if sender.bot or sender.sittings.filter(until=None).exists()
    ]
    all_final = bool(seats) and all(
        seat.nation in sent and sent[seat.nation].final for seat in seats
    )
    # Due at this instant and never before it, in the hours of grace neither: nothing that counts
    # may be newer than the lock.
    due = now if all_final else phase.deadline + _grace(game)
    Phase.objects.filter(pk=phase.pk, status=Phase.Status.OPEN).update(due_at=due)


def _sheet_arrived(phase: Phase, now: datetime) -> None:
    """Lets a phase close once its sheet has stood for the hours in which it may be corrected; at
    once where it was sent as final.

    A correction begins these hours anew; where the sheet is taken back the phase waits again.
    """
    sheet = in_force.newest_sheet(phase)
    due = None
    if sheet is not None:
        due = (
            now
            if sheet.final
            else max(now, sheet.received_at + timedelta(hours=phase.game.sheet_hours))
        )
    Phase.objects.filter(pk=phase.pk, status=Phase.Status.OPEN).update(due_at=due)
    phase.due_at = due


# --- one step on ---


def advance(phase_id: int, token: str, now: datetime, *, begun: bool = False) -> None:
    """Does what is due with a phase that this caller holds the lease of. A failure is released with
    a growing delay, then held.

    `begun`: this try has been counted already, under a token that nobody else has
    (games.turns.batch).
    """
    try:
        if not begun:
            token, mine = _take_over(phase_id, token, now)
            if not mine:
                return
        phase = (
            Phase.objects.filter(pk=phase_id, claim=token, status__in=ACTIVE)
            .select_related("game")
            .first()
        )
        if phase is None:
            return
        logs.concerns(game=phase.game_id, phase=phase.pk)
        if (
            phase.game.status != Game.Status.RUNNING
        ):  # paused since the phase was claimed: it is due again when the game goes on
            _release(phase.pk, token)
            return
        if phase.attempts > settings.PHASE_TRIES:
            why = (
                f"{settings.PHASE_TRIES} tries never came to an end: whatever worked on this phase"
                " died over it each time"
            )
            hold(phase_id, token, f"{why}.", now)
            return
        if phase.status == Phase.Status.OPEN:
            lock(phase, token, now)
            if (
                phase.status == Phase.Status.DRAWING
            ):  # its lease ended with the lock: whoever claims it next draws
                return
        if phase.status in (Phase.Status.LOCKED, Phase.Status.APPROVAL):
            _judge_settled(phase, token, now)
        elif phase.status == Phase.Status.DRAWING:
            _draw(phase, token, now)
    except market.SessionChanged:
        logger.info("phase %s: its session was changed while its sales were being read", phase_id)
        _release(phase_id, token)
    except LeaseLost:
        logger.warning("phase %s: the lease was lost to another worker", phase_id)
    except rulings.Unfit as error:  # made while nobody could know what the phase would leave
        hold(
            phase_id,
            token,
            f"Ruling {error.number} cannot be carried out: {error} Revoke it, and the phase"
            " goes on.",
            now,
        )
    except RulesError as error:
        hold(phase_id, token, f"The rules cannot decide this phase: {error}", now)
    except Exception as error:
        logger.exception("phase %s failed", phase_id)
        _release_after_failure(phase_id, token, error, now)


def _take_over(phase_id: int, token: str, now: datetime) -> tuple[str, list[int]]:
    """Count a try of a phase that this token still holds, from now on under the worker's own token.

    A try counts from here: a phase that kills its worker is held at last, one that only waited in a
    long queue has not been tried.
    """
    active = Phase.objects.filter(status__in=ACTIVE)
    return active.take_over([phase_id], token, now, attempts=F("attempts") + 1)


def _mail_unread(phase: Phase, now: datetime) -> bool:
    """Whether mail that came before the deadline is being kept or read just now: the lock waits for
    it, but not for long."""
    from orders.inbound import queue

    last_moment = _last_moment(phase)
    if mail_may_come(phase, now):
        return True
    return now < last_moment + MAIL_PATIENCE and queue.unread(phase.game, min(now, last_moment))


def mail_may_come(phase: Phase, now: datetime) -> bool:
    """Whether mail that was received in the last instant may still be on its way to the disk: then
    the lock looks again in a moment."""
    last_moment = _last_moment(phase)
    return bool(settings.MAIL_IN) and last_moment <= now < last_moment + MAIL_KEPT_WITHIN


def _last_moment(phase: Phase) -> datetime:
    """Until when what came in for a phase that is due counts: its deadline with the hours of grace;
    or the hours of its sheet."""
    if not phase.sheeted:
        return phase.deadline + _grace(phase.game)
    sheet = in_force.newest_sheet(phase)
    return (
        phase.opened_at
        if sheet is None
        else sheet.received_at + timedelta(hours=0 if sheet.final else phase.game.sheet_hours)
    )


def look_again_for_mail(phases: Iterable[int], token: str, now: datetime) -> None:
    """Puts locks off for a moment: mail that came in time may not have been read yet."""
    mine = Phase.objects.filter(pk__in=list(phases), claim=token)
    mine.update(due_at=now + MAIL_LOOK, claim="", claimed_until=None, attempts=0)


def lock(phase: Phase, token: str, now: datetime) -> None:
    """Closes a phase to orders, publishes the digest over those in force and, for attacks, the
    session and the stocks."""
    game = phase.game
    with transaction.atomic():
        # The game's row is what intake locks too: every submission is wholly before this or wholly
        # after it.
        running = game_row.take_row(game)
        phase.refresh_from_db()
        if phase.claim != token or phase.status != Phase.Status.OPEN:
            raise LeaseLost
        if (
            not running or phase.due_at is None or phase.due_at > now
        ):  # paused, moved, or no longer final: nothing is due after all
            _release(phase.pk, token)
            return
        if _mail_unread(phase, now):
            look_again_for_mail([phase.pk], token, now)
            return
        # Clocks can be set back, and machines differ: the session must open after everything that
        # counts all the same.
        newest = phase.submissions.filter(late=False).aggregate(newest=Max("received_at"))[
            "newest"
        ]  # CANCEL counts too
        now = max(now, phase.opened_at, newest or now)
        phase.teams, phase.holders = teams.of_phase(phase), hashes.holders_of(phase.game)
        seals, state = in_force.sealed(phase), positions.state_of(phase)
        close(phase, state, seals, _missed(phase, state, seals), now)
        phase.save()
        hashes.append(phase.game, [hashes.locked(phase, hashes.head_of(phase))], now)
        if phase.status == Phase.Status.DRAWING:
            letters.locked(phase, now)
        if phase.missed:
            from games import desk  # which stands upon this module

            desk.report_vacancies(phase, now)
    logger.info(
        "phase %s locked, %d order sets, digest %s", phase.pk, len(phase.leaves), phase.digest
    )


def close(
    phase: Phase, state: Any, seals: Mapping[str, tuple[str, str]], missed: list[str], now: datetime
) -> None:
    """Sets in a phase what its lock makes of it: the digest, who missed it, and whether digits are
    needed. The caller writes it.

    `seals`: nation to salt and text of its orders in force. Where digits are needed the lease ends:
    whoever claims it next draws.
    """
    game = phase.game
    phase.status = Phase.Status.LOCKED
    phase.locked_at = now
    phase.leaves = {
        nation: record.leaf(nation, text, salt) for nation, (salt, text) in seals.items()
    }
    phase.digest = record.digest(phase.leaves)
    phase.remind_at = None
    phase.due_at = now
    phase.missed = missed
    if phase.draws:  # else they are read when they are judged, and not before
        orders = game.rules.in_force(state, {nation: text for nation, (_, text) in seals.items()})
        if _needs_digits(phase, state, orders):
            phase.status = Phase.Status.DRAWING
            if market.by_sales(game):
                phase.stocks = list(game.rules.stocks(state, orders))
                market.fix_session(phase, market.session_for(game, market.session_basis(phase)))
            phase.claim, phase.claimed_until = "", None
    phase.attempts, phase.fault = 0, ""


def _missed(phase: Phase, state: Any, sent: Mapping[str, Any]) -> list[str]:
    """The nations of people, not of programs, that might order in this phase and have nothing in
    force.

    An ally's silence is the ally's (N7): nobody sits there, so that no seat is reported vacant for
    it. Nobody misses a phase in which silence is ordinary play.
    """
    if phase.game.rules.facts(phase.id_in_rules, phase.game.options).voluntary:
        return []
    silent = [
        (seat, sender)
        for seat, sender in positions.senders(phase, state)
        if seat.nation not in sent
    ]
    return [
        seat.nation
        for seat, sender in silent
        if not sender.bot and sender.sittings.filter(until=None).exists()
    ]


def _needs_digits(phase: Phase, state: Any, orders: dict[str, str]) -> bool:
    """Whether any attack comes to a throw at all, whatever the digits: a phase of void attacks need
    not wait for the market."""
    try:
        phase.game.rules.resolve(state, orders, market.Figures({}), phase.game.reserves)
    except market.Unsettled:
        return True
    return False


def _judge_settled(phase: Phase, token: str, now: datetime) -> None:
    """Judges a phase that waits for no figures: one of void attacks or of placement, or one whose
    digits have all settled."""
    case = case_of(phase)
    try:
        judged = case.judge(judging.figures_of(phase))
    except market.Unsettled as unsettled:
        why = (
            f"After a ruling the sales of {unsettled.symbol} are needed, which were not to be read."
            " Rule them, or the attack's result."
        )
        hold(phase.pk, token, why, now)
        return
    _publish(phase, token, case, judged, now)


def _draw(phase: Phase, token: str, now: datetime) -> None:
    """Reads what is to be read; judges the phase once every digit that it needs has settled, else
    looks again later.

    The named stocks are read all of them, reserves only when an attack comes to them, in the order
    of use. Under rulings it is judged as soon as it can be: they may have made a figure needless.
    """
    case = case_of(phase)
    wanted = _wanted(case)
    while True:
        seen = market.observe(phase, wanted, now)
        if not seen.waiting or case.rulings:
            try:
                judged = case.judge(judging.figures_of(phase))
                break
            except market.Unsettled as unsettled:
                if unsettled.symbol not in wanted:
                    wanted.append(unsettled.symbol)
                    continue
        _tell(phase, token, seen, now)
        _look_again(phase, token, seen.next_look)
        return
    if case.lacks_a_digit(judged):
        why = (
            "No usable sales figure is left for an attack or a die: the named stocks and the whole"
            " reserve list have none."
        )
        hold(phase.pk, token, why, now)
        return
    _publish(phase, token, case, judged, now)


def _wanted(case: Case) -> list[str]:
    """The stocks that the orders name; where rulings change the orders, those that they name now,
    but none whose sales are ruled."""
    phase, game = case.phase, case.phase.game
    stocks = list(phase.stocks)
    if market.by_sales(game) and any(one.kind == "orders" for one in case.rulings):
        state = game.load(case.position)
        stocks = list(
            game.rules.stocks(
                state,
                game.rules.in_force(
                    state, rulings.ruled_texts(case.sent, case.rulings, case.submissions)
                ),
            )
        )
    ruled_ones = rulings.ruled_volumes(case.rulings)
    return [symbol for symbol in stocks if symbol not in ruled_ones]


def _tell(phase: Phase, token: str, seen: market.Observation, now: datetime) -> None:
    """Writes to the gamesmaster, once for a phase each, when a stock needs one, and when the
    give-up time has passed without an answer.

    To everybody, once for a phase, when the figures come later than announced: which stocks, and
    why.
    """
    late = [symbol for symbol in seen.overdue if symbol not in seen.needs]
    held_up = (
        market.waits(phase, seen.waiting, now)
        if market.by_sales(phase.game) and market.is_late(phase, now)
        else []
    )
    if not seen.needs and not late and not held_up:
        return
    with transaction.atomic():
        if not Phase.objects.filter(pk=phase.pk, claim=token, status=Phase.Status.DRAWING).exists():
            raise LeaseLost
        if seen.needs:
            letters.overdue(phase, seen.needs, letters.NEEDED, now)
        if late:
            letters.overdue(
                phase, {symbol: seen.reasons[symbol] for symbol in late}, letters.LATE, now
            )
        if held_up:
            letters.waiting(phase, held_up, now)


def waits(phase: Phase | None, now: datetime) -> list[market.Wait]:
    """The stocks that hold up a phase whose digits are drawn, and why (`market.waits`); nobody is
    asked."""
    if (
        phase is None
        or phase.status != Phase.Status.DRAWING
        or not market.by_sales(phase.game)
        or not phase.session
    ):
        return []
    case, figures = case_of(phase), judging.figures_of(phase)
    settled = set(Figure.objects.filter(phase=phase).values_list("symbol", flat=True))
    needed = [symbol for symbol in _wanted(case) if symbol not in settled]
    try:
        if not needed:  # then a reserve is asked for, if anything is
            case.judge(figures)
    except market.Unsettled as unsettled:
        needed = [unsettled.symbol]
    except RulesError:
        return []
    return market.waits(phase, needed, now)


def rolls_used(phase: Phase, rolls: Sequence[int]) -> int | None:
    """How many of these rolls the phase's attacks use; None where they use them all and need more
    (`rng.source` = gm_dice)."""
    try:
        judged = case_of(phase).judge(market.Figures(market.as_rolls(rolls)))
    except market.Unsettled:
        return None
    return sum(
        roll_number(told["stock"]) is not None for told in digits_told(judged.resolution.events)
    )


def _publish(phase: Phase, token: str, case: Case, judged: Judged, now: datetime) -> None:
    """One transaction: the resolution, its draws, the next phase or the end of the game, and
    everybody's letters.

    Where results wait for the gamesmaster, the phase is laid before him instead, and judged anew
    when it goes out.
    """
    game, after = phase.game, judged.resolution.state
    over = game.rules.phase(after) is None
    with transaction.atomic():
        if not game_row.take_row(game) or judging.newest_ruling(game) != case.after_ruling:
            # Paused meanwhile; or a gamesmaster has ruled while this was judged, and then it is
            # judged again at once.
            _release(phase.pk, token)
            return
        held = Phase.objects.filter(
            pk=phase.pk,
            claim=token,
            status__in=(Phase.Status.LOCKED, Phase.Status.DRAWING, Phase.Status.APPROVAL),
        )
        let_go: dict[str, Any] = {"claim": "", "claimed_until": None, "attempts": 0, "fault": ""}
        left = to_place(phase, judged)
        waits = (
            game.approval_hours and phase.status != Phase.Status.APPROVAL and not phase.sheeted
        )  # a sheet has had its second look
        if left or waits:
            due = None if left else now + timedelta(hours=game.approval_hours)
            if held.update(status=Phase.Status.APPROVAL, due_at=due, **let_go) != 1:
                raise LeaseLost
            letters.approval(phase, judged, due, now, left)
            return
        phase.seed = market.seed_of(phase) if phase.seed_hash else ""
        if held.update(status=Phase.Status.RESOLVED, due_at=None, seed=phase.seed, **let_go) != 1:
            raise LeaseLost
        resolution = judging.store(case, judged, now)
        phase.status = Phase.Status.RESOLVED
        if over:
            Game.objects.filter(pk=game.pk).update(status=Game.Status.FINISHED, finished_at=now)
            game.status, game.finished_at = Game.Status.FINISHED, now
        draws = rows.draws(phase) if any(digits_told(resolution.events)) else []
        parts = [*hashes.figures(phase), hashes.result(resolution, draws)]
        following = None
        if over:
            hashes.append(game, parts, now)
        else:
            following = open_phase(game, phase, after, now, parts=parts)
        letters.board(resolution, now)
        if over:
            letters.over(game, resolution, now)
    logger.info(
        "phase %s resolved; %s", phase.pk, comes_next(following) if following else "game over"
    )


def comes_next(following: Phase) -> str:
    """For the log."""
    return (
        "a sheet is due"
        if following.sheeted
        else f"next deadline {following.deadline:%Y-%m-%d %H:%M}"
    )


def to_place(phase: Phase, judged: Judged) -> dict[str, int]:
    """What the gamesmaster is to place before this result goes out, by nation; {} once he has let
    it go without.

    Whatever makes the phase due (hours of approval, a hold that is lifted, a ruling revoked), it
    does not go out before.
    """
    left = dict(phase.game.rules.unplaced(judged.state, judged.orders))
    return {} if left and Act.objects.filter(phase=phase, kind="released").exists() else left


def wait_anew(phase: Phase, judged: Judged, now: datetime) -> None:
    """After a ruling on a result that waits for something to be placed: with nothing left it goes
    out at once, or after the usual hours."""
    if phase.status != Phase.Status.APPROVAL or phase.due_at is not None or to_place(phase, judged):
        return
    due = now + timedelta(hours=phase.game.approval_hours)
    waiting = Phase.objects.filter(pk=phase.pk, status=Phase.Status.APPROVAL, due_at=None)
    if waiting.update(due_at=due) == 1 and due > now:
        letters.approval(phase, judged, due, now)


# --- letting go ---


def _release(phase_id: int, token: str) -> None:
    Phase.objects.filter(pk=phase_id, claim=token).update(
        claim="", claimed_until=None, attempts=0, fault=""
    )


def _look_again(phase: Phase, token: str, next_look: datetime | None) -> None:
    """Releases a phase until the next look, unless the desk has made it due meanwhile: a figure was
    typed in while the market was read."""
    Phase.objects.filter(pk=phase.pk, claim=token, due_at=phase.due_at).update(due_at=next_look)
    _release(phase.pk, token)


def _release_after_failure(phase_id: int, token: str, error: Exception, now: datetime) -> None:
    """Pushes a failed phase back so that it blocks nobody; after a few tries it is held and the
    gamesmaster told."""
    phase = Phase.objects.filter(pk=phase_id, claim=token).first()
    if phase is None:
        return
    fault = _storable(f"{type(error).__name__}: {error}")
    attempts = max(
        1, phase.attempts
    )  # this try was counted when it began; a lock in the midst of it has begun a new count
    if attempts >= settings.PHASE_TRIES:
        hold(phase_id, token, f"{attempts} tries failed, the last with {fault}", now)
        return
    later = now + timedelta(minutes=RETRY_MINUTES[min(attempts, len(RETRY_MINUTES) - 1)])
    Phase.objects.filter(pk=phase_id, claim=token).update(
        due_at=later, claim="", claimed_until=None, attempts=attempts, fault=fault[:2000]
    )


def _storable(fault: str) -> str:
    """A fault as PostgreSQL takes it, whatever it quotes: one that could not be written down would
    never be held."""
    return fault.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def hold(phase_id: int, token: str, why: str, now: datetime) -> None:
    """Sets a phase aside for the gamesmaster, with the reason, and tells him. Only the holder of
    the lease may."""
    why = _storable(why)
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
